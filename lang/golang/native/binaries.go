package native

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Linking takes most of the time in which a test is built once more. The go command leaves a binary as it is that it
// would link, which it tells by the id in it, so the last ones are kept.

// keptBinaries is how many are kept. Each has 12 to 15 MB.
const keptBinaries = 12

// keptBinary is where the binary of the tests of a folder is kept; empty if there is no place for it.
func (t *Toolchain) keptBinary(dir, entry string, race bool) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%v", t.Version, dir, entry, race))
	return filepath.Join(cache, "cdpor", "tests", fmt.Sprintf("%x", sum[:12]))
}

// keepBinary keeps a binary, unless it is the one that is kept or there is no place. That it cannot does no harm.
func keepBinary(binary, kept string) {
	if kept == "" {
		return
	}
	defer os.Chtimes(kept, time.Time{}, time.Now())
	old, err := os.Stat(kept)
	if now, failed := os.Stat(binary); err == nil && failed == nil && os.SameFile(old, now) {
		return
	}
	folder := filepath.Dir(kept)
	if os.MkdirAll(folder, 0o755) != nil {
		return
	}
	scratch, err := os.MkdirTemp(folder, "new-")
	if err != nil {
		return
	}
	defer os.RemoveAll(scratch)
	if to := filepath.Join(scratch, "tests"); sameFile(binary, to) == nil {
		os.Rename(to, kept)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	age := func(path string) time.Duration {
		if at, err := os.Stat(path); err == nil {
			return time.Since(at.ModTime())
		}
		return 0
	}
	slices.SortFunc(files, func(a, b string) int { return int(age(a) - age(b)) })
	for _, path := range files[min(keptBinaries, len(files)):] {
		os.RemoveAll(path)
	}
}

// sameFile makes a path another name of a file, or of a copy of it where there can be no other name.
func sameFile(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/explore/cluster/build"
	"cdpor/synth"
)

// CacheFlags choose where the answers of the synthesis are kept.
type CacheFlags struct {
	Cache   string `xor:"cache" predictor:"dir" placeholder:"DIR" help:"Folder that keeps what was found for pairs of steps; it may be emptied at any time. Default: cdpor in the user's cache folder."`
	NoCache bool   `xor:"cache" help:"Find everything anew, and keep nothing."`
}

// Open finds the folder. It is no error if there is none by default; then nothing is kept.
func (f *CacheFlags) Open(now func() time.Time) (synth.Cache, *Folder, error) {
	dir := f.Cache
	switch {
	case f.NoCache:
		return nil, nil, nil
	case dir == "":
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, nil
		}
		dir = filepath.Join(user, "cdpor")
		if os.MkdirAll(dir, 0o700) != nil {
			return nil, nil, nil
		}
	default:
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, nil, fault.FileError(err)
		}
	}
	c := &Folder{dir: dir, now: now}
	return c, c, nil
}

// A Folder keeps values in files that are named after their keys, in 256 folders. A file begins with a line that has a
// checksum of the cdpor that wrote it, the key and the rest; one that does not agree with it counts as missing: what
// another build has found is not believed. What cannot be written is not kept.
type Folder struct {
	dir   string
	build string // empty: not known yet, see known
	now   func() time.Time
	used  bool // something has been looked for or kept
}

// known finds out what the running program is. It reports false if the program cannot be identified.
func (c *Folder) known() bool {
	c.used = true
	if c.build == "" {
		c.build, _ = build.Digest()
	}
	return c.build != ""
}

const (
	cacheHeader = "cdpor-cache 3 "
	// cacheLimit is the number of bytes that the folder may have; at more, the entries that have not been used for
	// longest are removed until it has half.
	cacheLimit = 64 << 20
	// touchEvery is how old the note of the last use of an entry may be.
	touchEvery = time.Hour
)

func (c *Folder) path(key string) string {
	return filepath.Join(c.dir, key[:2], key[2:])
}

// Get is the value of a key, if the file is there and undamaged, and of this build.
func (c *Folder) Get(key string) ([]byte, bool) {
	path := c.path(key)
	text, err := os.ReadFile(path)
	if err != nil || !c.known() {
		return nil, false
	}
	header, value, _ := bytes.Cut(text, []byte("\n"))
	if string(header) != c.checksum(key, value) {
		return nil, false
	}
	if info, err := os.Stat(path); err == nil && c.now().Sub(info.ModTime()) > touchEvery {
		_ = os.Chtimes(path, c.now(), c.now()) // an entry whose use cannot be noted is removed earlier, that is all
	}
	return value, true
}

// Put stores a value. What cannot be written is left out.
func (c *Folder) Put(key string, value []byte) {
	path := c.path(key)
	if c.known() && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = files.Write(path, append([]byte(c.checksum(key, value)+"\n"), value...))
	}
}

func (c *Folder) checksum(key string, value []byte) string {
	sum := sha256.Sum256(append([]byte(c.build+"\n"+key+"\n"), value...))
	return cacheHeader + hex.EncodeToString(sum[:])
}

// Trimmed keeps the folder, which may be nil, below cacheLimit. That it cannot is no reason for a command to fail.
func (c *Folder) Trimmed(messages io.Writer) {
	if c == nil || !c.used {
		return
	}
	if err := c.trim(cacheLimit); err != nil {
		fmt.Fprintf(messages, "cdpor: %v\n", err)
	}
}

// trim keeps the folder below a size in bytes.
func (c *Folder) trim(limit int64) error {
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var all []entry
	total := int64(0)
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !c.owns(path) {
			return nil // removed meanwhile, or not ours
		}
		if info, err := d.Info(); err == nil {
			all = append(all, entry{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	if err != nil || total <= limit {
		return err
	}
	slices.SortFunc(all, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range all {
		if total <= limit/2 {
			break
		}
		if err := os.Remove(e.path); err != nil {
			return fmt.Errorf("cannot remove old entries of the cache: %w", err)
		}
		total -= e.size
	}
	return nil
}

// owns reports whether a file has the name of an entry; the folder may be one that has others.
func (c *Folder) owns(path string) bool {
	name := filepath.Base(filepath.Dir(path)) + filepath.Base(path)
	sum, err := hex.DecodeString(name)
	return err == nil && len(sum) == sha256.Size && filepath.Dir(filepath.Dir(path)) == filepath.Clean(c.dir)
}

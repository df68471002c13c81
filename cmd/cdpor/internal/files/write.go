package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"cdpor/cmd/cdpor/internal/fault"
)

// Write writes a file that the user has named: of a link it replaces what the link leads to, and a device or a pipe is
// written to.
func Write(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if err := os.WriteFile(path, text, 0); err != nil {
			return &fault.Output{Where: path, Err: err}
		}
		return nil
	}
	return Replace(path, text)
}

// Replace replaces a file in one go: whoever reads it sees the old or the new content, never a part. A link is replaced
// itself, so a file whose name the user has not chosen cannot lead elsewhere.
func Replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Inputf("%s: there is no folder %s", path, filepath.Dir(path))
	}
	if err != nil {
		return fault.FileErrorOf(path, err)
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return &fault.Output{Where: path, Err: err}
	}
	return nil
}

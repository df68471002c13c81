package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"cdpor/cmd/cdpor/internal/fault"
)

// Write replaces a file in one go: whoever reads it sees the old or the new content, never a part. Of a link it
// replaces what the link leads to; a device or a pipe is written to.
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
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Inputf("%s: there is no folder %s", path, filepath.Dir(path))
	}
	if err != nil {
		return fault.FileError(err)
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

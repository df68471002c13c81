package mcp

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/mod/modfile"
)

// What is copied at most for one call.
const (
	maxFile  = 4 << 20 // bytes; larger files are left out
	maxBytes = 256 << 20
	eachFile = 4 << 10 // bytes that a file counts for at least
)

// A folder is given to the server. All reading goes through the root, which leads nowhere else, whatever
// symbolic links there are.
type folder struct {
	path string // as it was given, absolute
	real string // without symbolic links
	root *os.Root
}

func openFolder(path string) (*folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	return &folder{path, real, root}, err
}

// find is the folder that a path is in, and the path in it. The error says nothing of what there is elsewhere.
func (s *server) find(name string) (*folder, string, error) {
	name = filepath.FromSlash(strings.TrimSuffix(filepath.ToSlash(name), "/..."))
	for _, f := range s.folders {
		inside := name
		for _, base := range []string{f.path, f.real} {
			if rest, err := filepath.Rel(base, name); filepath.IsAbs(name) && err == nil && filepath.IsLocal(rest) {
				inside = rest
			}
		}
		if !filepath.IsLocal(inside) {
			continue
		}
		if _, err := f.root.Stat(inside); err == nil {
			return f, filepath.Clean(inside), nil
		}
	}
	return nil, "", fmt.Errorf("%s is nothing in the folders that cdpor mcp was given", name)
}

// read reads a file of a folder: a regular one, which is not too large.
func (f *folder) read(name string) ([]byte, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe does not keep it
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// A copied place has the files of a call: cdpor sees these, and nothing of the folders.
type copied struct {
	dir   string // the folder of the call; the files are in files
	from  *folder
	bytes int
}

func newCopied() (*copied, error) {
	dir, err := os.MkdirTemp("", "cdpor-mcp-")
	if err != nil {
		return nil, err
	}
	return &copied{dir: dir}, os.Mkdir(filepath.Join(dir, "files"), 0o700)
}

// place is where the files are.
func (c *copied) place() string { return filepath.Join(c.dir, "files") }

// write writes a file of the call.
func (c *copied) write(name string, text []byte) error {
	if c.bytes += max(len(text), eachFile); c.bytes > maxBytes {
		return fmt.Errorf("the files are more than %d bytes: give cdpor mcp a smaller folder", maxBytes)
	}
	full := filepath.Join(c.place(), name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		return err
	}
	return os.WriteFile(full, text, 0o600)
}

// file copies a file.
func (c *copied) file(f *folder, name string) error {
	text, err := f.read(name)
	if err != nil {
		return err
	}
	c.from = f
	return c.write(name, text)
}

// module copies the module of a Go package, with those in the folder that its go.mod replaces others by.
func (c *copied) module(f *folder, name string) error {
	c.from = f
	dir := filepath.ToSlash(name)
	for ; ; dir = path.Dir(dir) {
		if _, err := f.root.Stat(path.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == "." {
			return fmt.Errorf("%s is in no module: its go.mod must be in a folder of cdpor mcp, too", name)
		}
	}
	todo := []string{dir}
	for i := 0; i < len(todo); i++ {
		text, err := f.read(path.Join(todo[i], "go.mod"))
		if err != nil {
			return err
		}
		mod, err := modfile.Parse("go.mod", text, nil)
		if err != nil {
			return fmt.Errorf("go.mod cannot be read")
		}
		for _, r := range mod.Replace {
			at := path.Join(todo[i], filepath.ToSlash(r.New.Path))
			switch {
			case r.New.Version != "":
			case filepath.IsAbs(r.New.Path) || !filepath.IsLocal(filepath.FromSlash(at)):
				return fmt.Errorf("go.mod replaces %s by a folder outside of those of cdpor mcp", r.Old.Path)
			case !slices.Contains(todo, at):
				todo = append(todo, at)
			}
		}
		if err := c.tree(f, todo[i]); err != nil {
			return err
		}
	}
	return nil
}

// tree copies the files below a folder, without symbolic links and hidden folders.
func (c *copied) tree(f *folder, dir string) error {
	return fs.WalkDir(f.root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && name != dir && (strings.HasPrefix(base, ".") || base == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || base == settings:
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > maxFile {
			return nil
		}
		return c.file(f, filepath.FromSlash(name))
	})
}

// settings are not for calls: they could have files written, and tests executed.
const settings = "cdpor.yaml"

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
)

// Programs lists the files named and the programs in the folders named, which are the YAML files with a key cdpor.
func Programs(paths []string) ([]string, error) {
	var found []string
	for _, path := range paths {
		if path == StandardInput {
			found = append(found, path)
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fault.FileError(err)
		}
		if !info.IsDir() {
			found = append(found, path)
			continue
		}
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if ext := filepath.Ext(p); !d.Type().IsRegular() || ext != ".yaml" && ext != ".yml" {
				return nil
			}
			text, err := Read(p)
			if err == nil && IsProgram(text) {
				found = append(found, p)
			}
			return err
		})
		var input fault.Input
		if err != nil && !errors.As(err, &input) {
			err = fault.FileError(err)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, fault.Inputf("no programs in %s", strings.Join(paths, ", "))
	}
	return found, nil
}

// IsProgram tells programs from other YAML files without parsing them.
func IsProgram(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "cdpor:") {
			return true
		}
	}
	return false
}

// IsConstraintFile tells constraint files from other YAML files without parsing them.
func IsConstraintFile(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "cdpor-constraints:") {
			return true
		}
	}
	return false
}

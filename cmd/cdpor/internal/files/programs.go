package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
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
		if strings.HasSuffix(path, "...") {
			return nil, fault.Inputf("%s names Go packages: cdpor run %[1]s explores their tests", path)
		}
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
		return nil, fault.Inputf("no YAML programs in %s; cdpor run ./... explores Go tests", strings.Join(paths, ", "))
	}
	return found, nil
}

// TheProgram is the only program of the current folder, or the Go package in it: what is meant if no program is named.
func TheProgram() (string, error) {
	var found []string
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			if text, err := Read(path); err == nil && IsProgram(text) {
				found = append(found, path)
			}
		}
	}
	if list, _ := filepath.Glob("*.go"); len(list) > 0 {
		found = append(found, ".")
	}
	switch len(found) {
	case 0:
		return "", fault.Inputf("name a program: there is none in this folder; cdpor init NAME.yaml writes one to " +
			"start from, cdpor examples lists some, and a folder with Go files is one as well")
	case 1:
		return found[0], nil
	}
	return "", fault.Inputf("name a program: there are %s in this folder", terminal.Listed(found, 4))
}

// kinds are the files of cdpor, by how a line of them begins, with what is done with one, and how one is made.
var kinds = []struct{ begins, what, use, made string }{
	{"cdpor-checkpoint ", "a checkpoint", "cdpor resume %s goes on with its search",
		"cdpor run --checkpoint FILE writes one"},
	{"cdpor-replay:", "a replay file", "cdpor run %s follows its schedule", "cdpor run --save FILE writes one"},
	{"cdpor-constraints:", "a constraint file", "cdpor run PROGRAM --constraints %s uses it", "cdpor synth writes one"},
	{"cdpor:", "a program", "cdpor run %s explores it", "cdpor init writes one"},
}

// kind is which of the kinds a text is, without parsing it; -1: none of cdpor.
func kind(text []byte) int {
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		for n, k := range kinds {
			if strings.HasPrefix(line, k.begins) {
				return n
			}
		}
	}
	return -1
}

// Mistaken is an error if a text is another file of cdpor than what is wanted: it says which one, what to do with it,
// and how one that is wanted is made.
func Mistaken(path string, text []byte, wanted string) error {
	n := kind(text)
	if n < 0 || kinds[n].what == wanted {
		return nil
	}
	for _, k := range kinds {
		if k.what == wanted {
			return fault.Inputf("%s is %s, not %s; "+kinds[n].use+"; %s", path, kinds[n].what, wanted,
				terminal.Quote(path),
				k.made)
		}
	}
	return nil
}

// IsProgram tells programs from other YAML files without parsing them.
func IsProgram(text []byte) bool { return kind(text) >= 0 && kinds[kind(text)].what == "a program" }

// IsReplayFile tells the files of cdpor run --save from others.
func IsReplayFile(text []byte) bool {
	return kind(text) >= 0 && kinds[kind(text)].what == "a replay file"
}

// IsConstraintFile tells constraint files from other YAML files without parsing them.
func IsConstraintFile(text []byte) bool {
	return kind(text) >= 0 && kinds[kind(text)].what == "a constraint file"
}

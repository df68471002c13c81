package source

import (
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Entry is a function that one can begin with, in the package of a folder; empty: in the only one.
type Entry struct{ Folder, Func string }

// Chosen are the functions that are meant: main, or else all tests, in each package; or those of some names with |
// between them.
func (s *Set) Chosen(functions string) (list []Entry) {
	names := strings.Split(functions, "|")
	var dirs []string
	for _, c := range s.candidates {
		if !slices.Contains(dirs, c.dir()) {
			dirs = append(dirs, c.dir())
		}
	}
	for _, dir := range dirs {
		var main, tests []Entry
		for _, c := range s.candidates {
			e := Entry{Func: c.name}
			if len(dirs) > 1 {
				e.Folder = below(c.dir())
			}
			switch {
			case c.dir() != dir:
			case functions != "":
				if slices.Contains(names, c.name) {
					list = append(list, e)
				}
			case c.main():
				main = append(main, e)
			case c.test:
				tests = append(tests, e)
			}
		}
		if main == nil {
			main = tests
		}
		list = append(list, main...)
	}
	return list
}

// Folders are those of the packages of the user that were loaded.
func (s *Set) Folders() (list []string) {
	s.fset.Iterate(func(f *token.File) bool {
		dir := filepath.Dir(f.Name())
		ours := strings.HasSuffix(f.Name(), ".go") && filepath.IsAbs(f.Name()) &&
			!strings.HasPrefix(f.Name(), s.library) && !strings.Contains(dir, "@") // of a module that was fetched
		if ours && !slices.Contains(list, below(dir)) {
			list = append(list, below(dir))
		}
		return true
	})
	slices.Sort(list)
	return list
}

// below is a folder as one writes it from here.
func below(dir string) string {
	here, err := os.Getwd()
	if err != nil {
		return dir
	}
	rel, err := filepath.Rel(here, dir)
	if err != nil || strings.HasPrefix(rel, "..") {
		return dir
	}
	return "./" + filepath.ToSlash(rel)
}

// main reports whether the candidate is the function that a program begins with.
func (c candidate) main() bool { return c.name == "main" && c.pkg.Name == "main" }

// pick chooses the entry.
func pick(list []candidate, path, function string) (candidate, error) {
	var tests []string
	for _, c := range list {
		if c.name == function {
			return c, nil
		}
		if c.test {
			tests = append(tests, c.name)
		}
	}
	if function != "" {
		return candidate{}, Error{path + ": " + missing(list, function)}
	}
	for _, c := range list {
		if c.main() || len(tests) == 1 && c.test {
			return c, nil
		}
	}
	if len(tests) == 0 {
		return candidate{}, Error{fmt.Sprintf("%s: there is neither a main function nor a test; --func NAME begins "+
			"with a function without parameters", path)}
	}
	return candidate{}, Error{fmt.Sprintf("%s: there are several tests; choose one with --func: %s", path,
		strings.Join(tests, ", "))}
}

// missing says why one cannot begin with a function.
func missing(list []candidate, function string) string {
	var names []string
	meant, least := "", 3
	for _, c := range list {
		names = append(names, c.name)
		if f, ok := c.pkg.Types.Scope().Lookup(function).(*types.Func); ok {
			return fmt.Sprintf("%s has the signature %s; one can begin with main, a test, or a function without "+
				"parameters and results", function,
				strings.TrimPrefix(types.TypeString(f.Signature(), types.RelativeTo(c.pkg.Types)), "func"))
		}
		if d := distance(strings.ToLower(c.name), strings.ToLower(function)); d < least {
			meant, least = c.name, d
		}
	}
	if meant != "" {
		meant = fmt.Sprintf("did you mean %s? ", meant)
	}
	if len(names) == 0 {
		return fmt.Sprintf("there is no function %s, nor another one without parameters", function)
	}
	return fmt.Sprintf("there is no function %s without parameters; %sthere are: %s", function, meant,
		strings.Join(names, ", "))
}

// distance is how many letters have to be changed, added or left out to make a word of another one.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}

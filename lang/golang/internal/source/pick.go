package source

import (
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
)

// An Entry is a function that one can begin with, in the package of a folder; empty: in the one that was named.
type Entry struct{ Folder, Func string }

// Entries are the functions of the packages that a program may begin with without being asked for: main, and the tests.
func (s *Set) Entries() []Entry {
	return s.entries(func(c candidate) bool { return c.test || c.main() })
}

// Chosen are the functions that are meant: main, or else all tests, in each package; or those that a pattern names.
func (s *Set) Chosen(functions string) (list []Entry, err error) {
	if functions == "" {
		mains := map[string]bool{}
		for _, c := range s.candidates {
			mains[c.dir()] = mains[c.dir()] || c.main()
		}
		return s.entries(func(c candidate) bool { return c.main() || c.test && !mains[c.dir()] }), nil
	}
	named, err := matching(s.candidates, s.path, functions)
	if err != nil {
		return nil, append(err.(Error), causes(s.refused)...)
	}
	return s.entries(func(c candidate) bool { return slices.Contains(named, c) }), nil
}

// entries are some of the candidates, package by package.
func (s *Set) entries(which func(candidate) bool) (list []Entry) {
	var dirs []string
	for _, c := range s.candidates {
		if !slices.Contains(dirs, c.dir()) {
			dirs = append(dirs, c.dir())
		}
	}
	for _, dir := range dirs {
		for _, c := range s.candidates {
			if c.dir() != dir || !which(c) {
				continue
			}
			e := Entry{Func: c.name}
			if len(dirs) > 1 || strings.HasSuffix(s.path, "/...") {
				e.Folder = below(dir)
			}
			list = append(list, e)
		}
	}
	return list
}

// matching are the candidates that are meant by a name, by a pattern as go test -run takes it, or by several of these
// with | between them. Each of them means one at least. A name means no test whose name is longer.
func matching(list []candidate, path, functions string) (found []candidate, err error) {
	alternatives := []string{functions}
	if !strings.ContainsAny(functions, `([\`) {
		alternatives = strings.Split(functions, "|")
	}
	for _, a := range alternatives {
		some := named(list, func(c candidate) bool { return c.name == a })
		if some == nil {
			pattern, err := regexp.Compile(a)
			switch {
			case err != nil:
				return nil, Error{fmt.Sprintf("%s: --func %s is no pattern: %v", path, a, err)}
			case strings.Contains(a, "/"):
				return nil, Error{fmt.Sprintf("%s: --func %s: a test is explored with all its subtests; write what "+
					"is before the /", path, a)}
			}
			some = named(list, func(c candidate) bool { return c.test && pattern.MatchString(c.name) })
		}
		if some == nil {
			return nil, Error{path + ": " + missing(list, a)}
		}
		found = append(found, some...)
	}
	return found, nil
}

func named(list []candidate, which func(candidate) bool) (found []candidate) {
	for _, c := range list {
		if which(c) {
			found = append(found, c)
		}
	}
	return found
}

// Folders are the folders of the user's packages that were loaded.
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
	if rel == "." {
		return rel
	}
	return "./" + filepath.ToSlash(rel)
}

// main reports whether the candidate is the function that a program begins with.
func (c candidate) main() bool { return c.name == "main" && c.pkg.Name == "main" }

// pick chooses the entry.
func pick(list []candidate, path, function string) (candidate, Error) {
	tests := named(list, func(c candidate) bool { return c.test })
	meant := tests
	if function == "" {
		if main := named(list, candidate.main); main != nil {
			return main[0], nil
		}
	} else {
		var err error
		if meant, err = matching(list, path, function); err != nil {
			return candidate{}, err.(Error)
		}
	}
	switch {
	case len(meant) == 1 || function != "" && meant[0].name == function:
		return meant[0], nil
	case len(tests) == 0:
		return candidate{}, Error{fmt.Sprintf("%s: there is neither a main function nor a test; --func NAME begins "+
			"with a function without parameters", path)}
	}
	var names []string
	for _, c := range meant {
		names = append(names, c.name)
	}
	return candidate{}, Error{fmt.Sprintf("%s: there are several tests; choose one with --func: %s", path,
		strings.Join(names, ", "))}
}

// missing says why one cannot begin with a function.
func missing(list []candidate, function string) string {
	var names []string
	for _, c := range list {
		names = append(names, c.name)
		if f, ok := c.pkg.Types.Scope().Lookup(function).(*types.Func); ok {
			return fmt.Sprintf("%s has the signature %s; one can begin with main, a test, or a function without "+
				"parameters and results", function,
				strings.TrimPrefix(types.TypeString(f.Signature(), types.RelativeTo(c.pkg.Types)), "func"))
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("there is no function %s, nor another one without parameters", function)
	}
	meant := syntax.DidYouMean(function, names)
	if meant != "" {
		meant += " "
	}
	return fmt.Sprintf("there is no function %s without parameters; %sthere are: %s", function, meant,
		strings.Join(names, ", "))
}

package gate

import (
	"bytes"
	"embed"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"
)

//go:embed _runtime/*.go
var runtimeFiles embed.FS

// A Program is a program with gates.
type Program struct {
	Root  string            // the folder of its module; empty: it is in none
	Files map[string][]byte // by absolute path: files with gates, and new ones
	// Schedule is the path of the file for the schedule, which is still empty.
	Schedule string
	Test     string // the test that runs the program; empty: it is main

	signals map[string]bool
	kinds   map[string]string
	user    map[string]string // the files of the user, by what step.Pos calls them
	firsts  map[*step.Template][]bool
	fetched map[string]bool // files of other modules, which have no gates
}

// New writes the gates of all steps that a program may take. prog is its step form.
func New(src *source.Program, prog *step.Program) (*Program, error) {
	p := &Program{Files: map[string][]byte{}, signals: map[string]bool{},
		kinds: map[string]string{}, user: map[string]string{},
		firsts: map[*step.Template][]bool{}, fetched: src.Fetched()}
	root, module := src.Module()
	files := src.Files()
	p.Root = root
	if root == "" {
		root, module = src.Dir(), "program"
	}
	for _, f := range files {
		name, err := filepath.Rel(root, f.Path)
		if err != nil {
			return nil, err
		}
		p.user[f.Short] = filepath.ToSlash(name)
	}
	visible, never := p.visible(prog), p.neverReady(prog)
	testMain := false
	for _, f := range files {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, err
		}
		w := &writer{fset: src.Fset, file: f, text: text, name: p.user[f.Short], visible: visible, never: never,
			signals: p.signals,
			kinds:   p.kinds,
			inList:  map[ast.Stmt]bool{}, instead: map[ast.Node]string{}, prologue: map[*ast.BlockStmt]string{},
			uses: map[string]bool{}}
		if src.Fset.Position(src.Body.Pos()).Filename == f.Path {
			w.entry = src.Body.Name()
		}
		if gated := w.write(module + "/" + runtimeName); gated != nil {
			if src.Before("go1.18") {
				gated = generic(gated, filepath.Base(f.Path))
			}
			p.Files[f.Path] = gated
		}
		testMain = testMain || w.testMain
	}
	if src.Name != "main" {
		p.addTest(src, module, testMain)
	}
	return p, p.addRuntime(root)
}

var buildLine = regexp.MustCompile(`(?m)^//go:build (.*)$`)

// generic lets a file of a module that is older than type parameters use the gates, which have some. Its lines keep
// their numbers.
func generic(text []byte, name string) []byte {
	end := bytes.Index(text, []byte("\npackage "))
	if at := buildLine.FindSubmatchIndex(text); at != nil && at[0] < end {
		return slices.Concat(text[:at[0]], []byte("//go:build ("), text[at[2]:at[3]], []byte(") && go1.18"),
			text[at[1]:])
	}
	return slices.Concat([]byte("//go:build go1.18\n\n//line "+name+":1\n"), text)
}

// addTest lets the tests of the package wait until their end has been judged, and makes a test of a function that is
// none.
func (p *Program) addTest(src *source.Program, module string, hasMain bool) {
	text := ""
	if !hasMain {
		text = "\n\nfunc TestMain(m *testing.M) { os.Exit(" + runtimeName + ".Finish(m.Run())) }"
	}
	p.Test = src.Name
	if src.Body.Signature.Params().Len() == 0 {
		p.Test = "TestCdpor" + src.Name
		text += "\n\nfunc " + p.Test + "(t *testing.T) { " + src.Name + "() }"
	}
	if text == "" {
		return
	}
	imports := "\t\"testing\"\n"
	if !hasMain {
		imports = "\t\"os\"\n\t\"testing\"\n\n\t\"" + module + "/" + runtimeName + "\"\n"
	}
	text = "package " + src.Main.Pkg.Name() + "\n\nimport (\n" + imports + ")" + text + "\n"
	p.Files[filepath.Join(src.Dir(), "cdpor_main_test.go")] = []byte(text)
}

// addRuntime adds the package of gates.
func (p *Program) addRuntime(root string) error {
	dir := filepath.Join(root, runtimeName)
	p.Schedule = filepath.Join(dir, "schedule.txt")
	return fs.WalkDir(runtimeFiles, "_runtime", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := runtimeFiles.ReadFile(path)
		p.Files[filepath.Join(dir, filepath.Base(path))] = text
		return err
	})
}

// visible are the places where steps begin that are in files of the user.
func (p *Program) visible(prog *step.Program) map[string]bool {
	list := map[string]bool{}
	for _, t := range prog.Templates {
		for _, s := range t.Steps {
			if at := p.place(t.Nodes[s.Entry].Pos); at != "" {
				list[at] = true
			}
		}
	}
	return list
}

// place is how a schedule names a place; empty if it is in no file of the user.
func (p *Program) place(pos step.Pos) string {
	name, ok := p.user[pos.File]
	if !ok {
		return ""
	}
	return Place(name, pos.Line, pos.Col)
}

// neverReady are, by place, the cases of selects that the step form never takes: those of channels that are nil, and
// those that wait for a timer only to fail the test.
func (p *Program) neverReady(prog *step.Program) map[string]map[int]bool {
	all := map[string]map[int]bool{}
	for _, t := range prog.Templates {
		for _, n := range t.Nodes {
			if at := p.place(n.Pos); at != "" && n.Kind == step.Choose && n.Cond != nil {
				never := map[int]bool{}
				constantCases(n.Cond, never)
				if known, ok := all[at]; ok {
					maps.DeleteFunc(known, func(k int, _ bool) bool { return !never[k] })
				} else {
					all[at] = never
				}
			}
		}
	}
	return all
}

// constantCases notes the alternatives of a guarded choice whose condition is false.
func constantCases(e *step.Expr, never map[int]bool) {
	switch {
	case e.Op == step.Or:
		constantCases(e.Args[0], never)
		constantCases(e.Args[1], never)
	case e.Op == step.And && e.Args[0].Op == step.Eq && e.Args[0].Args[1].Op == step.Const:
		if ready := e.Args[1]; ready.Op == step.Const && ready.Words[0] == 0 {
			never[int(e.Args[0].Args[1].Words[0])] = true
		}
	}
}

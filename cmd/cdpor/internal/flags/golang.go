package flags

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore/replay"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// GoFlags say where a Go program begins and how it is bounded.
type GoFlags struct {
	Func    string         `placeholder:"NAME" help:"Of a Go program: where to begin: a test, main, or a function without parameters. Default: the only one there is. run explores all tests by default, or those of a pattern such as TestA|TestB or Test.*Lock, as go test -run does."`
	Bound   map[string]int `placeholder:"NAME=N" help:"Of a Go program: how far to go where it has no limit of its own: goroutines that a go statement in a loop starts (4), elements of a slice that grows (8), calls of a function inside each other (3), ticks of a ticker (3). What is not set here run doubles while it cuts executions and that is little work, but for ticks; where the search gets long and nothing is wrong it takes two goroutines and one tick."`
	NoRaces bool           `help:"Of a Go program: do not report data races; their accesses interleave as they are."`
	Set     *golang.Set    `kong:"-"` // if it is loaded
}

// GoSearchFlags say when the search of a Go program ends, and what fails.
type GoSearchFlags struct {
	KeepGoing   bool   `help:"Of a Go program: go on although something wrong was found. Otherwise a search that is long ends soon after."`
	EarlyTimers bool   `help:"Of a Go program: count a failed test also if it fails only where a timer fires although something else can go on."`
	Overlay     string `predictor:"file" placeholder:"DIR" help:"With --engine run: keep in this folder what go test alone follows the schedule of the first violation by, in plain Go without cdpor. The report has the command."`
	JUnit       string `name:"junit" predictor:"file" placeholder:"FILE" help:"Of Go tests: also write the results to a file in the XML form of JUnit: a suite for each package, a case for each test. The report then has a line for each test, also for one alone."`
}

// IsGo reports whether a path names a Go program: a Go file, a folder that has some, or all packages below one.
func IsGo(path string) bool {
	root, all := strings.CutSuffix(path, "/...")
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return err == nil && strings.HasSuffix(path, ".go")
	} else if all {
		return true
	}
	found, _ := filepath.Glob(filepath.Join(path, "*.go"))
	return len(found) > 0
}

// BoundsByName are bounds by what --bound and the step form call them.
func BoundsByName(b *golang.Bounds) map[string]*int {
	return map[string]*int{"goroutines": &b.Goroutines, "elements": &b.Elements, "calls": &b.Calls, "ticks": &b.Ticks}
}

// Bounds are those of the flags.
func (f *GoFlags) Bounds() (b golang.Bounds, err error) {
	known := BoundsByName(&b)
	for _, name := range slices.Sorted(maps.Keys(f.Bound)) {
		to, n := known[name], f.Bound[name]
		switch {
		case to == nil:
			return b, fault.Inputf("--bound %s=%d: the bounds are calls, elements, goroutines and ticks", name, n)
		case n < 1 || n > 1000:
			return b, fault.Inputf("--bound %s=%d: write a number from 1 to 1000", name, n)
		}
		*to = n
	}
	return b, nil
}

// LoadGo loads a Go program.
func (f *ProgramFlags) LoadGo(ctx context.Context) (step.Loaded, error) {
	if len(f.Param) > 0 || f.Atomicity != "" {
		return nil, fault.Inputf("%s is a Go program: -p and --atomicity are for YAML programs", f.Program)
	}
	b, err := f.Bounds()
	if err != nil {
		return nil, err
	}
	opt := golang.Options{Path: f.Program, Func: f.Func, Bounds: b, NoRaces: f.NoRaces}
	var p *golang.Program
	if f.Set != nil {
		p, err = f.Set.Load(ctx, opt)
	} else {
		p, err = golang.Load(ctx, opt)
	}
	if err != nil {
		return nil, Unloaded(ctx, f.Program, err)
	}
	return p, nil
}

// Unloaded is the error of a Go program that cannot be explored, or whose loading has come to no end.
func Unloaded(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return fault.Unfinished{Err: fmt.Errorf("%s: %s while it was loaded; nothing was explored", path,
			environment.WhyStopped(ctx))}
	}
	if strings.HasSuffix(path, ".go") && strings.Contains(err.Error(), "undefined: ") {
		return fault.Inputf("%w; a file is loaded alone: cdpor run %s takes the whole package", err,
			terminal.Quote(filepath.Dir(path)))
	}
	return fault.Input{Err: err}
}

// given reports whether one of the flags is there.
func (f *GoFlags) given() bool { return f.Func != "" || len(f.Bound) > 0 || f.NoRaces }

// GoFlagsOf are the flags that a file with a schedule has kept.
func GoFlagsOf(r *replay.GoRecord) GoFlags {
	return GoFlags{Func: r.Func, Bound: r.Bounds, NoRaces: r.NoRaces}
}

// Record returns the flags that a file with a schedule keeps; nil for a program of another language.
func (f *GoFlags) Record(prog *step.Program) *replay.GoRecord {
	if prog.From == "" {
		return nil
	}
	return &replay.GoRecord{Func: prog.From, Bounds: f.Bound, NoRaces: f.NoRaces, Digest: constraints.Digest(prog)}
}

// BoundArguments is bounds as they are written on a command line.
func BoundArguments(bounds map[string]int) string { return JoinBounds(bounds, "--bound ", " ") }

// JoinBounds lists bounds by name.
func JoinBounds(bounds map[string]int, before, between string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		list = append(list, fmt.Sprintf("%s%s=%d", before, name, bounds[name]))
	}
	return strings.Join(list, between)
}

// CheckJUnit reports a folder of --junit that is not there.
func (f *GoSearchFlags) CheckJUnit() error {
	if f.JUnit == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(f.JUnit)); err != nil {
		return fault.FileError(err)
	}
	return nil
}

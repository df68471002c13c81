package golang

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/lower"
	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/share"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"
)

// TestFails is the message of the check that a failed test is in step form.
const TestFails = lower.TestFails

// Options say what to load, and how far to go.
type Options struct {
	Path   string // a folder, a Go file, or a pattern as the go command knows it
	Func   string // main, TestX, or a function without parameters and results; empty: the only one there is
	Bounds Bounds
	// NoRaces leaves data races unreported: their accesses interleave as they are.
	NoRaces bool
}

// Bounds are how far the exploration goes where a program has no limit of its own; 0 stands for a default.
type Bounds struct {
	Goroutines int // of one go statement in a loop without a constant count, and things made at one place there: 4
	Elements   int // of a slice that grows: 8
	Calls      int // of a function inside each other: 3
	Ticks      int // of a ticker: 3
}

// A Program is a Go program in step form.
type Program struct {
	Step   *step.Program
	Bounds Bounds // none of them 0
	src    *source.Program
	set    *Set
	opt    Options // as they were given
	folder string  // in the set
}

// Within makes the program again, within other bounds. Nothing is read again.
func (p *Program) Within(ctx context.Context, b Bounds) (*Program, error) {
	opt := p.opt
	opt.Bounds = b
	q, err := p.set.program(ctx, p.folder, opt)
	if err != nil {
		return nil, err
	}
	q.Step.Path = p.Step.Path
	return q, nil
}

// Form is the step form.
func (p *Program) Form() *step.Program { return p.Step }

// Source is the text of a file of the program. The program's own name is a folder or a pattern, which has none.
func (p *Program) Source(file string) []byte {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return text
}

// Dir is the folder of its package, Paths are its files without those of the library: absolute paths, by what places
// call them.
func (p *Program) Dir() string              { return p.src.Dir() }
func (p *Program) Paths() map[string]string { return p.src.Paths() }

// WithoutInfluence is empty: Go programs do not say what they are judged by.
func (p *Program) WithoutInfluence() []*step.Var { return nil }

// A Set is packages that were loaded together.
type Set struct{ *source.Set }

// Open loads packages: a folder, a Go file, or a pattern as the go command knows it. Loading takes most of the time of
// Load for small programs; one Set serves all entries of its packages.
func Open(ctx context.Context, path string) (*Set, error) {
	set, err := source.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Set{set}, nil
}

// most bounds what one place of the program makes in one goroutine, whatever the loops around it.
const most = 128

// Load makes the step form of the Go program that begins with a function. The error lists what is wrong, or not
// supported, one place a line.
func Load(ctx context.Context, opt Options) (*Program, error) {
	set, err := Open(ctx, opt.Path)
	if err != nil {
		return nil, err
	}
	return set.Load(ctx, opt)
}

// Load is Load for a set that has been opened with the path of the options.
func (s *Set) Load(ctx context.Context, opt Options) (*Program, error) {
	p, err := s.program(ctx, "", opt)
	if err != nil {
		return nil, err
	}
	p.Step.Path = opt.Path
	return p, nil
}

// Program is Load for an entry of a package of the set: opt.Path is its folder.
func (s *Set) Program(ctx context.Context, opt Options) (*Program, error) {
	return s.program(ctx, opt.Path, opt)
}

// program makes the program within the bounds. If more goroutines may start than there can be, where loops are inside
// each other, and no option says how many each of them starts, it is half as many.
func (s *Set) program(ctx context.Context, folder string, opt Options) (*Program, error) {
	b := opt.Bounds
	if b.Goroutines == 0 {
		b.Goroutines = 4
	}
	for {
		p, err := s.within(ctx, folder, opt, b, false)
		var many *lower.TooManyError
		if !errors.As(err, &many) || opt.Bounds.Goroutines != 0 || b.Goroutines == 1 {
			return p, err
		}
		b.Goroutines /= 2
	}
}

// mostWork is the most that is made of a program: ordinary ones have less than a thousandth of that.
const mostWork = 2_000_000_000

// work is what has to be found out about a program before its first state: of each node of a step, what each local
// of each thread may be.
func work(p *step.Program) (n int) {
	for _, t := range p.Templates {
		for _, s := range t.Steps {
			n += len(s.Nodes) * t.LocalWords * t.Count
		}
	}
	return n
}

// within makes the program within the bounds. inOrder says that whatever takes time takes its turn, also if that does
// not matter to the search.
func (s *Set) within(ctx context.Context, folder string, opt Options, b Bounds, inOrder bool) (p *Program, err error) {
	for _, v := range []struct {
		n         *int
		otherwise int
	}{{&b.Elements, 8}, {&b.Calls, 3}, {&b.Ticks, 3}} {
		if *v.n == 0 {
			*v.n = v.otherwise
		}
	}
	src, err := s.Set.Program(folder, opt.Func)
	if err != nil {
		return nil, err
	}
	defer source.Recover(&err, func() string { return src.Where(src.Body.Pos()) })
	var r *pointsto.Result
	var sharing *share.Sharing
	analyse := func(clock lower.Clock) (err error) {
		r, err = pointsto.Analyse(ctx, src.SSA, pointsto.Options{Entries: []*ssa.Function{src.Init, src.Entry},
			Recursion: b.Calls, External: lower.ExternalFor(clock)})
		if err == nil {
			sharing = share.Analyse(r, share.Bounds{Loop: b.Goroutines, Most: most})
		}
		return err
	}
	var clock lower.Clock
	waits := false
	if err = analyse(clock); err == nil {
		clock.Looks = lower.ComparesTimes(src, r)
		timers, sleeps := lower.Waits(r, sharing)
		several := timers > 1 || timers > 0 && sleeps
		waits = timers > 0 || sleeps
		if clock.Order = clock.Looks || several || inOrder && waits; clock.Order {
			err = analyse(clock)
		}
	}
	if err != nil {
		var large *pointsto.TooLargeError
		if errors.As(err, &large) {
			return nil, fmt.Errorf("%s: %w", opt.Path, err)
		}
		return nil, err
	}
	form, err := lower.Lower(ctx, src, r, sharing, lower.Options{Slice: b.Elements, Ticks: b.Ticks, Clock: clock,
		Races: !opt.NoRaces})
	if err != nil {
		return nil, err
	}
	if n := work(form); n > mostWork {
		return nil, fmt.Errorf("%s: too large: the nodes of its steps, each with the local variables, are %d "+
			"words, and %d at most", opt.Path, n, mostWork)
	}
	form.Path, form.From, form.Checks.RacesForbidden = opt.Path, src.Name, !opt.NoRaces
	if waits && !clock.Order {
		form.Patient = func(ctx context.Context) (*step.Program, error) {
			q, err := s.within(ctx, folder, opt, b, true)
			if err != nil {
				return nil, err
			}
			return q.Step, nil
		}
	}
	return &Program{Step: form, Bounds: b, src: src, set: s, opt: opt, folder: folder}, nil
}

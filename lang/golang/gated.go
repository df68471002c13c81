package golang

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/lang/golang/internal/gate"
	"cdpor/lang/step"
)

// Gated is a program with gates in its text, which let the real one follow a schedule.
type Gated struct {
	// Files are the files with gates and the new ones, by absolute path.
	Files map[string][]byte
	// Schedule is the path of one more file, for the text of a schedule.
	Schedule string
	// Dir is the folder of the package, Root that of its module; empty: it is in none.
	Dir, Root string

	gates *gate.Program
	src   string // the file that the program was named by; empty: it was a package
	entry string
}

// Gate writes gates into the text of the program. Nothing on disk is changed.
func (p *Program) Gate() (*Gated, error) {
	g, err := gate.New(p.src, p.Step)
	if err != nil {
		return nil, err
	}
	gated := &Gated{Files: g.Files, Schedule: g.Schedule, Dir: p.src.Dir(), Root: g.Root, gates: g, entry: p.src.Name}
	if strings.HasSuffix(p.opt.Path, ".go") {
		gated.src = filepath.Base(p.opt.Path)
	}
	return gated, nil
}

// A GatedSchedule is a schedule of a gated program.
type GatedSchedule struct {
	Text string // for the file Schedule
	// Unsupported lists the operations that gates cannot decide: there Go may go another way.
	Unsupported []string
	// Waits are the places, file:line, where goroutines wait at its end, by their names.
	Waits map[string]string
	// Called are their names for people.
	Called map[string]string
	// Nameless are the places in other modules that start goroutines, which have no gates: if there are some, an end
	// that differs says nothing.
	Nameless []string
	// Faked says that time passes when the schedule says.
	Faked bool
}

// Follow makes the gates of a schedule of the program's machine.
func (g *Gated) Follow(m *step.Machine, schedule []int32) (*GatedSchedule, error) {
	s, err := g.gates.ScheduleOf(m, schedule)
	if err != nil {
		return nil, err
	}
	for name, at := range s.Waits {
		s.Waits[name] = filepath.Join(cmp.Or(g.Root, g.Dir), at)
	}
	called := map[string]string{}
	for _, p := range m.Program.Procs {
		called[p.Name] = p.Called()
	}
	return &GatedSchedule{s.Text, s.Unsupported, s.Waits, called, s.Nameless, s.Faked}, nil
}

// AsModule are the arguments of the go command that runs the program where its files are a module of their own.
func (g *Gated) AsModule(race bool) []string {
	alone := *g
	alone.src = ""
	args := alone.Arguments("", race)
	return slices.DeleteFunc(args, func(a string) bool { return a == "-overlay=" })
}

// Arguments are the arguments of the go command that runs the program in its folder, with the file that -overlay names.
func (g *Gated) Arguments(overlay string, race bool) []string {
	build := []string{"-overlay=" + overlay}
	if race {
		build = append(build, "-race")
	}
	what := []string{"."}
	if g.src != "" {
		what = []string{g.src}
	}
	if g.entry == "main" {
		return slices.Concat([]string{"run"}, build, what)
	}
	if g.src != "" {
		for path := range g.Files {
			if name := filepath.Base(path); filepath.Dir(path) == g.Dir && name != g.src {
				what = append(what, name)
			}
		}
		slices.Sort(what[1:])
	}
	return slices.Concat([]string{"test"}, build, []string{"-vet=off", "-count=1", "-v", "-parallel=64",
		"-run=^" + g.gates.Test + "$"}, what)
}

// A NativeEnd is how Go says that a gated program has ended.
type NativeEnd struct {
	// Kind is deadlock, leak, panic, fatal error, data race, failed test or ended; empty: it does not say.
	Kind string
	Text string // what the panic says
	// Waits are the places, file:line, where goroutines wait, by their names.
	Waits  map[string]string
	Missed string // the first step of the schedule that Go did not come to; empty: it came to all
}

// String is the end in a few words.
func (e *NativeEnd) String() string {
	switch {
	case e.Kind == "":
		return "it does not say how"
	case e.Kind == NativeEnded:
		return "it ends well"
	case e.Kind == NativeUnbuilt:
		return "it does not build"
	case e.Text != "":
		return e.Kind + ": " + e.Text
	case e.Kind == NativeRace:
		return "the race detector reports a data race"
	}
	return e.Kind
}

// Kinds of ends.
const (
	NativeDeadlock = "deadlock"
	NativeLeak     = "leak"
	NativePanic    = "panic"
	NativeFatal    = "fatal error"
	NativeRace     = "data race"
	NativeFailed   = "failed test"
	NativeEnded    = "ended"
	NativeUnbuilt  = "unbuilt" // nothing has been run
)

// ReadNative reads what a gated program, or the go command, has printed. ok says that the exit code was 0.
func ReadNative(output string, ok bool) *NativeEnd {
	e := &NativeEnd{Waits: map[string]string{}}
	own, failed, unbuilt := "", false, false
	for line := range strings.Lines(output) {
		line = strings.TrimSuffix(line, "\n")
		said, isOwn := strings.CutPrefix(line, "cdpor: ")
		panicked, panics := strings.CutPrefix(line, "panic: ")
		fatal, dies := strings.CutPrefix(line, "fatal error: ")
		who, where, waits := strings.Cut(said, " waits at ")
		switch {
		case isOwn && waits:
			place, _, _ := strings.Cut(where, " [")
			e.Waits[who] = place
		case isOwn && strings.HasPrefix(said, "Go did not come to "):
			e.Missed = said
		case isOwn && said == "the test has failed", strings.HasPrefix(line, "--- FAIL: "):
			failed = true
		case isOwn:
			own = said
		case panics && e.Kind == "":
			panicked, _, _ = strings.Cut(panicked, " [recovered")
			e.Kind, e.Text = NativePanic, strings.TrimPrefix(panicked, "runtime error: ")
		case dies && e.Kind == "":
			e.Kind, e.Text = NativeFatal, fatal
		case strings.HasPrefix(line, "WARNING: DATA RACE"):
			e.Kind = NativeRace
		case !ok && (strings.HasPrefix(line, "# ") || strings.HasSuffix(line, " failed]")): // of the go command
			unbuilt = true
		}
	}
	switch {
	case e.Kind != "":
	case unbuilt && own == "" && len(e.Waits) == 0:
		e.Kind = NativeUnbuilt
	case failed:
		e.Kind = NativeFailed
	case own == NativeDeadlock || own == NativeLeak:
		e.Kind = own
	case own == "" && ok:
		e.Kind = NativeEnded
	case own != "":
		e.Text = own
	}
	return e
}

// Agrees reports whether Go ends as exploring has found. What the value of a panic is, exploring does not always know.
func (e *NativeEnd) Agrees(want *NativeEnd) bool {
	switch {
	case want.Kind == NativePanic && e.Kind == NativeFatal, want.Kind == NativePanic && e.Kind == NativePanic:
		before, after, _ := strings.Cut(want.Text, " the test ") // which Go calls by its name
		return strings.HasPrefix(want.Text, "a value of type ") || strings.HasPrefix(e.Text, before) &&
			strings.Contains(e.Text, after)
	}
	return e.Kind == want.Kind
}

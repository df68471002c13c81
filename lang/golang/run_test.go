package golang_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/explore/dpor"
	"cdpor/explore/native"
	"cdpor/explore/replay"
	"cdpor/lang/golang"
	lang "cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// The engine that reads programs and the one that runs them come to the same ends.

var (
	ranCount    = flag.Int("ran", 30, "random programs that both engines explore; the first has -seed")
	ranPrograms = flag.String("both", "", "programs of testdata/go that both engines explore: all, or names")
)

const (
	// shortlist are programs with operations of several kinds.
	shortlist = "lockorder,bothsendfirst,condwithoutloop,lostsignal,latelog"
	// mostRuns is how many executions a program has at most.
	mostRuns = 50_000
)

// TestRandomRun: random programs that are run come to the ends that are explored in what is read off their text: no
// other ones, and all of them. Longer: -args -ran=20000 -seed=S.
func TestRandomRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	compared, long, runs, ends := 0, 0, int64(0), map[string]int{}
	for first := 0; first < *ranCount; first += batch {
		var list []*randomProgram
		for k := first; k < min(first+batch, *ranCount); k++ {
			list = append(list, newRandomProgram(*firstSeed+uint64(k)))
		}
		dir := writePrograms(t, list, false, "package main\n\nfunc main() {}\n")
		if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(randomTests(list)), 0o666); err != nil {
			t.Fatal(err)
		}
		set, err := golang.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		test := ranTests(t, dir, false)
		for k, p := range list {
			read := endsRead(t, set, dir, fmt.Sprint("P", k))
			if read == nil {
				continue
			}
			// of every other program sends and receives are in conflict by their numbers, as for cdpor run
			ran, n, all := endsRun(t, test, fmt.Sprint("TestP", k), read, native.Options{Plain: k%2 == 1,
				Algorithm: []*dpor.Algorithm{dpor.OptimalAlgorithm, dpor.SourceAlgorithm}[k/2%2]})
			if runs += n; !all {
				long++
				continue
			}
			compared++
			for _, e := range ran {
				if e != "deadlock" && e != "panic" {
					e = "values"
				}
				ends[e]++
			}
			want := read.ends
			if strings.Contains(p.Source("0", false), "defer func() {\n") && slices.Contains(want, "panic") {
				// exploring takes a panic that nobody recovers from for the end; Go makes the deferred calls first
				either := func(e string) bool { return e == "panic" || e == "deadlock" }
				want, ran = slices.DeleteFunc(slices.Clone(want), either), slices.DeleteFunc(ran, either)
			}
			if strings.Contains(p.Source("0", false), "range m {") { // which has one order where the program is run
				want = slices.DeleteFunc(slices.Clone(want), func(e string) bool { return !slices.Contains(ran, e) })
			}
			if !slices.Equal(ran, want) {
				t.Errorf("seed %d: the program that is run ends with %q, what is read with %q\n%s",
					*firstSeed+uint64(first+k), ran, want, p.Source("0", false))
			}
		}
	}
	t.Logf("%d programs, %d compared by %d executions, %d have too many; ends: %v", *ranCount, compared, runs, long,
		ends)
	if compared < *ranCount/2 {
		t.Errorf("only %d of %d programs were compared", compared, *ranCount)
	}
}

// randomTests is a file with a test for each program. It says what was recorded when nobody can go on: then time
// passes.
func randomTests(list []*randomProgram) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n")
	for k, p := range list {
		names := p.Records(fmt.Sprint(k))
		fmt.Fprintf(&b, "\nfunc TestP%d(t *testing.T) {\n\t%s\n\tP%[1]d()\n\ttime.Sleep(time.Hour)\n\tt.Logf(\"values:",
			k, strings.Join(names, " = 0\n\t")+" = 0")
		for _, name := range names {
			fmt.Fprintf(&b, " %s=%%d", name)
		}
		fmt.Fprintf(&b, "\", %s)\n}\n", strings.Join(names, ", "))
	}
	return b.String()
}

// ranTests builds the tests of a folder with gates.
func ranTests(t *testing.T, dir string, races bool) *lang.Test {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := lang.Installed(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	test, err := lang.Build(t.Context(), tools, dir, t.TempDir(), "", races)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// endsRead are the ends of a program that is read, nil if they are too many or a bound was hit.
func endsRead(t *testing.T, set *golang.Set, dir, name string) *endSet {
	t.Helper()
	p, err := set.Program(t.Context(), golang.Options{Path: dir, Func: name})
	if err != nil {
		t.Fatal(err)
	}
	m := machine(t, p)
	res, err := explore.Run(t.Context(), m, dpor.OptimalAlgorithm, explore.Options{MaxExecutions: 5000})
	if err != nil {
		t.Fatal(err)
	}
	if res.Stopped != explore.StoppedComplete || len(m.BoundsHit()) > 0 {
		return nil
	}
	ends := &endSet{}
	for _, o := range m.Program.Observe {
		ends.names = append(ends.names, o.Name)
	}
	for i := range res.Outcomes.Len() {
		ends.ends = append(ends.ends, valuesText(ends.names, res.Outcomes.At(i).Words))
	}
	for _, v := range res.Violations {
		if v.Kind == explore.DeadlockFound {
			ends.ends = append(ends.ends, "deadlock")
		} else {
			ends.ends = append(ends.ends, "panic")
		}
	}
	slices.Sort(ends.ends)
	ends.ends = slices.Compact(ends.ends)
	return ends
}

// endsRun are the ends of a program that is run, with the values that another set of ends has, the number of
// executions, and whether these are all that there are.
func endsRun(t *testing.T, test *lang.Test, name string, read *endSet, opt native.Options) (ends []string, runs int64,
	all bool) {
	t.Helper()
	p := lang.Start(test, name)
	defer p.Close()
	found := map[string]bool{}
	opt.Executions, opt.Events, opt.All = mostRuns, 1000, true
	opt.Seen = func(r *lang.Record) {
		switch r.End {
		case lang.Crashed:
			found["panic"] = true
		case lang.Stuck:
			found["deadlock"] = true
		case lang.Ended:
			_, values, said := strings.Cut(r.Text, "values:")
			values, _, _ = strings.Cut(values, "\n")
			if found[read.kept(values)] = true; !said {
				t.Errorf("%s: an execution says %q", name, r.Text)
			}
		}
	}
	res, err := native.Search(t.Context(), p, opt)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	all = res.Stopped != native.StoppedExecutions
	if res.Unlike != "" || all && res.Stopped != "" || res.Cut > 0 {
		t.Errorf("%s: %+v", name, res)
	}
	return slices.Sorted(maps.Keys(found)), res.Runs, all
}

// TestProgramsRun: the programs of testdata/go end in the same ways by both engines, and a schedule of each kind of
// finding shows it when the program is run. -args -both=all is about all programs, with the race detector.
func TestProgramsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	set, err := golang.Open(t.Context(), folder+"/...")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(cmp.Or(*ranPrograms, shortlist), ",")
	if *ranPrograms == "all" {
		names = slices.Sorted(maps.Keys(programs))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(folder, name)
			test := ranTests(t, dir, *ranPrograms != "")
			for _, name := range []string{"TestBug", "TestFixed"} {
				p, err := set.Program(t.Context(), golang.Options{Path: dir, Func: name})
				if err != nil {
					t.Fatal(err)
				}
				sameFindings(t, p, test, name)
			}
		})
	}
}

// differs are programs that the engines judge in different ways, and why.
var differs = map[string]string{
	"watchdog": "what waits for a timer only to fail the test is no way out of a deadlock, where it is read",
	"maporder": "a range over a map has one order when it is run",
}

// sameFindings compares what both engines find in a test. Behind a data race the kinds of ends are nobody's promise.
func sameFindings(t *testing.T, p *golang.Program, test *lang.Test, name string) {
	t.Helper()
	m := machine(t, p)
	res, err := explore.Run(t.Context(), m, dpor.OptimalAlgorithm, explore.Options{MaxExecutions: 5000})
	if err != nil {
		t.Fatal(err)
	}
	read := map[native.Kind][]int32{}
	for _, v := range res.Violations {
		kind := findingKind(m, v)
		if old, known := read[kind]; !known || len(v.Schedule) < len(old) {
			read[kind] = v.Schedule
		}
	}
	process := lang.Start(test, name)
	defer process.Close()
	ran, err := native.Search(t.Context(), process, native.Options{Algorithm: dpor.OptimalAlgorithm, All: true,
		Executions: mostRuns, Events: 1000, Random: 20, Early: true})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[native.Kind]bool{}
	for _, f := range ran.Findings {
		kinds[f.Kind] = true
	}
	for kind, schedule := range read {
		r, _, err := native.Force(t.Context(), process, m, schedule, p.Paths(), 1000)
		if err != nil {
			t.Errorf("%s: %s: %v", name, kind, err)
		} else if got := native.Judge(r); got != kind {
			t.Logf("%s: along a schedule of a %s the program that is run ends with %q", name, kind, got)
		}
	}
	_, races := read[native.Race]
	switch was := slices.Sorted(maps.Keys(read)); {
	case differs[filepath.Base(p.Dir())] != "":
	case races || kinds[native.Race]:
		_, crash := read[native.Crash] // closing beside a send is a race as well, for the detector of Go
		if !kinds[native.Race] || !races && !(crash && kinds[native.Crash]) {
			t.Errorf("%s: what is read has %q, the program that is run %v", name, was, kinds)
		}
	case !slices.Equal(was, slices.Sorted(maps.Keys(kinds))):
		t.Errorf("%s: what is read has %q, the program that is run %v; %s", name, was, kinds, ran.Stopped)
	}
}

// findingKind is what the other engine calls a violation.
func findingKind(m *step.Machine, v *explore.Violation) native.Kind {
	switch {
	case v.Kind == explore.DeadlockFound:
		return native.Kind(replay.DeadlockName(m, v.Words))
	case v.Fault == step.Race:
		return native.Race
	case v.Fault == step.Panicked:
		return native.Crash
	}
	return native.Failed
}

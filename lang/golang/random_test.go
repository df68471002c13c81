package golang_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/oracle"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

var (
	programCount = flag.Int("n", 60, "random programs")
	firstSeed    = flag.Uint64("seed", 1, "of the first random program; the others follow")
	nativeRuns   = flag.Int("runs", 30, "native runs of each random program")
)

// solveEvery is for which programs constraints are synthesised: each of this number.
const solveEvery = 10

// batch is how many programs are loaded and built together.
const batch = 100

// TestRandom: random programs come to the same ends with each algorithm as in all interleavings, none of them has a
// data race, and what they do when Go runs them is among that. Longer: -args -n=20000 -runs=200 -seed=S.
func TestRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	compared, large, ends := 0, 0, map[string]int{}
	for first := 0; first < *programCount; first += batch {
		var list []*randomProgram
		for k := first; k < min(first+batch, *programCount); k++ {
			list = append(list, newRandomProgram(*firstSeed+uint64(k)))
		}
		explored := exploreAll(t, list, func(k int) string { return fmt.Sprint("seed ", *firstSeed+uint64(first+k)) })
		native := runNatively(t, list, *nativeRuns, "5ms", -1, "")
		for k, p := range list {
			name := fmt.Sprintf("seed %d", *firstSeed+uint64(first+k))
			if explored[k] == nil {
				large++
				continue
			}
			compared++
			for _, e := range slices.Sorted(maps.Keys(native[k])) {
				kind := e
				if strings.Contains(e, "=") {
					kind = "normal"
				}
				ends[kind]++
				if explored[k].has(e) {
					continue
				}
				if e == "deadlock" && explored[k].has("panic") &&
					strings.Contains(p.Source("0", false), "defer func() {\n") {
					// exploring takes a panic that nobody recovers from for the end; Go makes the deferred calls first
					continue
				}
				// A slow run may have been taken for a deadlock, and have gone on during the next one.
				if again := runNatively(t, list, 10**nativeRuns, "1s", k, e); again[k][e] {
					t.Errorf("%s: Go ends with %q, exploring with %q\n%s", name, e, explored[k], p.Source("0", false))
				}
			}
		}
	}
	t.Logf("%d programs compared, %d too large; native ends: %d normal, %d deadlocks, %d panics", compared, large,
		ends["normal"], ends["deadlock"], ends["panic"])
	if compared < *programCount/2 {
		t.Errorf("only %d of %d programs were compared", compared, *programCount)
	}
}

// An endSet is the ends of a program: what was recorded, name=value, or deadlock or panic.
type endSet struct {
	ends  []string
	names []string // of the variables that appear
}

func (s *endSet) String() string { return strings.Join(s.ends, ", ") }

// has reports whether an end that was seen natively, with all variables, is in the set.
func (s *endSet) has(native string) bool { return slices.Contains(s.ends, s.kept(native)) }

// kept is an end without the variables that do not appear.
func (s *endSet) kept(native string) string {
	var kept []string
	for _, f := range strings.Fields(native) {
		if name, _, isValue := strings.Cut(f, "="); !isValue || slices.Contains(s.names, name) {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " ")
}

func writePrograms(t *testing.T, list []*randomProgram, pauses bool, more string) string {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	b.WriteString("package main\n\n" + randomImports)
	for k, p := range list {
		b.WriteString(p.Source(fmt.Sprint(k), pauses))
	}
	for name, text := range map[string]string{"go.mod": "module random\n\ngo 1.26\n", "p.go": b.String(),
		"main.go": more} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// exploreAll explores programs; nil stands for one that is too large.
func exploreAll(t *testing.T, list []*randomProgram, name func(int) string) (all []*endSet) {
	dir := writePrograms(t, list, false, "package main\n\nfunc main() {}\n")
	set, err := golang.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	solve, err := newSolver()
	if err != nil {
		t.Fatal(err)
	}
	for k := range list {
		p, err := set.Program(t.Context(), golang.Options{Path: dir, Func: fmt.Sprint("P", k)})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name(k), err, list[k].Source("0", false))
		}
		m, file := machine(t, p), ""
		if k%solveEvery == 0 {
			if file, err = solve(m); err != nil {
				t.Fatalf("%s: %v\n%s", name(k), err, list[k].Source("0", false))
			}
		}
		ends, err := endsOf(t, m, file)
		if err != nil {
			t.Errorf("%s: %v\n%s", name(k), err, list[k].Source("0", false))
		}
		all = append(all, ends)
	}
	return all
}

// endsOf explores a program with all algorithms, also with the conditions of a constraint file if there is one; nil if
// it is too large, or a bound was hit.
func endsOf(t *testing.T, m *step.Machine, file string) (*endSet, error) {
	const maxStates = 60_000
	fresh := m.Fresh()
	g, err := oracle.Search(fresh, maxStates)
	if errors.Is(err, oracle.ErrLimit) || len(fresh.BoundsHit()) > 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	outcome, err := explore.NewValuation(fresh)
	if err != nil {
		return nil, err
	}
	want := &endSet{}
	for _, o := range m.Program.Observe {
		want.names = append(want.names, o.Name)
	}
	for _, s := range g.Terminals {
		switch fresh.EndingOf(s) {
		case step.Ended:
			want.ends = append(want.ends, valuesText(want.names, outcome.Words(nil, s)))
		case step.Deadlocked:
			want.ends = append(want.ends, "deadlock")
		case step.Failed:
			for p := range fresh.NumProcs() {
				if _, node, failed := fresh.Failure(s, p); failed && node.Fault != step.Panicked {
					return nil, fmt.Errorf("%s: %s", node.Fault, node.Msg)
				}
			}
			want.ends = append(want.ends, "panic")
		}
	}
	slices.Sort(want.ends)
	want.ends = slices.Compact(want.ends)
	for _, c := range searches(m, file) {
		opt := c.opt
		opt.MaxExecutions = maxExecutions
		res, err := explore.Run(t.Context(), c.m, c.a, opt)
		if err != nil {
			return nil, err
		}
		if err := sameEnds(res, want); err != nil {
			return want, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return want, nil
}

// maxExecutions is how many executions an algorithm makes at most of a random program.
const maxExecutions = 50_000

// A search is a way to explore a program.
type search struct {
	name string
	m    *step.Machine
	a    *explore.Algorithm
	opt  explore.Options
}

// searches are all ways to explore a program: each algorithm, with visited states where it can have them, and with the
// conditions of a constraint file, if there is one.
func searches(m *step.Machine, file string) (list []search) {
	for _, a := range explore.Algorithms() {
		list = append(list, search{a.Name, m.Fresh(), a, explore.Options{}})
		if a.Visits {
			list = append(list, search{a.Name + " --visited", m.Fresh(), a, explore.Options{Visited: true}})
		}
		if !a.Constraints || file == "" {
			continue
		}
		with := m.Fresh()
		set, err := constraints.Load(with.Program, "random.constraints.yaml", []byte(file))
		if err != nil {
			panic(err) // what has been synthesised can be read again
		}
		for _, visited := range []bool{false, true} {
			if !visited || a.Visits {
				list = append(list, search{fmt.Sprint(a.Name, " with constraints, visited ", visited), with, a,
					explore.Options{Conditions: set.Compile(with), Visited: visited}})
			}
		}
	}
	return list
}

// sameEnds compares what a search has found with the ends of all interleavings. One that was not over may have found
// less.
func sameEnds(res *explore.Result, want *endSet) error {
	var found []string
	for i := range res.Outcomes.Len() {
		found = append(found, valuesText(want.names, res.Outcomes.At(i).Words))
	}
	for _, v := range res.Violations {
		switch {
		case v.Kind == explore.DeadlockFound:
			found = append(found, "deadlock")
		case v.Kind == explore.FailedStep && v.Fault == step.Panicked:
			found = append(found, "panic")
		default:
			return fmt.Errorf("%s %s", v.Kind, v.Fault)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if res.Stopped != explore.StoppedComplete {
		for _, e := range found {
			if !slices.Contains(want.ends, e) {
				return fmt.Errorf("it ends with %q, all interleavings with %q", e, want.ends)
			}
		}
		return nil
	}
	if !slices.Equal(found, want.ends) {
		return fmt.Errorf("it ends with %q, all interleavings with %q", found, want.ends)
	}
	return nil
}

func valuesText(names []string, words []int64) string {
	var list []string
	for k, n := range names {
		list = append(list, fmt.Sprintf("%s=%d", n, words[k]))
	}
	return strings.Join(list, " ")
}

// runNatively builds programs and runs each several times, with pauses: what each ends with. only is the number of the
// only one to run, -1 if all are to be, and that until it has come to an end, or for a minute. A program in which
// nothing happens for a time is taken for deadlocked.
func runNatively(t *testing.T, list []*randomProgram, runs int, stuck string, only int, until string) (
	found []map[string]bool) {
	t.Helper()
	var table bytes.Buffer
	for k, p := range list {
		names := p.Records(fmt.Sprint(k))
		fmt.Fprintf(&table, "\t{%q, P%d, []*int{&%s}},\n", names, k, strings.Join(names, ", &"))
	}
	text := strings.Replace(nativeMain, "\t// programs\n", strings.ReplaceAll(table.String(), `" "`, `", "`), 1)
	text = strings.ReplaceAll(text, "{[", "{[]string{")
	text = strings.ReplaceAll(text, "], P", "}, P")
	dir := writePrograms(t, list, true, text)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "native", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "native"), fmt.Sprint(runs), stuck,
		fmt.Sprint(only), until).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	found = make([]map[string]bool, len(list))
	for k := range found {
		found[k] = map[string]bool{}
	}
	for line := range strings.Lines(string(out)) {
		k, end, _ := strings.Cut(strings.TrimSpace(line), ":")
		var n int
		if _, err := fmt.Sscan(k, &n); err != nil {
			t.Fatalf("the native run printed %q", line)
		}
		found[n][end] = true
	}
	return found
}

// nativeMain runs the programs of a table.
const nativeMain = `package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

var programs = []struct {
	names  []string
	run    func()
	values []*int
}{
	// programs
}

var progress, live atomic.Int64
var failed atomic.Bool

func pause() {
	progress.Add(1)
	switch rand.IntN(5) {
	case 0, 1:
		runtime.Gosched()
	case 2:
		for range rand.IntN(20) {
			runtime.Gosched()
		}
	case 3:
		if rand.IntN(4) == 0 {
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
		}
	}
}

func enter() { live.Add(1) }

func leave() {
	if recover() != nil {
		failed.Store(true)
	}
	progress.Add(1)
	live.Add(-1)
}

// quiet waits until all goroutines have ended, or nothing has happened for a time.
func quiet(stuck time.Duration) bool {
	last, since := progress.Load(), time.Now()
	for live.Load() > 0 {
		runtime.Gosched()
		if now := progress.Load(); now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > stuck {
			return false
		} else if time.Since(since) > 200*time.Microsecond {
			time.Sleep(100 * time.Microsecond)
		}
	}
	return true
}

func main() {
	runs, _ := strconv.Atoi(os.Args[1])
	stuck, _ := time.ParseDuration(os.Args[2])
	for k, p := range programs {
		only, begun := os.Args[3] != "-1", time.Now()
		if only && os.Args[3] != strconv.Itoa(k) {
			continue
		}
		seen := map[string]bool{}
		for n := range runs {
			if only && (seen[os.Args[4]] || time.Since(begun) > time.Minute) {
				break
			}
			runtime.GOMAXPROCS([]int{1, 2, 8}[n%3])
			for _, v := range p.values {
				*v = 0
			}
			live.Store(0)
			failed.Store(false)
			enter()
			go func() {
				defer leave()
				p.run()
			}()
			ended := quiet(stuck)
			end := ""
			switch {
			case failed.Load():
				end = "panic"
			case !ended:
				end = "deadlock"
			default:
				for i, v := range p.values {
					if i > 0 {
						end += " "
					}
					end += fmt.Sprintf("%s=%d", p.names[i], *v)
				}
			}
			if !seen[end] {
				seen[end] = true
				fmt.Printf("%d:%s\n", k, end)
			}
		}
	}
}
`

package golang_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/lang/golang"
	"cdpor/lang/golang/internal/random"
	"cdpor/lang/step"
)

var (
	followedCount = flag.Int("followed", 12, "random programs whose schedules Go follows; the first has -seed")
	shrink        = flag.Bool("shrink", false, "look for a smaller program with a difference, which takes long")
	followedEach  = flag.Int("each", 3, "random schedules of each of them, beside one of each outcome and violation")
)

// TestFollowRandom: what exploring says of the end of each schedule of a random program, Go does when it follows that.
// So models allow nothing that Go does not do. Longer: -args -followed=2000 -each=100 -seed=S.
func TestFollowRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	ends := map[string]int{}
	for first := 0; first < *followedCount; first += batch {
		var list []*random.Program
		for k := first; k < min(first+batch, *followedCount); k++ {
			list = append(list, random.New(*firstSeed+uint64(k)))
		}
		for k, different := range follow(t, list, ends) {
			if different == "" {
				continue
			}
			p := list[k]
			for q := p; q != nil && *shrink; { // a smaller program with a difference
				smaller := q.Smaller()
				q = nil
				for i, d := range follow(t, smaller, map[string]int{}) {
					if d != "" {
						p, different, q = smaller[i], d, smaller[i]
						break
					}
				}
			}
			t.Errorf("seed %d: %s\n%s", *firstSeed+uint64(first+k), different, p.Source("0", false))
		}
	}
	schedules := 0
	for _, n := range ends {
		schedules += n
	}
	t.Logf("%d programs, %d schedules; ends: %v", *followedCount, schedules, ends)
	if schedules == 0 {
		t.Error("no schedule was followed")
	}
}

// An ending is how exploring says that a schedule ends.
type ending struct {
	schedule []int32
	end      string // as in an endSet
}

// endings are those of schedules of a program: one of each outcome and of each violation that a search finds, and some
// that take random steps.
func endings(t *testing.T, p *golang.Program, walks int, seed uint64) (list []ending, names []string) {
	t.Helper()
	alg, err := explore.Find("optimal")
	if err != nil {
		t.Fatal(err)
	}
	m := machine(t, p)
	res, err := explore.Run(t.Context(), m, alg, explore.Options{MaxExecutions: 5000})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range m.Program.Observe {
		names = append(names, o.Name)
	}
	for i := range res.Outcomes.Len() {
		o := res.Outcomes.At(i)
		list = append(list, ending{o.Schedule, valuesText(names, o.Words)})
	}
	for _, v := range res.Violations {
		end := "panic"
		if v.Kind == explore.DeadlockFound {
			end = "deadlock"
		}
		list = append(list, ending{v.Schedule, end})
	}
	values, err := explore.NewValuation(m)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 30))
	for range walks {
		schedule, s := walk(m, random)
		e := ending{schedule: schedule}
		switch m.EndingOf(s) {
		case step.Ended:
			e.end = valuesText(names, values.Words(nil, s))
		case step.Deadlocked:
			e.end = "deadlock"
		case step.Failed:
			e.end = "panic"
		default:
			continue
		}
		same := func(o ending) bool { return slices.Equal(o.schedule, schedule) }
		if !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list, names
}

// walk takes random steps until none is possible.
func walk(m *step.Machine, random *rand.Rand) (schedule []int32, s step.State) {
	r := m.NewRunner()
	s = m.Initial()
	for len(schedule) < 2000 {
		var can []int32
		for a := range m.NumActions() {
			if p := m.ProcOf(a); r.Enabled(s, p) && r.CanTake(s, a) {
				can = append(can, int32(a))
			}
		}
		if len(can) == 0 || m.EndingOf(s) == step.Failed {
			break
		}
		a := can[random.IntN(len(can))]
		r.Take(s, int(a))
		schedule = append(schedule, a)
	}
	return schedule, s
}

// follow lets Go follow schedules of programs, and returns the first difference of each program. ends counts how they
// end. Programs that do not compile, as smaller ones may not, are left out.
func follow(t *testing.T, list []*random.Program, ends map[string]int) (different map[int]string) {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module random\n\ngo 1.26\n")
	different = map[int]string{}
	files := map[string][]byte{}
	imports, table := "", ""
	followed := map[int][]ending{}
	texts := map[int][]string{}
	for k, p := range list {
		write(fmt.Sprintf("p%d/p.go", k), fmt.Sprintf("package p%d\n\n%s%s", k, random.Imports, p.Source("0", false)))
	}
	set, err := golang.Open(t.Context(), root+"/...")
	if err != nil {
		return followEach(t, list, ends, err)
	}
	for k := range list {
		dir := filepath.Join(root, fmt.Sprint("p", k))
		p, err := set.Program(t.Context(), golang.Options{Path: dir, Func: "P0"})
		if err != nil {
			t.Fatal(err)
		}
		endings, names := endings(t, p, *followedEach, uint64(k))
		if len(endings) == 0 {
			continue
		}
		g, err := p.Gate()
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(files, g.Files)
		files[g.Schedule] = nil
		delete(files, filepath.Join(dir, "cdpor_main_test.go"))
		m := machine(t, p)
		for _, e := range endings {
			s, err := g.Follow(m, e.schedule)
			if err != nil {
				t.Fatal(err)
			}
			texts[k] = append(texts[k], s.Text)
		}
		followed[k] = endings
		values := ""
		for _, n := range names {
			values += fmt.Sprintf("print(\" %s=\", %s)\n", n, n)
		}
		files[filepath.Join(dir, "values.go")] = fmt.Appendf(nil, "package p%d\n\nfunc Values() {\n%s}\n", k, values)
		imports += fmt.Sprintf("\t\"random/p%d\"\n", k)
		table += fmt.Sprintf("\t\"%d\": {p%[1]d.P0, p%[1]d.Values},\n", k)
	}
	if len(followed) == 0 {
		return nil
	}
	write("main.go", strings.NewReplacer("// imports\n", imports, "// programs\n", table).Replace(followMain))
	binary := filepath.Join(root, "followed")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay="+overlayOf(t, files), "-o", binary, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for k, endings := range followed {
		for i, e := range endings {
			got, out := runGated(t, binary, fmt.Sprint(k), texts[k][i])
			kind := e.end
			if strings.Contains(kind, "=") {
				kind = "normal"
			}
			ends[kind]++
			deferred := strings.Contains(list[k].Source("0", false), "defer func() {\n")
			if e.end == "panic" && got == "deadlock" && deferred {
				continue // Go makes the deferred calls first (TestRandom)
			}
			if got != e.end && different[k] == "" {
				different[k] = fmt.Sprintf("exploring ends with %q, Go with %q\n%s\n%s", e.end, got, texts[k][i], out)
			}
		}
	}
	return different
}

// followEach is follow for each program alone, as some do not compile.
func followEach(t *testing.T, list []*random.Program, ends map[string]int, why error) map[int]string {
	t.Helper()
	if len(list) == 1 {
		t.Logf("left out: %v", why)
		return nil
	}
	different := map[int]string{}
	for k, p := range list {
		different[k] = follow(t, []*random.Program{p}, ends)[0]
	}
	return different
}

// followMain runs one of several programs.
const followMain = `package main

import (
	"os"

	"random/cdporgate"
// imports
)

var programs = map[string]struct{ run, values func() }{
// programs
}

func main() {
	p := programs[os.Args[1]]
	p.run()
	cdporgate.Finish(0)
	print("values")
	p.values()
	print("\n")
}
`

// runGated lets a gated program follow a schedule, and returns its end as that of an endSet.
func runGated(t *testing.T, binary, number, schedule string) (end, output string) {
	t.Helper()
	file := filepath.Join(filepath.Dir(binary), "schedule")
	if err := os.WriteFile(file, []byte(schedule), 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), binary, number)
	run.Env = append(os.Environ(), "CDPOR_SCHEDULE="+file)
	text, err := run.CombinedOutput()
	e := golang.ReadNative(string(text), err == nil)
	switch e.Kind {
	case golang.NativeDeadlock, golang.NativeLeak:
		return "deadlock", string(text)
	case golang.NativePanic, golang.NativeFatal:
		return "panic", string(text)
	}
	_, values, _ := strings.Cut(string(text), "values ")
	values, _, _ = strings.Cut(values, "\n")
	return values, string(text)
}

package explore

import (
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestCrashes compares what random programs in which threads crash can come to, with what the definition says: the same
// program without the section, in which at any time a process may be taken out for ever. Processes that wait for ever
// are told apart by the text of the program, too.
func TestCrashes(t *testing.T) {
	n := max(300, *programs/4)
	compared, waiting := 0, 0
	for i := range int64(n) {
		rng := rand.New(rand.NewSource(*seed*7_919 + i))
		for {
			c := random.Draw(rng)
			c.Crashes, c.Daemons, c.Spawns, c.Actors = true, rng.Intn(2) == 0, false, false
			c.Threads, c.Steps = min(c.Threads, 3), min(c.Steps, 3)
			text := random.Program(rng, c)
			rests, err := compareCrashes(text)
			if errors.Is(err, oracle.ErrLimit) {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", i, err, text)
			}
			compared++
			waiting += rests
			break
		}
	}
	t.Logf("%d programs, %d ends in which somebody waits", compared, waiting)
	if waiting == 0 {
		t.Error("that says little")
	}
}

var crashesLine = regexp.MustCompile(`(?m)^crashes: \{(?:count: (\d+))?(?:, )?of: \[(.*)\]\}\n`)

// compareCrashes compares one program, and counts ends that are no deadlock although somebody waits.
func compareCrashes(text string) (rests int, err error) {
	section := crashesLine.FindStringSubmatch(text)
	most := 1
	if section[1] == "2" {
		most = 2
	}
	plain, err := load(strings.Replace(text, section[0], "", 1))
	if err != nil {
		return 0, err
	}
	with, err := load(text)
	if err != nil {
		return 0, err
	}
	d := &definition{m: plain, text: text, most: most, may: strings.Split(section[2], ", ")}
	if err := d.search(); err != nil {
		return 0, err
	}
	got, err := d.project(with)
	if err != nil {
		return 0, err
	}
	for _, key := range slices.Sorted(maps.Keys(d.found)) {
		if end, there := got[key]; !there || end != d.found[key] {
			return 0, fmt.Errorf("%s: %q, not %q", key, end, d.found[key])
		}
		if d.found[key] == "end" && strings.Contains(key, " at ") {
			rests++
		}
	}
	for key := range got {
		if _, there := d.found[key]; !there {
			return 0, fmt.Errorf("%s: nothing leads there", key)
		}
	}
	return rests, nil
}

// A definition is a program without crashes, and what it can come to if processes are taken out: each state with those
// that are out, and what kind of end it is, if any.
type definition struct {
	m     *step.Machine
	text  string
	most  int
	may   []string
	found map[string]string
}

func (d *definition) search() error {
	d.found = map[string]string{}
	type place struct {
		s    step.State
		gone map[string]bool
	}
	r := d.m.NewRunner()
	todo := []place{{d.m.Initial(), map[string]bool{}}}
	visit := func(p place) {
		if key := d.key(d.m, p.s, p.gone); d.found[key] == "" {
			d.found[key] = "goes on"
			todo = append(todo, p)
		}
	}
	d.found[d.key(d.m, todo[0].s, todo[0].gone)] = "goes on"
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(d.found) > maxStates {
			return oracle.ErrLimit
		}
		stuck := true
		for a := range d.m.NumActions() {
			if p.gone[d.m.Program.Procs[d.m.ProcOf(a)].Name] || !r.CanTake(p.s, a) {
				continue
			}
			stuck = false
			next := slices.Clone(p.s)
			r.Take(next, a)
			visit(place{next, p.gone})
		}
		if stuck {
			d.found[d.key(d.m, p.s, p.gone)] = d.end(p.s, p.gone)
		}
		for _, proc := range d.m.Program.Procs {
			if len(p.gone) < d.most && !p.gone[proc.Name] && slices.Contains(d.may, proc.Template.Name) {
				gone := maps.Clone(p.gone)
				gone[proc.Name] = true
				visit(place{p.s, gone})
			}
		}
	}
	return nil
}

// end says what a state is in which nobody can go on.
func (d *definition) end(s step.State, gone map[string]bool) string {
	if d.m.Void(s) {
		return "void"
	}
	for i, p := range d.m.Program.Procs {
		daemon := regexp.MustCompile(`(?m)^  ` + p.Template.Name + `:\n(    .*\n)*?    daemon: true\n`)
		if d.m.StepOf(s, i) != nil && !gone[p.Name] && !daemon.MatchString(d.text) {
			return "deadlock"
		}
	}
	return "end"
}

// key describes a state of a machine of the program, with or without crashes: the variables, where each process is, and
// who is out.
func (d *definition) key(m *step.Machine, s step.State, gone map[string]bool) string {
	var b strings.Builder
	for _, v := range d.m.Program.Shared {
		i := slices.IndexFunc(m.Program.Shared, func(w *step.Var) bool { return w.Name == v.Name })
		from := m.Program.Shared[i].Offset
		fmt.Fprint(&b, v.Name, s[from:from+v.Type.Words()], " ")
	}
	for _, p := range d.m.Program.Procs {
		i := slices.IndexFunc(m.Program.Procs, func(q *step.Proc) bool { return q.Name == p.Name })
		from := m.LocalBase(i)
		fmt.Fprint(&b, p.Name, s[from:from+p.Template.LocalWords])
		if fault, node, failed := m.Failure(s, i); failed {
			fmt.Fprint(&b, fault, node.Pos, node.Text)
		} else if next := m.StepOf(s, i); next != nil {
			fmt.Fprint(&b, " at ", next.Index)
		} else {
			fmt.Fprint(&b, " ", m.Finished(s, i))
		}
		b.WriteString("; ")
	}
	fmt.Fprint(&b, slices.Sorted(maps.Keys(gone)))
	return b.String()
}

// project finds what the program with the section can come to, in the same words.
func (d *definition) project(m *step.Machine) (map[string]string, error) {
	found := map[string]string{}
	r := m.NewRunner()
	seen := map[string]bool{string(m.Initial().Bytes()): true}
	for todo := []step.State{m.Initial()}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(seen) > 20*maxStates {
			return nil, oracle.ErrLimit
		}
		gone, stuck := map[string]bool{}, true
		for i, p := range m.Program.Procs {
			if m.Crashed(s, i) {
				gone[p.Name] = true
			}
		}
		for a := range m.NumActions() {
			if !r.CanTake(s, a) {
				continue
			}
			stuck = false
			next := slices.Clone(s)
			r.Take(next, a)
			if !seen[string(next.Bytes())] {
				seen[string(next.Bytes())] = true
				todo = append(todo, next)
			}
		}
		key, end := d.key(m, s, gone), "goes on"
		if stuck {
			end = map[step.Ending]string{step.Ended: "end", step.Deadlocked: "deadlock"}[m.EndingOf(s)]
			if end == "" {
				end = "void"
			}
		}
		if found[key] == "" || stuck {
			found[key] = end
		}
	}
	return found, nil
}

package deadlock

import (
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"cdpor/lang/random"
	"cdpor/lang/step"
)

var (
	deadlocks = flag.Int("n", 600, "deadlocks of random programs to be explained")
	seed      = flag.Int64("seed", 1, "of the first program; the others follow")
)

// TestClaims: what is said of the deadlocks of random programs holds by definitions of its own: the words of the
// state, the schedule replayed, the code as a graph, and what happens when waiting processes are let go on as if
// what they wait for had come.
func TestClaims(t *testing.T) {
	tally := &tally{kinds: map[Kind]int{}, said: map[Kind]int{}, confirmed: map[Kind]int{}}
	for s := *seed; tally.deadlocks < *deadlocks; s++ {
		rng := rand.New(rand.NewSource(s))
		text := draw(rng)
		m := load(t, "random.yaml", []byte(text))
		x, seen := New(m), map[string]bool{}
		for range 12 {
			schedule, end := walk(m, rng)
			if end == nil || seen[string(end.Bytes())] {
				continue
			}
			seen[string(end.Bytes())] = true
			tally.deadlocks++
			c := &claims{m: m, r: m.NewRunner(), schedule: schedule, end: end, why: x.Explain(end, schedule),
				tally: tally}
			c.replay()
			c.check()
			if len(c.wrong) > 0 {
				said, wrong := strings.Join(c.why.Lines(), "\n"), strings.Join(c.wrong, "\n")
				t.Fatalf("seed %d\n%s\nschedule %v\n%s\n\n%s", s, text, schedule, said, wrong)
			}
		}
	}
	kinds := []Kind{Lock, Reader, Signal, Semaphore, Barrier, Group, Once, Receive, Send, Taken, Message, End, Actor,
		Data, Local}
	for _, kind := range kinds {
		t.Logf("%-10s %6d conditions; "+
			"of %6d claims that a process may make one true, %6d came true when it alone went on",
			kind, tally.kinds[kind], tally.said[kind], tally.confirmed[kind])
		if tally.kinds[kind] == 0 {
			t.Errorf("no deadlock waits for %s", kind)
		}
	}
	t.Logf("%d deadlocks, %d cycles, %d knots, %d signals", tally.deadlocks, tally.cycles, tally.knots, tally.signals)
	t.Logf("%d needs tried without those who may make them true (%d not to the end)", tally.tried, tally.limited)
	if tally.cycles == 0 || tally.knots == 0 || tally.signals == 0 || tally.tried < tally.deadlocks {
		t.Error("too little to look at")
	}
}

// draw writes a random program: one of lang/random, or one whose threads have waits inside of what others wait for.
func draw(rng *rand.Rand) string {
	if rng.Intn(2) == 0 {
		return random.Program(rng, waitingFor(rng))
	}
	var b strings.Builder
	b.WriteString("cdpor: 1\n")
	if rng.Intn(4) == 0 {
		b.WriteString("atomicity: access\n")
	}
	b.WriteString("shared:\n" +
		"  {m: mutex, n: mutex, fork: 'array[2] mutex', cv: cond, cw: cond, sp: cond(spurious), s: sem(1)," +
		" w: rwlock, br: barrier(2), on: once, wg: waitgroup, ch: 'chan[int, 1]', rd: 'chan[int]', a: int, b: int," +
		" t: 'array[2] int'}\nbounds: {w1: 4}\nthreads:\n")
	for p := range 2 + rng.Intn(3) {
		fmt.Fprintf(&b, "  p%d:\n    mailbox: int\n    run: |\n", p)
		for range 1 + rng.Intn(3) {
			b.WriteString("      " + nested(rng, 3) + "\n")
		}
	}
	fmt.Fprintf(&b, "  w1:\n    mailbox: int\n    params: [k int]\n    run: |\n      %s\ncheck: {deadlock: allowed}\n",
		nested(rng, 2))
	return b.String()
}

// nested writes a statement, often with others inside.
func nested(rng *rand.Rand, depth int) string {
	in := func() string {
		if depth == 0 {
			return "a += 1"
		}
		return nested(rng, depth-1)
	}
	list := []string{"await a > 0", "await b == 1 && a == 1", "await a > 1 || b == 1", "await t[a == 0 ? 0 : 1] > 0",
		"a = 1", "b = 1", "t[1] = 1", "cv.signal()", "cv.broadcast()", "cw.signal()", "sp.signal()", "br.wait()",
		"wg.add(1)", "wg.wait()", "if wg.count > 0 { wg.done() }", "send ch, 1", "a = recv ch", "send rd, 1",
		"b = recv rd", "p0!1", "p1!2", "receive { case x { a = x } }", "receive { case x if x > 1 { b = 1 } }",
		"select { case a = recv ch { b = 1 } case b = recv rd { a = 1 } }", "ch.close()"}
	if depth == 0 || rng.Intn(3) == 0 {
		return list[rng.Intn(len(list))]
	}
	switch rng.Intn(12) {
	case 0:
		return "with lock m { " + in() + "; " + in() + " }"
	case 1:
		return "with lock n { " + in() + " }"
	case 2:
		return "with lock fork[a == 0 ? 0 : 1] { " + in() + " }"
	case 3:
		return "with lock m { cv.wait(m); " + in() + " }"
	case 4:
		return "with lock n { cw.wait(n) }; " + in()
	case 5:
		return "s.acquire(); " + in() + "; s.release()"
	case 6:
		return "w.rlock(); " + in() + "; w.runlock()"
	case 7:
		return "w.wlock(); " + in() + "; w.wunlock()"
	case 8:
		return "once on { " + in() + " }"
	case 9:
		return "with lock m { sp.wait(m) }; " + in()
	case 10:
		if depth < 3 {
			return "spawn w1(1)"
		}
		h := fmt.Sprint("h", rng.Intn(1<<30))
		return "let " + h + " = spawn w1(1); " + in() + "; join " + h
	}
	return "if a == 0 { " + in() + " } else { " + in() + " }"
}

// waitingFor draws a configuration in which much is waited for, for programs longer than a search could exhaust.
func waitingFor(rng *rand.Rand) random.Config {
	if rng.Intn(3) == 0 {
		return random.Draw(rng)
	}
	c := random.Config{Threads: 2 + rng.Intn(3), Steps: 2 + rng.Intn(5), Vars: 2, Locals: true}
	for _, p := range []*bool{&c.Guards, &c.Locks, &c.Conds, &c.Sems, &c.RW, &c.Meets, &c.Chans, &c.Spawns, &c.Actors,
		&c.Mail, &c.Counted, &c.Choices, &c.Access, &c.Arrays, &c.Loops} {
		*p = rng.Intn(3) == 0
	}
	c.Locks = c.Locks || c.Conds
	if rng.Intn(3) == 0 {
		c = random.Config{Threads: 2, Steps: 3, Vars: 2, Locals: true, Guards: true, Actors: true}
	}
	return c
}

type tally struct {
	deadlocks, cycles, knots, signals, tried, limited int
	kinds, said, confirmed                            map[Kind]int
}

// walk takes steps at random until nothing is enabled. end is nil if that is no deadlock.
func walk(m *step.Machine, rng *rand.Rand) (schedule []int32, end step.State) {
	s, r := m.Initial(), m.NewRunner()
	schedule = []int32{}
	for range 300 {
		var can []int32
		for a := range m.NumActions() {
			if r.CanTake(s, a) {
				can = append(can, int32(a))
			}
		}
		if len(can) == 0 {
			if m.EndingOf(s) == step.Deadlocked {
				return schedule, s
			}
			return nil, nil
		}
		a := can[rng.Intn(len(can))]
		r.Take(s, int(a))
		schedule = append(schedule, a)
	}
	return nil, nil
}

// claims is an explanation that is looked at.
type claims struct {
	m        *step.Machine
	r        *step.Runner
	schedule []int32
	end      step.State
	states   []step.State // before each step, and the end
	why      *Explanation
	wrong    []string
	*tally
}

func (c *claims) replay() {
	s := c.m.Initial()
	for _, a := range c.schedule {
		c.states = append(c.states, slices.Clone(s))
		c.r.Take(s, int(a))
	}
	c.states = append(c.states, s)
}

func (c *claims) fail(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

func (c *claims) proc(name string) int {
	return slices.IndexFunc(c.m.Program.Procs, func(p *step.Proc) bool { return p.Name == name })
}

// shared is the first word of a shared variable, or of an element of one with elements of one word; -1 if there is
// none with that name.
func (c *claims) shared(name string) int {
	if base, index, ok := strings.Cut(name, "["); ok {
		var i int
		fmt.Sscanf(index, "%d]", &i)
		return c.shared(base) + i
	}
	for _, v := range c.m.Program.Shared {
		if v.Name == name {
			return v.Offset
		}
	}
	return -1
}

func (c *claims) check() {
	var unfinished, said []string
	for p, proc := range c.m.Program.Procs {
		if c.m.StepOf(c.end, p) != nil && !c.m.Crashed(c.end, p) {
			unfinished = append(unfinished, proc.Name)
		}
	}
	for i := range c.why.Waits {
		w := &c.why.Waits[i]
		said = append(said, w.Process)
		c.wait(w)
	}
	if !slices.Equal(unfinished, said) {
		c.fail("unfinished are %v, explained are %v", unfinished, said)
	}
	c.circles()
}

func (c *claims) wait(w *Wait) {
	p := c.proc(w.Process)
	if len(w.Needs) == 0 {
		c.fail("%s needs nothing", w.Process)
	}
	last := 0
	for i, a := range c.schedule {
		if c.m.ProcOf(int(a)) == p {
			last = i + 1
		}
	}
	if w.Since != last {
		c.fail("%s has waited since step %d, not %d", w.Process, last, w.Since)
	}
	for i := range w.Needs {
		n := &w.Needs[i]
		for k := range n.Any {
			c.kinds[n.Any[k].Kind]++
			c.condition(w, &n.Any[k])
		}
		c.actions(w, n)
		c.without(w, n)
	}
}

// condition looks at what is said of the state and of the schedule.
func (c *claims) condition(w *Wait, k *Condition) {
	p := c.proc(w.Process)
	if h := k.Holder; h != nil {
		q := c.proc(h.Process)
		if h.Self != (q == p) {
			c.fail("%s: %s is said to be itself", w.Process, h.Process)
		}
		if !c.holds(k, q, len(c.schedule)) {
			c.fail("%s: %s does not hold %s", w.Process, h.Process, k.What)
		}
		if h.Ended > 0 && (!c.m.Finished(c.states[h.Ended], q) || c.m.Finished(c.states[h.Ended-1], q)) {
			c.fail("%s: %s did not end with step %d", w.Process, h.Process, h.Ended)
		}
		if e := h.Taken; e != nil && k.Kind != Actor {
			c.event(e)
			if c.holds(k, q, e.Number-1) || !c.holds(k, q, e.Number) {
				c.fail("%s: %s did not take %s with step %d", w.Process, h.Process, k.What, e.Number)
			}
		} else if k.Kind != End && k.Kind != Actor {
			c.fail("%s: it is not said when %s took %s", w.Process, h.Process, k.What)
		}
	}
	if e := k.Last; e != nil {
		c.event(e)
		at := c.shared(k.What) // of a sem, a waitgroup, or a channel; 0 for its first word
		if k.Kind == Semaphore || k.Kind == Group || k.Kind == Receive || k.Kind == Send {
			for i := e.Number; i < len(c.states); i++ {
				if c.states[i][at] != c.end[at] {
					c.fail("%s: %s was changed after step %d", w.Process, k.What, e.Number)
				}
			}
			if c.states[e.Number-1][at] == c.end[at] {
				c.fail("%s: %s was not changed with step %d", w.Process, k.What, e.Number)
			}
		}
	}
	if k.Kind == Signal {
		if c.waits(k, p, k.Began-1) || c.m.ProcOf(int(c.schedule[k.Began-1])) != p {
			c.fail("%s did not begin to wait with step %d", w.Process, k.Began)
		}
		for i := k.Began; i < len(c.states); i++ {
			if !c.waits(k, p, i) {
				c.fail("%s is not among those who wait at %s", w.Process, k.What)
			}
		}
	}
	for i := range k.Signals {
		e := &k.Signals[i]
		c.signals++
		c.event(e)
		if !strings.Contains(e.Text, "signal") && !strings.Contains(e.Text, "broadcast") {
			c.fail("%s: %s is no signal", w.Process, e.Text)
		}
		if e.Woke != "" {
			q := c.proc(e.Woke)
			if !c.waits(k, q, e.Number-1) || c.waits(k, q, e.Number) || !c.waits(k, p, e.Number) {
				c.fail("%s: step %d did not wake %s", w.Process, e.Number, e.Woke)
			}
			continue
		}
		for q := range c.m.NumProcs() {
			if c.waits(k, q, e.Number-1) {
				c.fail("%s: somebody waited at step %d", w.Process, e.Number)
			}
		}
		if e.Number >= k.Began {
			c.fail("%s began to wait with step %d, not after %d", w.Process, k.Began, e.Number)
		}
	}
}

// event looks whether a step of the schedule is that of a process, and at a line of it.
func (c *claims) event(e *Event) {
	p := c.m.ProcOf(int(c.schedule[e.Number-1]))
	next := c.m.StepOf(c.states[e.Number-1], p)
	has := slices.ContainsFunc(next.Nodes, func(k int) bool {
		n := next.Template.Nodes[k]
		return n.Pos.Line == e.Line && n.Text == e.Text
	})
	if c.m.Program.Procs[p].Name != e.Process || !has {
		c.fail("step %d is not %s at line %d: %s", e.Number, e.Process, e.Line, e.Text)
	}
}

// waits asks the words of the condition variable of the random programs.
func (c *claims) waits(k *Condition, p, after int) bool {
	at := c.shared(k.What)
	return slices.Contains(c.states[after][at+1:at+1+int(c.states[after][at])], int64(p)+1)
}

// holds asks the words of what random programs have.
func (c *claims) holds(k *Condition, q, after int) bool {
	s := c.states[after]
	at := c.shared(k.What)
	switch k.Kind {
	case Lock: // a mutex, or the first word of an rwlock
		return s[at] == int64(q)+1
	case Reader:
		return s[at+1+q] == 1
	case Once: // begun and not done, by the one whose step began it
		if s[at] == 0 || s[at+1] == 1 {
			return false
		}
		for i := range after {
			if c.states[i][at] == 0 && c.states[i+1][at] == 1 {
				return c.m.ProcOf(int(c.schedule[i])) == q
			}
		}
		return false
	case End:
		return c.m.Program.Procs[q].Name == k.What && c.m.StepOf(s, q) != nil
	case Actor: // stands where it waits without giving the actor up
		next := c.m.StepOf(s, q)
		return next != nil && strings.Contains(next.Template.Nodes[next.Entry].Text, ".get()")
	}
	return false
}

// actions looks whether who could make a need true is unfinished, and comes to the place that is named.
func (c *claims) actions(w *Wait, n *Need) {
	for _, a := range n.Could {
		p := c.proc(a.Process)
		next := c.m.StepOf(c.end, p)
		switch {
		case a.Process == w.Process || next == nil:
			c.fail("%s: %s cannot do anything", w.Process, a.Process)
		case a.Started != "":
			if !c.reaches(next.Template, next.Entry, func(n *step.Node) bool { return n.Kind == step.Spawn }) {
				c.fail("%s: %s starts nothing", w.Process, a.Process)
			}
		case !c.reaches(next.Template, next.Entry, func(n *step.Node) bool {
			return n.Pos.Line == a.Line && n.Text == a.Text
		}):
			c.fail("%s: %s does not come to line %d: %s", w.Process, a.Process, a.Line, a.Text)
		}
	}
	for _, a := range n.Ended {
		p := c.proc(a.Process)
		if a.Ended > 0 && (c.m.Finished(c.states[a.Ended-1], p) || !c.m.Finished(c.states[a.Ended], p)) ||
			!c.m.Finished(c.end, p) && !c.m.Crashed(c.end, p) {
			c.fail("%s: %s did not end with step %d", w.Process, a.Process, a.Ended)
		}
	}
}

// reaches walks through the code.
func (c *claims) reaches(t *step.Template, from int, is func(*step.Node) bool) bool {
	seen := make([]bool, len(t.Nodes))
	var look func(k int) bool
	look = func(k int) bool {
		if k == step.End || seen[k] {
			return false
		}
		seen[k] = true
		n := t.Nodes[k]
		return is(n) || look(n.Next) || n.Kind == step.Branch && look(n.Else)
	}
	return look(from)
}

// without lets everybody go on, whatever they wait for, but those without whom a need is said not to come true: it
// must not. Then those alone who may make it true.
func (c *claims) without(w *Wait, n *Need) {
	p := c.proc(w.Process)
	bound := []int{p}
	for _, a := range n.Could {
		bound = append(bound, c.proc(a.Process))
	}
	if n.Only != "" {
		bound = append(bound, c.proc(n.Only))
	}
	c.tried++
	free := func(q int) bool { return !slices.Contains(bound, q) }
	f := &forced{claims: c, target: p, free: free, seen: map[string]bool{}, budget: 2000}
	if f.enables(slices.Clone(c.end)) {
		c.fail("%s goes on without %v", w.Process, bound)
	}
	if f.budget <= 0 {
		c.limited++
	}
	if len(w.Needs) > 1 {
		return
	}
	for _, a := range n.Could {
		kind := n.Any[0].Kind
		c.said[kind]++
		q := c.proc(a.Process)
		started := map[int]bool{}
		for r := range c.m.NumProcs() {
			started[r] = c.m.Asleep(c.end, r)
		}
		f := &forced{claims: c, target: p, free: func(r int) bool { return r == q || started[r] },
			seen: map[string]bool{}, budget: 300}
		if f.enables(slices.Clone(c.end)) {
			c.confirmed[kind]++
		}
	}
}

// forced lets processes take steps that are not enabled.
type forced struct {
	*claims
	target int
	free   func(proc int) bool
	seen   map[string]bool
	budget int
}

// enables reports whether the target gets enabled. Nobody takes a lock or a place in a channel while somebody has
// it, or frees an actor that somebody holds who stands still: that cannot happen even to those who wait for
// nothing.
func (f *forced) enables(s step.State) bool {
	if f.seen[string(s.Bytes())] || f.budget <= 0 {
		return false
	}
	f.seen[string(slices.Clone(s).Bytes())] = true
	f.budget--
	if f.r.Enabled(s, f.target) {
		return true
	}
	for a := range f.m.NumActions() {
		q := f.m.ProcOf(a)
		if !f.free(q) || f.m.StepOf(s, q) == nil || f.m.Crashed(s, q) ||
			!f.r.Alternatives(s, q).Has(f.m.ChoiceOf(a)) {
			continue
		}
		next := slices.Clone(s)
		f.r.Take(next, a)
		if !f.robs(s, next) && f.enables(next) {
			return true
		}
	}
	return false
}

// robs reports whether a step took what belongs to another process.
func (f *forced) robs(before, after step.State) (yes bool) {
	var look func(t *step.Type, at int)
	look = func(t *step.Type, at int) {
		switch t.Kind {
		case step.Mutex:
			yes = yes || before[at] != 0 && after[at] != 0 && after[at] != before[at]
		case step.Array:
			for i := range t.Len {
				look(t.Elem, at+i*t.Elem.Words())
			}
		case step.Record:
			for i, field := range t.Fields {
				look(field.Type, at+t.FieldAt(i))
			}
		}
	}
	for _, v := range f.m.Program.Shared {
		look(v.Type, v.Offset)
		if strings.HasPrefix(v.Name, "$busy_") {
			for w := v.Offset; w < v.Offset+v.Type.Words(); w++ {
				yes = yes || f.end[w] == 1 && after[w] == 0 && before[w] == 1 && f.holderOf(w) >= 0
			}
		}
	}
	return yes
}

// holderOf is the process that stands still and made a word 1 last, -1 if there is none.
func (f *forced) holderOf(w int) int {
	for i := len(f.schedule) - 1; i >= 0; i-- {
		if f.states[i][w] == 0 && f.states[i+1][w] == 1 {
			if q := f.m.ProcOf(int(f.schedule[i])); !f.free(q) {
				return q
			}
			return -1
		}
	}
	return -1
}

// circles looks at the cycle and the knot.
func (c *claims) circles() {
	if x := c.why.Cycle; x != nil {
		c.cycles++
		if len(x) < 2 || x[0] != x[len(x)-1] || len(c.why.Knot) > 0 {
			c.fail("no cycle: %v", x)
		}
		for i := 0; i+1 < len(x); i++ {
			w := c.why.Waits[slices.IndexFunc(c.why.Waits, func(w Wait) bool { return w.Process == x[i] })]
			if !slices.ContainsFunc(w.Needs, func(n Need) bool { return n.Only == x[i+1] }) {
				c.fail("%s does not need %s", x[i], x[i+1])
			}
		}
	}
	if len(c.why.Knot) == 0 {
		return
	}
	c.knots++
	for _, name := range c.why.Knot {
		w := c.why.Waits[slices.IndexFunc(c.why.Waits, func(w Wait) bool { return w.Process == name })]
		outside := func(a Action) bool { return !slices.Contains(c.why.Knot, a.Process) }
		if !slices.ContainsFunc(w.Needs, func(n Need) bool {
			return len(n.Could) > 0 && !slices.ContainsFunc(n.Could, outside)
		}) {
			c.fail("%s needs somebody outside of the knot %v", name, c.why.Knot)
		}
	}
}

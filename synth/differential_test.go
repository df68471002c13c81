//go:build cgo && !noz3

package synth

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/random"
	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/term"
)

var (
	flagN    = flag.Int("n", 300, "random programs of the differential test")
	flagSeed = flag.Int64("seed", 1, "seed of the first of them")
)

// TestMain lets what is drawn at random be less with -short.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() && *flagN == 300 {
		*flagN = 60
	}
	os.Exit(m.Run())
}

// TestAgainstInterpreter compares constraints with what the machine really does in many states, reachable and invented.
func TestAgainstInterpreter(t *testing.T) {
	count := againstInterpreter(t, *flagN, func(r *rand.Rand) string { return random.Program(r, random.Draw(r)) })
	count.holdsOn(t, 96, 82)
}

// TestProcessesAgainstInterpreter does the same with programs that start processes, have actors and send messages.
func TestProcessesAgainstInterpreter(t *testing.T) {
	count := againstInterpreter(t, *flagN/3, func(r *rand.Rand) string {
		c := random.Draw(r)
		c.Spawns, c.Actors, c.Mail = true, true, true
		c.Threads, c.Steps = min(c.Threads, 3), min(c.Steps, 2)
		return random.Program(r, c)
	})
	count.holdsOn(t, 80, 60) // one program whose recursion is given up decides: twenty samples keep 82 to 100 %
}

// TestShippedAgainstInterpreter does the same with the shipped programs, in their reachable states.
func TestShippedAgainstInterpreter(t *testing.T) {
	counts := map[string]*tally{"programs": {}, "actors": {}, "liveness": {}}
	programs := shipped(t)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		set, report := synthesisOf(t, programs[name], false)
		count := counts[path.Dir(name)]
		if count == nil {
			continue
		}
		count.programs, count.pairs, count.exact = count.programs+1, count.pairs+report.Pairs, count.exact+report.Exact
		c := newReachable(t, set, rand.New(rand.NewSource(*flagSeed)), *flagSeed, 300)
		if msg := c.run(count); msg != "" {
			t.Errorf("%s: %s\n%s", name, msg, set.Format())
		}
	}
	counts["programs"].holdsOn(t, 98, 70)
	counts["liveness"].holdsOn(t, 94, 65)
	if testing.Short() { // a few of them
		counts["actors"].holdsOn(t, 85, 40)
		return
	}
	counts["actors"].holdsOn(t, 85, 65)
}

// TestReadableAgainstInterpreter does the same with conditions of which long ones are replaced by stronger ones.
func TestReadableAgainstInterpreter(t *testing.T) {
	draw := func(r *rand.Rand) string {
		if r.Intn(2) == 0 {
			return dense(r, 4+r.Intn(4), 2+r.Intn(3))
		}
		return random.Program(r, random.Draw(r))
	}
	if count := comparedWith(t, Options{Readable: true}, *flagN/3, draw); count.stronger == 0 {
		t.Error("no condition is replaced: the programs do not show what they are here for")
	}
}

// againstInterpreter compares the constraints of programs drawn at random with the machine, and counts what it saw.
func againstInterpreter(t *testing.T, programs int, draw func(*rand.Rand) string) (count tally) {
	return comparedWith(t, Options{}, programs, draw)
}

// TestUnitsAgainstInterpreter does the same with products, quotients and remainders, where the questions to the solver
// are given up sooner or later: what is known then is less, and as true.
func TestUnitsAgainstInterpreter(t *testing.T) {
	products := func(r *rand.Rand) string {
		pick := func(list ...string) string { return list[r.Intn(len(list))] }
		text := "cdpor: 1\nshared: {x: int = 1, y: int = 2, z: int}\nthreads:\n"
		for _, name := range []string{"a", "b", "c"} {
			v := pick("x", "y", "z")
			value := pick("x * y", "x * y + 1", "y * z - x", "x % (y * y + 1)", "(x + y) * z", "x * x",
				"z + 1", "2 * y")
			test := pick("x * y > z", "x % (y * y + 1) == 2", "x * x == y", "x < y", "z == 0", "x * z == y * y")
			text += fmt.Sprintf("  %s: \"atomic { if %s { %s = %s } }\"\n", name, test, v, value)
		}
		return text
	}
	limits := []Options{{RLimit: 300, MaxQueries: 5}, {RLimit: 1}}
	if testing.Short() {
		limits = limits[:1]
	}
	for _, opt := range limits {
		opt.AnyState = true
		count := comparedWith(t, opt, max(*flagN/50, 6), products)
		if count.unknown == 0 && (*flagSeed == 1 || opt.MaxQueries > 0) { // other programs may be easy
			t.Errorf("with %+v nothing is given up", opt)
		}
	}
}

func comparedWith(t *testing.T, opt Options, programs int, draw func(*rand.Rand) string) (count tally) {
	session, err := NewSession(opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range programs {
		seed := *flagSeed + int64(i)
		r := rand.New(rand.NewSource(seed))
		count.compare(t, session, draw(r), r, seed)
	}
	t.Logf("%+v", count)
	return count
}

// TestCollectionsAgainstInterpreter does the same with programs that are about sets, bags and maps: of all types of
// keys, with room for all of them or not, in arrays and records, of shared variables and locals.
func TestCollectionsAgainstInterpreter(t *testing.T) {
	count := againstInterpreter(t, *flagN/3, collections)
	count.holdsOn(t, 95, 80)
	if count.unknown*50 > count.pairs {
		t.Errorf("%d of %d pairs are unknown", count.unknown, count.pairs)
	}
}

// collections draws a program of three threads that use one set, bag or map.
func collections(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	key := pick("int", "0..1", "0..2", "bool", "Color")
	var name, typ string
	if r.Intn(4) == 0 {
		name = "rec.c"
	} else {
		name = pick("c", "c", "cs[0]", "cs[k]")
	}
	kind := pick("set", "bag", "map")
	value := pick("int", "0..1", "int?")
	room := 1 + r.Intn(3)
	if typ = fmt.Sprintf("%s[%s, %d]", kind, key, room); kind == "map" {
		typ = fmt.Sprintf("map[%s, %s, %d]", key, value, room)
	}
	keys := []string{"i", "j", map[string]string{"bool": "true", "Color": "green"}[key]}
	if keys[2] == "" {
		keys[2] = pick("0", "1", "i + 1")
	}
	if key == "0..1" || key == "0..2" { // may leave the range
		keys = append(keys, "x")
	}
	k := func() string { return keys[r.Intn(len(keys))] }
	statement := func() string {
		c := name
		if r.Intn(3) == 0 && c == "cs[k]" {
			c = "cs[1]"
		}
		list := []string{c + ".remove(" + k() + ")", c + ".clear()", "if " + c + ".has(" + k() + ") { x = 1 }",
			"x = " + c + ".size()", "await !" + c + ".empty()",
			"if !" + c + ".full() { x = 0 }", "i = j", "y = " + c + ".has(" + k() + ")", "y = " + c + ".has(" + k() +
				") == " + c + ".has(" + k() + ")"}
		if kind == "map" {
			at := k()
			put := c + "[" + at + "] = " + pick("0", "1")
			list = append(list, put, put, "if "+c+".has("+at+") || !"+c+".full() { "+put+" }",
				c+"["+k()+"] = "+c+"["+k()+"]")
			if value == "int?" {
				list = append(list, "if "+c+".has("+at+") { o = "+c+"["+at+"] }")
			} else {
				list = append(list, "o = "+c+".get("+k()+")", "x = "+c+"["+k()+"]", c+"["+k()+"] += 1", "if "+c+".get("+
					k()+") == 1 { x = 0 }")
			}
		} else {
			end := pick("min()", "max()", "at("+pick("0", "1", "k", c+".size() - 1")+")")
			list = append(list, "m = "+c+"."+end, "if !"+c+".empty() { m = "+c+"."+end+" }", "if !"+c+".empty() { m = "+
				c+"."+end+"; "+c+".remove(m) }", c+".remove("+c+"."+end+")", "y = "+c+"."+end+" == "+k(),
				"y = "+c+".any(v, v == i)")
			add := c + ".add(" + k() + ")"
			list = append(list, add, add, "if !"+c+".full() { "+add+" }", "if "+c+".has("+k()+") || !"+
				c+".full() { "+add+" }")
		}
		return pick(list...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cdpor: 1\nname: random\ntypes: {Color: \"enum [red, green, blue]\", Rec: "+
		"\"record {n int, c %s}\"}\n", typ)
	fmt.Fprintf(&b, "shared:\n  c: %q\n  cs: \"array[2] %s\"\n  rec: Rec\n  i: %s\n  j: %s\n  k: 0..1\n  x: int\n"+
		"  m: %s\n  y: bool\n  o: int?\nthreads:\n", typ, typ, key, key, key)
	for t := range 3 {
		fmt.Fprintf(&b, "  t%d: |\n", t)
		for range 1 + r.Intn(2) {
			first, second := statement(), strings.Replace(statement(), "await ", "assert ", 1)
			if name == "cs[k]" || r.Intn(2) == 0 { // two collections are enough cases
				second = "skip"
			}
			fmt.Fprintf(&b, "    atomic {\n      %s\n      %s\n    }\n", first, second)
		}
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}

// TestListsAgainstInterpreter does the same with programs that insert into lists, remove, sort, reverse, cut and join.
func TestListsAgainstInterpreter(t *testing.T) {
	count := againstInterpreter(t, *flagN/6, lists)
	count.holdsOn(t, 88, 68)
	if count.unknown*20 > count.pairs {
		t.Errorf("%d of %d pairs are unknown", count.unknown, count.pairs)
	}
}

// lists draws a program of three threads that change a list.
func lists(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	elem, room := pick("int", "0..2", "bool"), 2+r.Intn(2)
	value := func() string {
		return map[string]string{"bool": pick("true", "y"), "0..2": pick("1", "i"), "int": "x"}[elem]
	}
	at := func() string { return pick("0", "1", "i", "j", "l.size() - 1") }
	statement := func() string {
		return pick("l.insert("+at()+", "+value()+")", "l.remove("+at()+")", "l = l.sort()", "l = l.reverse()",
			"l.append("+value()+")", "if !l.full() { l.append("+value()+") }", "if !l.empty() { l.pop() }",
			"l = l[i:]", "l = l[:j]", "k = l[i:j]", "k = k + l", "l = ["+value()+"]", "x = l.size()",
			"if l.size() > i { y = l[i] == "+value()+" }", "y = l == k", "i = j", "x += 1")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cdpor: 1\nname: random\nshared:\n  l: \"list[%s, %d]\"\n  k: \"list[%s, %d]\"\n"+
		"  i: 0..2\n  j: 0..2 = 1\n  x: int\n  y: bool\nthreads:\n", elem, room, elem, room)
	for t := range 3 {
		fmt.Fprintf(&b, "  t%d: |\n    atomic {\n      %s\n      %s\n    }\n    atomic { %s }\n", t, statement(),
			pick("skip", statement()), statement())
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}

// TestOptionsAgainstInterpreter does the same with programs that compare and copy values that may be null, of different
// ranges, and records and lists of such.
func TestOptionsAgainstInterpreter(t *testing.T) {
	count := againstInterpreter(t, *flagN/3, options)
	if count.unknown*20 > count.pairs {
		t.Errorf("%d of %d pairs are unknown", count.unknown, count.pairs)
	}
}

// options draws a program of three threads that change and compare what may be null.
func options(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	values := map[string][]string{
		"a": {"1", "2"}, "b": {"3", "4"}, "c": {"0", "1", "x"}, "rs[0].o": {"1", "x", "-1"}, "rs[i].o": {"2", "i"},
		"r.o": {"1", "x", "i"},
	}
	place := func() string { return pick("a", "b", "c", "c", "rs[0].o", "rs[i].o", "r.o") }
	statement := func() string {
		o := place()
		value := values[o][r.Intn(len(values[o]))]
		return pick(o+" = "+value, o+" = null", "if "+o+" == null { "+o+" = "+value+" }",
			"if "+o+" != null { x = "+o+"! }", "if "+o+" != null && "+o+"! > 2 { x = 1 }",
			"c = "+pick("a", "c", "r.o"), "r.o = "+pick("a", "b", "c", "rs[i].o"),
			"y = "+place()+" == "+place(), "if "+place()+" == "+place()+" { x = 2 }",
			"rs[i] = r", "r = rs[1 - i]", "y = rs[0] == rs[i]", "i = 1 - i", "k = [1]", "if k == l { x = 3 }", "l = []",
			"if !l.empty() { l.pop() }", "if !k.full() { k.append(2) }", "l = [3, 4]", "y = r.e == red", "r.e = null",
			"if m.has(1) { m[1] = "+pick("a", "null", "1")+" }", "m.put(1, "+pick("a", "null", "2")+")",
			"if m.has(1) && m[1] == "+place()+" { x = 1 }", "x = "+o+"!", "if "+o+" != null { "+o+" = null; x = 0 }")
	}
	var b strings.Builder
	b.WriteString("cdpor: 1\ntypes: {E: \"enum [red, green]\", R: \"record {o int?, n 0..1, e E?}\"}\nshared:\n" +
		"  a: 1..2?\n  b: 3..4?\n  c: int?\n  r: R\n  rs: array[2] R\n  k: \"list[1..2, 2]\"\n" +
		"  l: \"list[3..4, 2]\"\n  m: \"map[0..1, 1..2?, 2]\"\n  i: 0..1\n  x: int\n  y: bool\nthreads:\n")
	for t := range 3 {
		fmt.Fprintf(&b, "  t%d: |\n    atomic {\n      %s\n      %s\n    }\n    atomic { %s }\n", t, statement(),
			pick("skip", statement()), statement())
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}

// TestTotalsAgainstInterpreter does the same with programs that add up the elements of arrays, or count them, whole
// ones and rows of other arrays, while elements are assigned that only the state tells apart.
func TestTotalsAgainstInterpreter(t *testing.T) {
	count := againstInterpreter(t, *flagN/3, totals)
	count.holdsOn(t, 98, 72) // the states of few programs decide: ten samples of a hundred come to 74 to 84 %
	if count.unknown*50 > count.pairs {
		t.Errorf("%d of %d pairs are unknown", count.unknown, count.pairs)
	}
}

// totals draws a program of votes and of amounts.
func totals(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	n := 2 + r.Intn(2)
	flags := pick("vote", "vote", "row[0]", "row[i]", "row[self % 2]")
	numbers := pick("amount", "amount", "box.parts")
	element := func() string { return pick("self % "+fmt.Sprint(n), "i", "j", "0", fmt.Sprint(n-1)) }
	count := func() string { return pick(flags, flags, "vote") + ".count(v, v)" }
	statement := func() string {
		return pick(flags+"["+element()+"] = "+pick("true", "false", "y", "!"+flags+"["+element()+"]"),
			flags+"["+element()+"] = "+pick("true", "false", "y"),
			numbers+"["+element()+"] "+pick("= 1", "+= 1", "= x", "-= 1"),
			"if "+count()+pick(" > ", " == ", " != ")+fmt.Sprint(r.Intn(n+1))+" { x = 1 }",
			"if 2 * "+count()+" > "+fmt.Sprint(n)+" { x = 1 }",
			"x = "+pick(count(), numbers+".sum()", count()+" - "+count(), numbers+".sum() + "+numbers+"[0]"),
			"await "+numbers+".sum() > "+fmt.Sprint(r.Intn(3)),
			"y = "+numbers+".sum() == x", "y = !y", "j = "+pick("i", "0", "1"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cdpor: 1\nname: random\ntypes: {Box: \"record {a int, parts array[%d] int}\"}\nshared:\n", n)
	fmt.Fprintf(&b, "  vote: \"array[%d] bool\"\n  row: \"array[2] array[%d] bool\"\n  amount: \"array[%d] int\"\n",
		n, n, n)
	fmt.Fprintf(&b, "  box: Box\n  i: 0..1\n  j: 0..1\n  x: int\n  y: bool\nthreads:\n")
	for t := range 3 {
		fmt.Fprintf(&b, "  t%d:\n    count: %d\n    run: |\n", t, 1+r.Intn(2))
		for range 1 + r.Intn(2) {
			fmt.Fprintf(&b, "      atomic {\n        %s\n        %s\n      }\n", statement(),
				strings.Replace(statement(), "await ", "assert ", 1))
		}
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}

// TestAlwaysAgainstInterpreter does the same with programs whose steps check what must always hold.
func TestAlwaysAgainstInterpreter(t *testing.T) {
	againstInterpreter(t, *flagN/3, func(r *rand.Rand) string {
		c := random.Draw(r)
		text := random.Program(r, c)
		return text + fmt.Sprintf("  always: [%q]\n  transition: [a >= old(a)]\n", random.Always(r, c))
	}).holdsOn(t, 94, 78)
}

// compare synthesises constraints for a program and compares them with the machine.
func (n *tally) compare(t *testing.T, session *Session, text string, r *rand.Rand, seed int64) {
	src, err := lang.Load("random.yaml", []byte(text), lang.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	set, report, err := session.Synthesize(context.Background(), src.Program)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	n.programs++
	n.pairs += report.Pairs
	n.exact += report.Exact
	n.unknown += report.Unknown
	for _, note := range report.Why {
		if note.Text == WhyStronger {
			n.stronger++
		}
	}
	c := newComparison(t, set, r, seed)
	if msg := c.run(n); msg != "" {
		t.Fatalf("seed %d: %s\n%s\n%s", seed, msg, text, set.Format())
	}
}

// A tally counts what was compared. Of the pairs of processes in reachable states whose next steps touch the same,
// commute says how many commute there, and kept how many of them the constraints tell, keptUniform uniformly.
type tally struct {
	programs, pairs, exact, unknown, stronger, states, asked, commuting, triples, uniform int

	commute, kept, keptUniform int
}

// holdsOn fails if too little is kept of what commutes. Shares are in percent.
func (n tally) holdsOn(t *testing.T, kept, uniform int) {
	t.Helper()
	t.Logf("of %d pair-states that commute %.1f %% are kept, %.1f %% uniformly", n.commute,
		100*float64(n.kept)/float64(n.commute), 100*float64(n.keptUniform)/float64(n.commute))
	if n.commute < 10*n.programs || n.kept*100 < kept*n.commute || n.keptUniform*100 < uniform*n.commute {
		t.Errorf("that is less than %d %% and %d %%, or of too few", kept, uniform)
	}
}

type comparison struct {
	m      *step.Machine
	r      *step.Runner
	rand   *rand.Rand
	seed   int64
	set    *constraints.Set
	c      *constraints.Compiled
	states []step.State // the reachable ones first
	begins int          // number of those
	facts  []func(s step.State) bool
	seen   map[string]bool
}

// newComparison looks at the first reachable states of a program, and at states made from them.
func newComparison(t *testing.T, set *constraints.Set, r *rand.Rand, seed int64) *comparison {
	c := newReachable(t, set, r, seed, 60)
	c.inventStates()
	return c
}

// newReachable looks at that many reachable states, in breadth-first order.
func newReachable(t *testing.T, set *constraints.Set, r *rand.Rand, seed int64, most int) *comparison {
	m, err := step.NewMachine(set.Program)
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{m: m, r: m.NewRunner(), rand: r, seed: seed, set: set, c: set.Compile(m)}
	c.seen = map[string]bool{}
	assumed := everything(set.Program).List()
	for _, f := range assumed {
		c.facts = append(c.facts, c.fact(f))
	}
	c.add(m.Initial())
	for i := 0; i < len(c.states) && len(c.states) < most; i++ {
		for p := range m.NumProcs() {
			for _, a := range c.actions(c.states[i], p) {
				c.add(c.after(c.states[i], a))
			}
		}
	}
	for _, s := range c.states {
		for i, holds := range c.facts {
			if !holds(s) {
				f := assumed[i]
				t.Fatalf("seed %d: in the reachable state %v the fact %s does not hold\n%s", c.seed, s,
					lang.FormatExpr(f.That, nil, nil), set.Format())
			}
		}
	}
	c.begins = len(c.states)
	for _, p := range claimed(set.Program) { // perhaps assumed, and perhaps false in a reachable state
		c.facts = append(c.facts, c.fact(&constraints.Fact{That: p.Expr}))
	}
	return c
}

// add adds a state that is not there yet.
func (c *comparison) add(s step.State) {
	if k := string(s.Bytes()); !c.seen[k] {
		c.seen[k] = true
		c.states = append(c.states, s)
	}
}

// inventStates adds states with other values in the scalars.
func (c *comparison) inventStates() {
	prog, m := c.set.Program, c.m
	named := namesIn(prog)
	for i := range c.begins {
		s := slices.Clone(c.states[i])
		for _, v := range prog.Shared {
			if !named[v] {
				c.invent(s, v.Type, v.Offset)
			}
		}
		for p, proc := range prog.Procs {
			step := m.StepOf(s, p)
			if step == nil {
				continue
			}
			live := proc.Template.LiveIn(step.Entry)
			for _, v := range proc.Template.Locals {
				if live[v.Offset] && assignedLocal(proc.Template, v) && !named[v] {
					c.invent(s, v.Type, m.LocalBase(p)+v.Offset)
				}
			}
		}
		if c.factsHold(s) {
			c.add(s)
		}
	}
}

// factsHold reports whether all facts about the program hold in a state.
func (c *comparison) factsHold(s step.State) bool {
	return !slices.ContainsFunc(c.facts, func(holds func(step.State) bool) bool { return !holds(s) })
}

// namesIn are the variables that say which processes have been started, and how far they are. With other values in them
// a step would start a process that is running.
func namesIn(prog *step.Program) map[*step.Var]bool {
	vars := map[*step.Var]bool{}
	for _, t := range prog.Templates {
		if t.Pool != nil {
			vars[t.Pool.Life] = true
		}
		for _, n := range t.Nodes {
			if n.Kind == step.Spawn {
				vars[n.Counter.Root()] = true
			}
		}
	}
	return vars
}

// everything is all facts about a program, used or not.
func everything(prog *step.Program) *facts.Facts {
	actors := map[*step.Template]*term.Actor{}
	for _, t := range prog.Templates {
		actors[t] = &term.Actor{Tmpl: t}
	}
	for _, p := range prog.Procs {
		actors[p.Template].Procs = append(actors[p.Template].Procs, p)
	}
	k, _ := facts.Find(context.Background(), prog, actors, slice.NewParallel(prog)) // which is not interrupted
	for key := range k.Local {
		k.Used.Local[key] = true
	}
	for key := range k.Wide {
		k.Used.Wide[key] = true
	}
	for at, list := range k.Held {
		for i := range list {
			k.Used.Local[facts.HeldKey(at, i)] = true
		}
	}
	return k
}

// fact compiles a fact for the whole state.
func (c *comparison) fact(f *constraints.Fact) func(s step.State) bool {
	if f.At == nil {
		eval := c.m.CompileCondition(f.That, -1, -1)
		return func(s step.State) bool { holds, ok := eval(c.r, s); return holds && ok }
	}
	evals := make([]func(*step.Runner, step.State) (bool, bool), c.m.NumProcs())
	for p, proc := range c.set.Program.Procs {
		if proc.Template == f.At.Template {
			evals[p] = c.m.CompileCondition(f.That, p, -1)
		}
	}
	return func(s step.State) bool {
		for p, eval := range evals {
			if eval != nil && c.m.StepOf(s, p) == f.At && (f.With == nil || c.stands(s, f.With, p)) {
				if holds, ok := eval(c.r, s); !holds || !ok {
					return false
				}
			}
		}
		return true
	}
}

// stands reports whether some process other than p stands at a step.
func (c *comparison) stands(s step.State, at *step.Step, p int) bool {
	for q := range c.m.NumProcs() {
		if q != p && c.m.StepOf(s, q) == at {
			return true
		}
	}
	return false
}

func assignedLocal(t *step.Template, v *step.Var) bool {
	return slices.ContainsFunc(t.Nodes, func(n *step.Node) bool { return n.Dst != nil && n.Dst.Root() == v })
}

func (c *comparison) invent(s step.State, t *step.Type, at int) {
	switch t.Kind {
	case step.Int:
		s[at] = int64(c.rand.Intn(5) - 1)
	case step.Sized:
		lo, hi := t.Bounds()
		ends := []int64{lo, lo + 1, hi - 1, hi}
		if s[at] = t.Wrap(int64(c.rand.Intn(5) - 1)); c.rand.Intn(3) > 0 {
			s[at] = ends[c.rand.Intn(4)]
		}
	case step.Bool:
		s[at] = int64(c.rand.Intn(2))
	case step.Range:
		s[at] = t.Lo + c.rand.Int63n(min(t.Hi-t.Lo, 8)+1)
	case step.Mutex:
		s[at] = int64(c.rand.Intn(c.m.NumProcs() + 1))
	case step.Array:
		for i := range t.Len {
			c.invent(s, t.Elem, at+i*t.Elem.Words())
		}
	case step.List, step.Queue:
		s[at] = int64(c.rand.Intn(t.Len + 1))
		clear(s[at+1 : at+t.Words()])
		for i := range int(s[at]) {
			c.invent(s, t.Elem, at+1+i*t.Elem.Words())
		}
	case step.Record:
		for i, f := range t.Fields {
			c.invent(s, f.Type, at+t.FieldAt(i))
		}
	case step.Option:
		clear(s[at : at+t.Words()])
		if s[at] = int64(c.rand.Intn(2)); s[at] == 1 {
			c.invent(s, t.Elem, at+1)
		}
	case step.Set, step.Bag, step.Map:
		l, each := &term.Contents{}, t.Elem.Words()
		elem := make(step.State, each)
		for range c.rand.Intn(t.Len + 1) {
			c.invent(elem, t.Elem, 0)
			if t.Kind == step.Bag || len(l.Find(elem[:t.Key().Words()])) == 0 {
				l.Elems = append(l.Elems, slices.Clone(elem))
			}
		}
		for i, f := range l.Words(t) {
			s[at+i] = f.K
		}
	}
}

func (c *comparison) after(s step.State, actions ...int) step.State {
	s = slices.Clone(s)
	for _, a := range actions {
		c.r.Take(s, a)
	}
	return s
}

// actions lists what a process can do: its step with each of the alternatives.
func (c *comparison) actions(s step.State, p int) []int {
	var list []int
	if c.r.Enabled(s, p) {
		for k := range c.r.Alternatives(s, p).All() {
			list = append(list, c.m.FirstAction(p)+k)
		}
	}
	return list
}

// commute is the definition, executed for all alternatives.
func (c *comparison) commute(s step.State, p, q int) bool {
	left, right := c.actions(s, p), c.actions(s, q)
	for _, a := range left {
		if c.r.Enabled(c.after(s, a), q) != (len(right) > 0) {
			return false
		}
	}
	for _, b := range right {
		if c.r.Enabled(c.after(s, b), p) != (len(left) > 0) {
			return false
		}
		for _, a := range left {
			if !slices.Equal(c.after(s, a, b), c.after(s, b, a)) {
				return false
			}
		}
	}
	return true
}

// startsAlike reports whether a process starts the same processes before the step of another one as behind it.
func (c *comparison) startsAlike(s step.State, p, q int) bool {
	started := func(from step.State, action int) (list []int) {
		after := c.after(from, action)
		for x := range c.m.NumProcs() {
			if c.m.StepOf(from, x) == nil && c.m.StepOf(after, x) != nil {
				list = append(list, x)
			}
		}
		return list
	}
	for _, a := range c.actions(s, p) {
		for _, b := range c.actions(s, q) {
			if !slices.Equal(started(s, a), started(c.after(s, b), a)) {
				return false
			}
		}
	}
	return true
}

func (c *comparison) holds(cond constraints.Cond, s step.State) bool {
	return cond.Kind == constraints.CondTrue || cond.Kind == constraints.CondEval && cond.Eval(c.r, s)
}

// conflict reports whether the next steps of two processes touch the same.
func (c *comparison) conflict(s step.State, p, q int) bool {
	f, g := make(step.Footprint, c.m.FootprintWords()), make(step.Footprint, c.m.FootprintWords())
	return step.Conflict(c.r.Footprint(s, p, f), c.r.Footprint(s, q, g))
}

// unordered is the relation explorers use: disjoint footprints or uniform.
func (c *comparison) unordered(s step.State, p, q int) bool {
	return !c.conflict(s, p, q) || c.holds(c.c.Uniform(p, c.m.StepOf(s, p), q, c.m.StepOf(s, q)), s)
}

func (c *comparison) run(n *tally) string {
	n.states += len(c.states)
	procs := c.m.NumProcs()
	for i, s := range c.states {
		for p := range procs {
			for q := range procs {
				a, b := c.m.StepOf(s, p), c.m.StepOf(s, q)
				if p == q || a == nil || b == nil {
					continue
				}
				n.asked++
				commute, uniform := c.holds(c.c.Commute(p, a, q, b), s), c.holds(c.c.Uniform(p, a, q, b), s)
				pair, _ := c.set.Find(a, b)
				real := c.commute(s, p, q)
				switch {
				case commute && !real:
					return "commute holds for " + a.Name() + " and " + b.Name() + " but they do not"
				case !commute && real && pair.Status == constraints.Exact:
					return "commute of " + a.Name() + " and " + b.Name() + " is not the weakest"
				case uniform && !c.startsAlike(s, p, q):
					return "uniform holds where " + a.Name() + " and " + b.Name() + " start each other's processes"
				case uniform && !commute:
					return "uniform is weaker than commute for " + a.Name() + " and " + b.Name()
				case c.holds(c.c.Commute(q, b, p, a), s) != commute:
					return "commute is not symmetric for " + a.Name() + " and " + b.Name()
				case c.holds(c.c.Uniform(q, b, p, a), s) != uniform:
					return "uniform is not symmetric for " + a.Name() + " and " + b.Name()
				}
				if commute {
					n.commuting++
				}
				if uniform {
					n.uniform++
				}
				if i < c.begins && real && c.conflict(s, p, q) {
					n.commute++
					n.kept += map[bool]int{true: 1}[commute]
					n.keptUniform += map[bool]int{true: 1}[uniform]
				}
			}
		}
		for q := range procs {
			if c.m.StepOf(s, q) == nil || !c.r.Enabled(s, q) {
				continue
			}
			actions := c.actions(s, q)
			after := c.after(s, actions[c.rand.Intn(len(actions))])
			if i >= c.begins && !c.factsHold(after) {
				continue // then s cannot be reached either
			}
			for p := range procs {
				for r := range procs {
					if p == q || p == r || q == r || c.m.StepOf(s, p) == nil || c.m.StepOf(s, r) == nil ||
						!c.unordered(s, p, q) {
						continue
					}
					n.triples++
					now, then := c.unordered(s, p, r), c.unordered(after, p, r)
					if now && !then && c.unordered(s, q, r) {
						return "forward fails for " + c.m.StepOf(s, p).Name() + ", " + c.m.StepOf(s, q).Name() + ", " +
							c.m.StepOf(s, r).Name()
					}
					if !now && then {
						return "backward fails for " + c.m.StepOf(s, p).Name() + ", " + c.m.StepOf(s, q).Name() + ", " +
							c.m.StepOf(s, r).Name()
					}
				}
			}
		}
	}
	return ""
}

package golang_test

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"cdpor/explore"
	"cdpor/explore/oracle"
	"cdpor/lang/golang"
	"cdpor/lang/step"
	"cdpor/synth"
)

// programs are the folders of testdata/go with what TestBug ends with: every kind of end that is wrong. TestFixed has
// none.
var programs = map[string]string{
	"ackwithoutroom":    "deadlock",
	"addafterwait":      "the test fails",
	"addinside":         "the test fails",
	"appendrace":        "data race, the test fails",
	"atomicandplain":    "data race",
	"barriertwice":      "deadlock",
	"bothsendfirst":     "deadlock",
	"cachecalls":        "the test fails",
	"callbackrace":      "data race",
	"callbackunderlock": "deadlock",
	"checkthenact":      "the test fails",
	"closebyreceiver":   "send on closed channel",
	"closedpool":        "deadlock",
	"closedqueue":       "deadlock",
	"closedtwice":       "close of closed channel",
	"condwithoutloop":   "the test fails",
	"configreload":      "data race",
	"contextvalues":     "deadlock",
	"copiedlock":        "data race, the test fails",
	"deadlinerace":      "the test fails",
	"deferinloop":       "deadlock",
	"doubleclose":       "close of closed channel",
	"doublelock":        "deadlock",
	"drainedlate":       "the test fails",
	"droppedsignal":     "deadlock",
	"earlyreturn":       "deadlock",
	"elections":         "the test fails",
	"embeddedlock":      "deadlock",
	"errgrouplimit":     "deadlock",
	"errorpath":         "deadlock",
	"fanin":             "deadlock",
	"firsterror":        "deadlock",
	"firstresult":       "deadlock",
	"flushonclose":      "the test fails",
	"genericqueue":      "data race, the test fails",
	"gracefulstop":      "send on closed channel",
	"groupbyvalue":      "deadlock",
	"heartbeat":         "deadlock",
	"lazyinit":          "data race, the test fails",
	"latelog":           "Log in goroutine after the test has completed",
	"leaderticker":      "within bounds: deadlock",
	"linkedlist":        "data race, the test fails",
	"lockandchannel":    "deadlock",
	"lockorder":         "deadlock",
	"locksbyname":       "deadlock",
	"lockupgrade":       "deadlock",
	"loopvariable":      "the test fails",
	"lostsignal":        "deadlock",
	"lostupdate":        "data race, the test fails",
	"maporder":          "the test fails",
	"maprace":           "data race, the test fails",
	"missedunlock":      "deadlock",
	"nilchannel":        "deadlock",
	"notcancelled":      "deadlock",
	"oncedeadlock":      "deadlock",
	"panickingworker":   "deadlock",
	"parallelsubtests":  "data race",
	"peekwithoutlock":   "data race",
	"pipelines":         "deadlock",
	"publishbeforeinit": "data race, the test fails",
	"pubsub":            "send on closed channel",
	"ratelimiter":       "deadlock",
	"readlockwrites":    "data race, the test fails",
	"recovered":         "deadlock",
	"retryleak":         "deadlock",
	"rwreentry":         "deadlock",
	"selectunderlock":   "deadlock",
	"semaphores":        "deadlock",
	"sendaftercancel":   "deadlock",
	"sendonclosed":      "send on closed channel",
	"sharederror":       "data race, the test fails",
	"shutdownorder":     "deadlock",
	"singleflight":      "data race",
	"stopbeforestart":   "deadlock",
	"stoppedticker":     "within bounds: deadlock",
	"swappedmap":        "data race",
	"tickerbeside":      "within bounds: deadlock",
	"timeoutleak":       "deadlock",
	"timerleak":         "deadlock",
	"tokenlost":         "deadlock",
	"transfer":          "deadlock",
	"watchdog":          "deadlock",
	"workerpool":        "deadlock",
	"wrongwaiter":       "deadlock",
}

var update = flag.Bool("update", false, "write testdata/go/README.md")

const folder = "../../testdata/go"

// TestPrograms explores each program and its fixed twin with several algorithms, and compares the ends with those of
// all interleavings.
func TestPrograms(t *testing.T) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	set, err := golang.Open(t.Context(), folder+"/...")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	var mu sync.Mutex
	var table []string
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		want, known := programs[e.Name()]
		if !known {
			t.Errorf("%s is not in the table", e.Name())
			continue
		}
		seen++
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			row := map[string]string{}
			want, bounded := strings.CutPrefix(want, "within bounds: ")
			for name, want := range map[string]string{"TestBug": want, "TestFixed": ""} {
				p, err := set.Program(t.Context(), golang.Options{Path: filepath.Join(folder, e.Name()), Func: name})
				if err != nil {
					t.Fatal(err)
				}
				m := machine(t, p)
				all, cut := interleavings(t, m)
				if cut != bounded {
					t.Errorf("%s: a bound was hit: %v", name, m.BoundsHit())
				}
				algorithms := []string{"optimal", "source", "exhaustive", "constrained"}
				if testing.Short() {
					algorithms = algorithms[:1]
				}
				for _, alg := range algorithms {
					found, complete, executions := ends(t, m, alg)
					if alg == "optimal" {
						row[name] = fmt.Sprintf("%d | %d", m.NumProcs(), executions)
					}
					if complete == bounded {
						t.Errorf("%s %s: bounds hit: %v", name, alg, m.BoundsHit())
					}
					if !slices.Equal(found, all) {
						t.Errorf("%s %s ends with %q; all interleavings with %q", name, alg, found, all)
					}
				}
				all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
				if got := strings.Join(all, ", "); got != want {
					t.Errorf("%s ends with %q, want %q", name, got, want)
				}
			}
			about := aboutOf(t, filepath.Join(folder, e.Name(), e.Name()+"_test.go"))
			line := fmt.Sprintf("| %s | %s | %s | %s | %s |\n", e.Name(), about, programs[e.Name()],
				row["TestBug"], row["TestFixed"])
			mu.Lock()
			table = append(table, line)
			mu.Unlock()
		})
	}
	if seen != len(programs) {
		t.Errorf("%d folders, the table has %d", seen, len(programs))
	}
	t.Cleanup(func() { // the programs run in parallel, and are done now
		slices.Sort(table)
		file := filepath.Join(folder, "README.md")
		text := tableHead + strings.Join(table, "")
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Error(err)
			}
		}
		if have, err := os.ReadFile(file); err != nil || string(have) != text {
			t.Errorf("%s is not what -update writes: %v", file, err)
		}
	})
}

const tableHead = `# Go programs

Each folder has a test with a bug and one without, ` + "`TestBug` and `TestFixed`" + `. The table says how TestBug can end besides
well, how many goroutines there can be (with timers), and how many executions the algorithm optimal takes. TestFixed
ends well; where it says "within bounds" a ticker goes on for ever, and a part was explored.
` + "`go test ./lang/golang -run TestPrograms -args -update`" + ` writes this page;
[the table of Go programs](../tables/go.md) has times, and how often Go itself shows the bugs.

Of 102 kernels of bugs that are not in this repository (GoKer, the leak patterns of Go's own tests, races in the manner
of large projects) 98 were found with a replay, in 1.4 seconds of processor time in the middle and 9.3 at most. Two are
refused for unsafe.Pointer, one for net.DialUDP, and one search did not end in a minute. None of 93 fixed versions had a
finding that is not real.

| folder | what is wrong in TestBug | ends | goroutines | executions | goroutines, fixed | executions, fixed |
|---|---|---|---|---|---|---|
`

// aboutOf is what the comment of a package says is wrong.
func aboutOf(t *testing.T, file string) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Error(err)
		return ""
	}
	_, about, _ := strings.Cut(strings.Join(strings.Fields(f.Doc.Text()), " "), ": ")
	return strings.TrimSuffix(about, ".")
}

func machine(t *testing.T, p *golang.Program) *step.Machine {
	t.Helper()
	m, err := step.NewMachine(p.Step)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ends explores a program: how it ends, each kind once, empty for a normal end.
func ends(t *testing.T, m *step.Machine, name string) (list []string, complete bool, executions int64) {
	t.Helper()
	name, constrained := strings.CutSuffix(name, " with constraints")
	alg, err := explore.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	m = m.Fresh()
	var opt explore.Options
	if (constrained || name == "constrained") && synth.Available() == nil {
		set, _, err := synth.Synthesize(t.Context(), m.Program, synth.Options{MaxQueries: 300})
		if err != nil {
			t.Fatal(err)
		}
		opt.Conditions = set.Compile(m)
	}
	res, err := explore.Run(t.Context(), m, alg, opt)
	if err != nil {
		t.Fatal(err)
	}
	if res.Ended > 0 {
		list = append(list, "")
	}
	for _, v := range res.Violations {
		switch v.Kind {
		case explore.DeadlockFound:
			list = append(list, "deadlock")
		case explore.FailedStep:
			list = append(list, message(v.Node))
		default:
			t.Errorf("%s: %s", name, v.Kind)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), res.Stopped == explore.StoppedComplete, res.Executions
}

// message is what a failing node says; of data races only that it is one.
func message(n *step.Node) string {
	if n.Fault == step.Race {
		return n.Fault.String()
	}
	return n.Msg
}

// interleavings are the ends of all states that can be reached; cut says that there is more beyond a bound.
func interleavings(t *testing.T, m *step.Machine) (list []string, cut bool) {
	t.Helper()
	m = m.Fresh()
	g, err := oracle.Search(m, 200_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range g.Terminals {
		switch m.EndingOf(s) {
		case step.Ended:
			list = append(list, "")
		case step.Deadlocked:
			list = append(list, "deadlock")
		case step.Failed:
			for p := range m.NumProcs() {
				if _, node, failed := m.Failure(s, p); failed {
					list = append(list, message(node))
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), len(m.BoundsHit()) > 0
}

// smallPrograms are the bodies of programs with what Go says that they print, in all interleavings.
var smallPrograms = []struct{ name, body, want string }{
	{"message passing", "c := make(chan int, 1)\ngo func() { x = 1; c <- 1 }()\ny = <-c + x", "x=1 y=2"},
	{"a closed channel gives zero", "c := make(chan int, 1)\nc <- 5\nclose(c)\nx = <-c\nv, ok := <-c\n" +
		"if !ok { y = v + 7 }", "x=5 y=7"},
	{"no order", "var wg sync.WaitGroup\nwg.Add(2)\ngo func() { defer wg.Done(); x = 1; y = x }()\n" +
		"go func() { defer wg.Done(); x = 2 }()\nwg.Wait()",
		"x=1 y=1, x=2 y=1, x=2 y=2"},
	{"select takes any that is ready", "a, b := make(chan int, 1), make(chan int, 1)\na <- 1\nb <- 2\nselect {\n" +
		"case x = <-a:\ncase y = <-b:\n}", "x=0 y=2, x=1 y=0"},
	{"default only if nothing is ready", "a := make(chan int, 1)\nselect {\ncase x = <-a:\ndefault:\ny = 1\n}\n" +
		"a <- 3\nselect {\ncase x = <-a:\ndefault:\ny = 2\n}", "x=3 y=1"},
	{"deferred calls run backwards", "f := func() { defer func() { x = x*10 + 1 }(); defer func() { x = " +
		"x*10 + 2 }() }\nf()\ny = x", "x=21 y=21"},
	{"conversions wrap", "b := uint8(200)\nb += 100\nx = int(b)\ny = int(int8(b + 100))", "x=44 y=-112"},
	{"atomic additions", "var n atomic.Int32\nvar wg sync.WaitGroup\nfor range 2 { wg.Go(func() { n.Add(1) }) }\n" +
		"wg.Wait()\nx = int(n.Load())", "x=2 y=0"},
	{"compare and swap", "var n atomic.Int32\nvar wg sync.WaitGroup\nfor i := range 2 { wg.Go(func() { if " +
		"n.CompareAndSwap(0, int32(i)+1) { x = i + 1 } }) }\nwg.Wait()", "x=1 y=0, x=2 y=0"},
	{"a nil channel is never ready", "var c chan int\nselect {\ncase x = <-c:\ndefault:\ny = 1\n}", "x=0 y=1"},
	{"a method value", "p := &point{3, 4}\nf := p.sum\np.a = 10\nx = f()", "x=14 y=0"},
	{"values are copied", "p := point{3, 4}\nq := p\nq.a = 1\nx, y = p.sum(), q.sum()", "x=7 y=5"},
	{"an interface with two types", "s := []shape{&point{1, 2}, square(3)}\n" +
		"for _, v := range s { x = x*10 + v.sum() }", "x=39 y=0"},
	{"a type switch", "for _, v := range []any{7, true, &point{1, 2}} { switch v := v.(type) { case int: x += v; " +
		"case bool: y++; case *point: x += v.a } }", "x=8 y=1"},
	{"append within and beyond the capacity", "s := make([]int, 1, 2)\nt := append(s, 5)\nu := append(s, 6)\n" +
		"x = t[1]\nv := append(u, 7)\nu[0] = 9\ny = v[0]*10 + len(v)", "x=6 y=3"},
	{"a condition variable", "var mu sync.Mutex\nc := sync.NewCond(&mu)\n" +
		"go func() { mu.Lock(); x = 1; c.Broadcast(); mu.Unlock() }()\nmu.Lock()\nfor x == 0 { c.Wait() }\n" +
		"y = x\nmu.Unlock()", "x=1 y=1"},
	{"a cancelled context", "ctx, cancel := context.WithCancel(context.Background())\ngo cancel()\n<-ctx.Done()\n" +
		"if ctx.Err() == context.Canceled { x = 1 }", "x=1 y=0"},
	{"a timer that is stopped", "t := time.NewTimer(1)\nif t.Stop() { x = 1 } else { y = 1 }", "x=1 y=0"},
	{"a function of a timer that is stopped", "var mu sync.Mutex\nt := time.AfterFunc(1, func() { mu.Lock(); x = " +
		"1; mu.Unlock() })\nif t.Stop() { y = 1 }", "x=0 y=1, x=1 y=0"},
	{"once", "var o sync.Once\nvar wg sync.WaitGroup\nfor range 2 { wg.Go(func() { o.Do(func() { x++ " +
		"}); y = x }) }\nwg.Wait()", "x=1 y=1"},
	{"goroutines in a loop keep their own variable", "var wg sync.WaitGroup\nvar mu sync.Mutex\n" +
		"for i := range 3 { wg.Go(func() { mu.Lock(); x += i; mu.Unlock() }) }\nwg.Wait()", "x=3 y=0"},
	{"loops with constant counts", "c := make(chan int, 20)\nfor i := 0; i < 6; i++ { go func(k int) { c <- k " +
		"}(i) }\nfor range 6 { x += <-c }\n" +
		"for i := range 5 { if i%2 == 0 { p := &point{i, i}; y += p.sum() } else { y++ } }", "x=15 y=14"},
	{"a map", "m := map[string]int{\"a\": 1}\nm[\"b\"] += 5\nv, ok := m[\"c\"]\n" +
		"if !ok { x = m[\"a\"] + m[\"b\"] + v }\ndelete(m, \"a\")\ny = len(m)*10 + m[\"a\"]", "x=6 y=10"},
	{"a nil map", "var m map[int]bool\nif !m[3] && len(m) == 0 { x = 1 }\nfor range m { x = 9 }\ndelete(m, 1)",
		"x=1 y=0"},
	{"range over a map takes any order", "m := map[int]int{1: 10, 2: 20, 3: 30}\nfor k := range m { x = x*10 + k }",
		"x=123 y=0, x=132 y=0, x=213 y=0, x=231 y=0, x=312 y=0, x=321 y=0"},
	{"range over a map that entries are deleted from", "m := map[int]int{1: 10, 2: 20}\n" +
		"for k := range m { delete(m, 3-k); x = k; y++ }", "x=1 y=1, x=2 y=1"},
	{"a sum over a map", "m := map[int]int{}\nfor i := range 5 { m[i] = i * i }\ns := 0\n" +
		"for _, v := range m { s += v }\nx = s\nclear(m)\ny = len(m)", "x=30 y=0"},
	{"a map of maps and structs", "type key struct{ a, b int }\nm := map[key]map[bool]*point{}\n" +
		"m[key{1, 2}] = map[bool]*point{true: {3, 4}}\n" +
		"m[key{1, 2}][true].a++\nif p := m[key{1, 2}][false]; p == nil { x = m[key{1, 2}][true].sum() }\n" +
		"y = len(m[key{2, 1}])", "x=8 y=0"},
	{"a map with interfaces as keys", "m := map[any]int{1: 1, true: 2}\nvar p any = &point{}\nm[p] = 3\n" +
		"x = m[1]*100 + m[true]*10 + m[p]\ny = m[int8(1)]", "x=123 y=0"},
	{"copy to and fro", "s := []int{1, 2, 3, 4}\nx = copy(s[1:], s)\ny = s[1]*100 + s[2]*10 + s[3]\n" +
		"copy(s, s[2:])\nx = x*10 + s[0]\nclear(s)\ny += s[3]", "x=32 y=123"},
	{"a select sends only to who waits", "c, done := make(chan int), make(chan int)\n" +
		"go func() { x = <-c; done <- 0 }()\nselect {\ncase c <- 1:\ny = 1\ndefault:\ny = 2\nclose(c)\n}\n<-done",
		"x=0 y=2, x=1 y=1"},
	{"two selects, each may send", "c, d, done := make(chan int), make(chan int), make(chan int)\n" +
		"go func() { select { case c <- 1: x = 1\ncase v := <-d: x = 10 + v }; done <- 0 }()\n" +
		"select { case d <- 2: y = 2\ncase v := <-c: y = 20 + v }\n<-done", "x=1 y=21, x=12 y=2"},
	{"a select with a default receives from a select",
		"c, stop, done := make(chan int), make(chan int), make(chan int)\n" +
			"go func() { select { case c <- 5: x = 1\ncase <-stop: x = 2 }; done <- 0 }()\n" +
			"select { case y = <-c:\ndefault: y = 9 }\nclose(stop)\n<-done", "x=1 y=5, x=2 y=9"},
	{"a producer that can be stopped", "out, stop := make(chan int), make(chan int)\n" +
		"go func() { defer close(out); for i := range 3 { select { case out <- i + 1: case " +
		"<-stop: return } } }()\n" +
		"x = <-out\ny = <-out\nclose(stop)\nfor range out { y += 10 }", "x=1 y=12, x=1 y=2"},
	{"two receivers, one select that sends", "c, done := make(chan int), make(chan int, 2)\n" +
		"go func() { x = <-c; done <- 0 }()\ngo func() { y = <-c; done <- 0 }()\n" +
		"for i := range 2 { select { case c <- i + 1:\ncase <-done: i = 9 } }",
		"x=0 y=1, x=1 y=0, x=1 y=2, x=2 y=1"},
	{"deferred calls in a loop run backwards", "f := func() { for i := range 3 { defer func() { x = x*10 + i }() " +
		"}; defer func(k int) { x = k }(7) }\nf()", "x=7210 y=0"},
	{"recover from a nil map", "f := func() { defer func() { if r := recover(); r != nil { y = 1 } }()\n" +
		"var m map[int]int\nx = 1\nm[0] = 1\nx = 2 }\nf()", "x=1 y=1"},
	{"the value of a panic", "f := func() (n int) { defer func() { if k, ok := recover().(int); ok { n = k } " +
		"}()\npanic(5) }\nx = f()\ny = x + 1", "x=5 y=6"},
	{"deferred calls between a panic and who recovers",
		"g := func(p *point) int { defer func() { x++ }(); return p.a }\n" +
			"f := func() { defer func() { recover(); x *= 10 }(); x = 1 + g(nil); x = 9 }\nf()\ny = 1", "x=10 y=1"},
	{"nothing to recover from", "f := func() (n int) { defer func() { if recover() == nil { n += 2 } }()\n" +
		"return 4 }\nx = f()", "x=6 y=0"},
	{"a panic in a deferred call", "f := func() { defer func() { if r := recover(); r == 2 { x = 2 } }()\n" +
		"defer func() { panic(2) }()\npanic(1) }\nf()", "x=2 y=0"},
	{"recovered from closing twice", "c := make(chan int)\nf := func() { defer func() { recover(); x++ }()\n" +
		"close(c) }\nf()\nf()\n_, ok := <-c\nif !ok { y = 1 }", "x=2 y=1"},
	{"things that two make and one uses", "c := make(chan *point, 2)\nfor range 2 { go func() { c <- new(point) " +
		"}() }\np, q := <-c, <-c\np.a = 1\nq.a = 2\nx = p.a\ny = q.a", "x=1 y=2"},
	{"a thing that one makes and another one uses", "c := make(chan int)\np := &point{}\n" +
		"go func() { p.a += 2; c <- p.a }()\nx = <-c", "x=2 y=0"},
	{"a locker", "var mu sync.Mutex\nvar l sync.Locker = &mu\nc := make(chan int, 2)\n" +
		"for range 2 { go func() { l.Lock(); x++; l.Unlock(); c <- 0 }() }\n<-c\n<-c", "x=2 y=0"},
	{"a capacity that is computed", "n := 1\nif x == 0 { n = 2 }\nc := make(chan int, n)\nc <- 4\nc <- 5\n" +
		"select {\ncase c <- 6:\ny = 1\ndefault:\ny = 10*cap(c) + len(c)\n}\nx = <-c", "x=4 y=22"},
	{"texts are made and not looked into", "s := strconv.Itoa(x) + strings.Repeat(\"a\", 3)\n" +
		"m := map[int]string{1: s}\nif _, ok := m[1]; ok { x = 1 }", "x=1 y=0"},
	{"flags", "const (\na = 1 << iota\nb\nc\n)\nf := a | c\nf &^= a\nif f&c != 0 && f&b == 0 { x = f ^ b }\ny = ^f",
		"x=6 y=-5"},
	{"shifts by what is computed", "for i := range 3 { x += 1 << i }\nu := uint8(200)\nn := uint(x) - 4\n" +
		"y = int(u<<n)*1000 + int(int8(u)>>n) + int(u>>n)\nx = int(u >> (n + 60))", "x=0 y=64018"},
	{"a shift by a negative number", "defer func() { if recover() != nil { y = 1 } }()\nx = 8 >> (x - 1)", "x=0 y=1"},
	{"a hash", "h := uint32(2166136261)\nfor i := range 3 { h ^= uint32(i)\nh *= 16777619 }\nx = int(h)\n" +
		"y = int(h>>16 ^ h&0xffff)", "x=581859880 y=22662"},
	{"an error as its type", "err := fmt.Errorf(\"%d: %w\", x, &coded{7})\nvar c *coded\n" +
		"if errors.As(err, &c) { x = c.code }\nvar s interface{ sum() int }\nif errors.As(err, &s) { y = 1 }\n" +
		"if c, ok := errors.AsType[*coded](errors.Join(nil, errors.New(\"a\"), err)); ok { y = c.code * 10 }",
		"x=7 y=70"},
	{"what an error is", "a, b := errors.New(\"a\"), errors.New(\"b\")\nis := func(err, target error) { x *= 2; if " +
		"errors.Is(err, target) { x++ } }\nis(fmt.Errorf(\"%v\", a), a)\nis(fmt.Errorf(\"%s %w\", a, b), b)\n" +
		"is(fmt.Errorf(\"%s %w\", a, b), a)\nis(fmt.Errorf(\"%w %w\", a, b), b)\nis(errors.Join(a, b), b)\n" +
		"is(errors.Join(nil, a), b)\nis(fmt.Errorf(\"%w\", &coded{3}), &coded{3})\nis(&coded{3}, &coded{4})\n" +
		"is(nil, a)\nif errors.Join(nil) == nil { y = 1 }", "x=180 y=1"},
	{"the bytes of a text", "b := []byte(\"ab\")\nb[0]++\nx = int(b[0])*1000 + int(b[1]) + len([]byte(\"\"))\n" +
		"r := []rune(\"é!\")\ny = len(r)*1000 + int(r[0])", "x=98098 y=2233"},
	{"the bytes of a text that is known", "f := func(n int) string { if n > 0 { return \"one\" }; return \"é\" }\n" +
		"for i := range 2 { b := []byte(f(i))\nx = x*10 + len(b)\nb[0]++\ny = y*1000 + int(b[0]) }\n" +
		"x = x*1000 + len([]rune(f(x-23)))*100 + int([]rune(f(0))[0])", "x=23333 y=196112"},
	{"equal bytes", "a, b := []byte(\"ab\"), []byte{97, 99}\nif bytes.Equal(a, b) { x = 1 }\nb[1]--\n" +
		"if bytes.Equal(a, b) && !bytes.Equal(a, a[:1]) { y = 1 }", "x=0 y=1"},
	{"a signal comes at any time", "c := make(chan os.Signal, 1)\nsignal.Notify(c, os.Interrupt)\nselect {\n" +
		"case s := <-c: x = 1\nif s == os.Interrupt { y = 1 }\ndefault: x = 2\n}", "x=1 y=1, x=2 y=0"},
	{"no signal comes any more", "c := make(chan os.Signal, 1)\nsignal.Notify(c, syscall.SIGTERM, os.Kill)\n" +
		"signal.Stop(c)\nfor range 2 { select {\ncase <-c: x++\ndefault: }\n}\nclose(c)", "x=0 y=0, x=1 y=0"},
	{"a signal ends a context", "ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)\n" +
		"defer stop()\nif ctx.Err() == nil { x = 1 }\n<-ctx.Done()\ny = 1", "x=0 y=1, x=1 y=1"},
	{"closing takes what waits to be received", "c, done := make(chan int), make(chan int)\n" +
		"go func() { defer func() { recover(); close(done) }(); c <- 3; x = 9 }()\nclose(c)\ny = <-c + 5\n<-done",
		"x=0 y=5"},
	{"a goroutine that closes a channel", "c := make(chan int)\ngo close(c)\nv, ok := <-c\nif !ok { x = v + 1 }\n" +
		"d := make(chan int, 1)\nd <- 3\ngo close((chan<- int)(d))\ny = <-d", "x=1 y=3"},
	{"reading until there is enough", "r, w := io.Pipe()\ngo func() { w.Write([]byte{1, 2}); w.Write([]byte{3}); " +
		"w.Close() }()\nb := make([]byte, 3)\nn, _ := io.ReadFull(r, b)\nx = n*10 + int(b[2])\n" +
		"if _, err := io.ReadFull(r, b); err == io.EOF { y = 1 }", "x=33 y=1"},
	{"there is not enough", "r, w := io.Pipe()\ngo func() { w.Write([]byte{1, 2}); w.CloseWithError(nil) }()\n" +
		"b := make([]byte, 3)\nn, err := io.ReadFull(r, b)\nx = n\nif err == io.ErrUnexpectedEOF { y = 1 }", "x=2 y=1"},
	{"a pipe whose reader is closed", "r, w := io.Pipe()\ngo r.Close()\n_, err := w.Write([]byte{1})\n" +
		"if err == io.ErrClosedPipe { x = 1 }\nif _, err := r.Read(nil); err == io.ErrClosedPipe { y = 1 }", "x=1 y=1"},
	{"a pipe that is closed with an error", "r, w := io.Pipe()\nerr := errors.New(\"gone\")\n" +
		"go w.CloseWithError(err)\n_, is := io.NopCloser(r).Read(make([]byte, 1))\nif is == err { x = 1 }\n" +
		"if _, is := w.Write([]byte{1}); is == io.ErrClosedPipe { y = 1 }", "x=1 y=1"},
	{"a sleep takes time", "start := time.Now()\ntime.Sleep(time.Second)\nx = int(time.Since(start) / time.Second)\n" +
		"if time.Now().After(start.Add(time.Millisecond)) { y = 1 }", "x=1 y=1"},
	{"a timer that fires says how late it is", "start := time.Now()\nat := <-time.After(2)\nx = int(at.Sub(start))\n" +
		"time.AfterFunc(9, func() {}).Stop()\ny = int(time.Since(start))", "x=2 y=12, x=2 y=3"},
	{"sleeps beside each other", "start := time.Now()\nvar wg sync.WaitGroup\n" +
		"for range 2 { wg.Go(func() { time.Sleep(3) }) }\nwg.Wait()\nx = int(time.Since(start))", "x=4 y=0, x=7 y=0"},
	{"who does not look does not notice", "time.Sleep(time.Second)\nt := time.NewTimer(time.Hour)\nselect {\n" +
		"case <-t.C: x = 1\ndefault: x = 2 }", "x=1 y=0, x=2 y=0"},
	{"Goexit runs deferred calls", "c := make(chan int, 1)\ngo func() { defer func() { c <- 4 }(); func() { " +
		"runtime.Goexit() }(); x = 9 }()\ny = <-c", "x=0 y=4"},
}

// TestOutcomes compares what small programs do with what Go says that they do. Each prints, in all interleavings, the
// values of its variables at the end.
func TestOutcomes(t *testing.T) {
	var bodies []string
	for _, tt := range smallPrograms {
		bodies = append(bodies, tt.body)
	}
	set, folders := writeAll(t, bodies)
	for k, tt := range smallPrograms {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := set.Program(t.Context(), golang.Options{Path: folders[k], Func: "main", NoRaces: true})
			if err != nil {
				t.Fatal(err)
			}
			m := machine(t, p)
			alg, err := explore.Find("optimal")
			if err != nil {
				t.Fatal(err)
			}
			res, err := explore.Run(t.Context(), m, alg, explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if res.Verdict != explore.OK {
				t.Errorf("verdict %s, stopped by %s, %v", res.Verdict, res.Stopped, m.BoundsHit())
			}
			var list []string
			for i := range res.Outcomes.Len() {
				w := res.Outcomes.At(i).Words
				list = append(list, fmt.Sprintf("x=%d y=%d", w[0], w[1]))
			}
			slices.Sort(list)
			if got := strings.Join(slices.Compact(list), ", "); got != tt.want {
				t.Errorf("outcomes %s, want %s", got, tt.want)
			}
		})
	}
}

// TestRaces: an access is a data race if another one that conflicts with it can come at the same time, and both are
// none of sync/atomic. All algorithms find the same as the search of all interleavings.
func TestRaces(t *testing.T) {
	const two = "var wg sync.WaitGroup\nwg.Add(2)\ngo func() { defer wg.Done(); %s }()\n" +
		"go func() { defer wg.Done(); %s }()\nwg.Wait()\n"
	table := []struct {
		name, before, a, b string
		race               bool
	}{
		{"two writes", "", "x = 1", "x = 1", true},
		{"a write and a read", "", "x = 1", "y = x", true},
		{"two reads", "", "_ = x + 1", "_ = x + 2", false},
		{"under a mutex", "var mu sync.Mutex", "mu.Lock(); x++; mu.Unlock()", "mu.Lock(); x++; mu.Unlock()", false},
		{"under different mutexes", "var mu, nu sync.Mutex", "mu.Lock(); x++; mu.Unlock()",
			"nu.Lock(); x++; nu.Unlock()", true},
		{"reading under a read lock", "var mu sync.RWMutex", "mu.RLock(); y = x; mu.RUnlock()",
			"mu.Lock(); x = 1; mu.Unlock()", false},
		{"writing under a read lock", "var mu sync.RWMutex", "mu.RLock(); x = 2; mu.RUnlock()",
			"mu.RLock(); x = 1; mu.RUnlock()", true},
		{"published through a channel", "c := make(chan int, 1)", "x = 1; c <- 0", "<-c; y = x", false},
		{"written after publishing", "c := make(chan int, 1)", "c <- 0; x = 1", "<-c; y = x", true},
		{"published through an atomic", "var f atomic.Bool", "x = 1; f.Store(true)", "if f.Load() { y = x }", false},
		{"written after an atomic", "var f atomic.Bool", "f.Store(true); x = 1", "if f.Load() { y = x }", true},
		{"an atomic addition and a read", "var n int32", "atomic.AddInt32(&n, 1)", "y = int(n)", true},
		{"an atomic load and a write", "var n int32", "n = 5", "y = int(atomic.LoadInt32(&n))", true},
		{"an atomic load and a read", "var n int32", "y = int(n)", "x = int(atomic.LoadInt32(&n))", false},
		{"two atomic additions", "var n int32", "atomic.AddInt32(&n, 1)", "atomic.AddInt32(&n, 1)", false},
		{"different fields", "var p point", "p.a = 1", "p.b = 1", false},
		{"a field and the whole", "var p point", "p.a = 1", "q := p; y = q.b", true},
		{"different elements", "s := make([]int, 2)", "s[0] = 1", "s[1] = 1", false},
		{"the same element", "s := make([]int, 2)", "s[1] = 1", "for i := range s { s[i] = 2 }", true},
		{"elements of a slice that was empty", "s := []int{}\ns = append(s, 1)", "s[0] = 1", "s[0] = 2", true},
		{"a map", "m := map[int]int{}", "m[1] = 1", "m[2] = 2", true},
		{"reading a map", "m := map[int]int{1: 1}", "y = m[1]", "x = len(m)", false},
		{"ranging over a map", "m := map[int]int{1: 1}", "for k := range m { y = k }", "delete(m, 1)", true},
		{"through pointers", "p, q := &point{}, &point{}", "p.a = 1", "q.a = 1", false},
		{"through a pointer that may be either", "p, q := &point{}, &point{}\nif x > 0 { q = p }\n" +
			"r := p\nif x == 0 { r = q }", "q.a = 1", "r.a = 1", true},
		{"checked before the lock", "var mu sync.Mutex\nvar p *point",
			"if p == nil { mu.Lock(); p = &point{}; mu.Unlock() }", "mu.Lock(); p = &point{}; mu.Unlock()", true},
		{"in sync.Once", "var o sync.Once", "o.Do(func() { x = 1 }); _ = x + 1",
			"o.Do(func() { x = 2 }); _ = x + 2", false},
		{"a write that never comes at the same time", "c := make(chan int)", "x = 1; close(c); y = 2",
			"<-c; x = 2", false},
	}
	var bodies []string
	for _, tt := range table {
		bodies = append(bodies, tt.before+"\n"+fmt.Sprintf(two, tt.a, tt.b))
	}
	set, folders := writeAll(t, bodies)
	for k, tt := range table {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := set.Program(t.Context(), golang.Options{Path: folders[k], Func: "main"})
			if err != nil {
				t.Fatal(err)
			}
			m := machine(t, p)
			want := []string{""}
			if all, _ := interleavings(t, m); tt.race {
				want = all // some interleavings may have none
				if !slices.Contains(all, "data race") {
					t.Fatalf("all interleavings end with %q", all)
				}
			}
			for _, alg := range []string{"source", "optimal", "auto", "exhaustive"} {
				if found, _, _ := ends(t, m, alg); !slices.Equal(found, want) {
					t.Errorf("%s ends with %q, want %q", alg, found, want)
				}
			}
		})
	}
}

// write makes a file with a main function.
func write(t *testing.T, body string) string { return writeIn(t, t.TempDir(), body) }

func writeIn(t *testing.T, dir, body string) string {
	t.Helper()
	text := "package main\n\nimport (\n"
	for _, p := range []string{"bytes", "context", "errors", "fmt", "io", "os", "os/signal", "runtime", "strconv",
		"strings", "sync", "sync/atomic", "syscall", "time", "unsafe"} {
		if regexp.MustCompile(`\b` + p[strings.LastIndex(p, "/")+1:] + `\.`).MatchString(body) {
			text += fmt.Sprintf("\t%q\n", p)
		}
	}
	text += ")\n\nvar x, y int\n\ntype shape interface{ sum() int }\n\ntype point struct{ a, b int }\n\n" +
		"func (p *point) sum() int { return p.a + p.b }\n\n" +
		"type square int\n\nfunc (s square) sum() int { return int(s) * int(s) }\n\n" +
		"type coded struct{ code int }\n\nfunc (e *coded) Error() string { return \"coded\" }\n\n" +
		"func (e *coded) Is(other error) bool {\nc, ok := other.(*coded)\nreturn ok && c.code == e.code\n}\n\n" +
		"func main() {\nx, y = 0, 0\n" +
		body + "\n}\n"
	path := filepath.Join(dir, "prog.go")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeAll makes a package with a main function of each body, and loads them together.
func writeAll(t *testing.T, bodies []string) (set *golang.Set, folders []string) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module bodies\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for k, body := range bodies {
		dir := filepath.Join(root, fmt.Sprint("p", k))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		writeIn(t, dir, body)
		folders = append(folders, dir)
	}
	set, err := golang.Open(t.Context(), root+"/...")
	if err != nil {
		t.Fatal(err)
	}
	return set, folders
}

// TestImports: a package may import what cannot be explored, as long as it does not get there.
func TestImports(t *testing.T) {
	if testing.Short() {
		t.Skip("loads much of the library")
	}
	text := "package main\n\nimport (\n"
	for _, p := range []string{"encoding/json", "flag", "io/ioutil", "log/slog", "net/http", "net/rpc", "os",
		"path/filepath", "reflect", "regexp", "testing/quick", "text/template"} {
		text += fmt.Sprintf("\t_ %q\n", p)
	}
	path := filepath.Join(t.TempDir(), "prog.go")
	text += ")\n\nfunc main() { c := make(chan int, 1); c <- 1 }\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := golang.Load(t.Context(), golang.Options{Path: path}); err != nil {
		t.Error(err)
	}
}

// TestRefused has the messages about programs that cannot be explored.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"keys that are structs in interfaces", "m := map[any]int{}\nm[point{1, 2}] = 1\nx = m[point{1, 2}]",
			"comparing interfaces that hold values of type"},
		{"floats", "f := float64(x)\nx = int(f * f)", "values of type float64 are not supported"},
		{"unsafe", "x = *(*int)(unsafe.Pointer(&x))", "unsafe.Pointer is not supported: use pointers"},
		{"a type error", "x = true", "cannot use true"},
		{"the library", "s := strings.Fields(\"a b\")\nx = len(s)", "strings.Fields is not supported: at "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := golang.Load(t.Context(), golang.Options{Path: write(t, tt.body)})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "prog.go:") {
				t.Errorf("error %v, want one with %q and a place", err, tt.want)
			}
		})
	}
}

// TestCgo: files that call C are named, as the go command only says that there is nothing to build.
func TestCgo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prog.go")
	text := "package main\n\n// int f() { return 1; }\nimport \"C\"\n\nfunc main() { println(C.f()) }\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module prog\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, dir} {
		_, err := golang.Load(t.Context(), golang.Options{Path: p})
		if want := path + ":4:8: cgo is not supported: write "; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", p, err, want)
		}
	}
}

// TestLineDirectives: steps are at their places in the Go file, and show its text, whatever its line directives name.
func TestLineDirectives(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.txt")
	path := filepath.Join(dir, "prog.go")
	text := "package main\n\nvar s = `\n//line " + secret + ":1\n`\n\nfunc main() {\n" +
		"\tc := make(chan int, len(s))\n//line " + secret + ":1\n" +
		"\tgo func() { c <- 1 }()\n/*line " + secret + ":2*/\t<-c\n}\n"
	for name, text := range map[string]string{secret: "secret 1\nsecret 2\n", path: text} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := golang.Load(t.Context(), golang.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, tmpl := range s.Step.Templates {
		for _, st := range tmpl.Nodes {
			if strings.Contains(st.Text, "secret 1") || strings.Contains(st.Text, "secret 2") ||
				strings.HasSuffix(st.Pos.File, "secret.txt") {
				t.Errorf("%s has the text %q", st.Pos, st.Text)
			}
			seen[fmt.Sprintf("%d %s", st.Pos.Line, st.Text)] = true
		}
	}
	for _, want := range []string{"10 go func() { c <- 1 }()", "11 /*line " + secret + ":2*/\t<-c"} {
		if !seen[want] {
			t.Errorf("no step %q among %q", want, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// TestOutside: packages that are not entered may be imported and mentioned where the program does not get to, and
// values of their types passed around; what it uses of them is refused with what to do instead.
func TestOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("loads much of the library")
	}
	text := `package main

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"unicode"
)

type client interface {
	Get(url string) (*http.Response, error)
}

type fake chan int

func (f fake) Get(url string) (*http.Response, error) {
	f <- 1
	return nil, nil
}

var unused = func() {
	json.Marshal(nil)
	unicode.IsUpper('c')
	exec.Command("x").Run()
	_, _ = sql.Open, os.Getpid
}

func get() client {
	var c client = make(fake, 1)
	c.Get("x")
	return c
}

`
	const (
		outside = "the outside world is not modelled: let the code take an interface"
		files   = "files and processes are not modelled: let the code take an interface"
	)
	table := []struct{ use, want string }{
		{"_, _, _ = os.Args, http.MethodGet, sql.LevelDefault", ""},
		{`http.Get("x")`, "%d:40: net/http.Get is not supported: " + outside},
		{`go http.ListenAndServe("x", nil)`, "%d:32: go net/http.ListenAndServe is not supported: " + outside},
		{`f := http.ListenAndServe; if c == nil { f = nil }; go f("x", nil)`,
			"%d:83: go net/http.ListenAndServe is not supported: " + outside},
		{`defer os.Remove("x")`, "%d:32: os.Remove is not supported: " + files},
		{`f := os.Mkdir; if c == nil { f = nil }; f("x", 0)`, "%d:73: os.Mkdir is not supported: " + files},
		{"var err error; if err == sql.ErrNoRows { return }",
			"%d:61: database/sql.ErrNoRows is not supported: " + outside},
		{"var x *exec.Cmd; x.Run()", "%d:54: (*os/exec.Cmd).Run is not supported: " + files},
		{"json.Marshal(nil)", "%d:44: encoding/json.Marshal is not supported: the bytes of texts are not modelled: " +
			"begin the test behind it, with the values that it would return"},
	}
	first := strings.Count(text, "\n") + 1
	for n, tt := range table {
		text += fmt.Sprintf("func f%d() { c := get(); _ = c; %s }\n", n, tt.use)
	}
	path := filepath.Join(t.TempDir(), "prog.go")
	if err := os.WriteFile(path, []byte(text+"func main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := golang.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for n, tt := range table {
		_, err := set.Program(t.Context(), golang.Options{Func: fmt.Sprintf("f%d", n)})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.use, err)
		case tt.want != "":
			want := fmt.Sprintf("prog.go:"+tt.want, first+n)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %v, want one line with %q", tt.use, err, want)
			}
		}
	}
}

// TestBounds: a program without a limit of its own is never found free of errors, and a larger bound goes further.
func TestBounds(t *testing.T) {
	path := write(t, "for { go func() { x = 1 }() }")
	for _, n := range []int{1, 3} {
		p, err := golang.Load(t.Context(),
			golang.Options{Path: path, NoRaces: true, Bounds: golang.Bounds{Goroutines: n}})
		if err != nil {
			t.Fatal(err)
		}
		m, err := step.NewMachine(p.Step)
		if err != nil {
			t.Fatal(err)
		}
		alg, _ := explore.Find("optimal")
		res, err := explore.Run(t.Context(), m, alg, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Verdict != explore.Bounded || res.Stopped != explore.StoppedBounds || len(m.BoundsHit()) != 1 {
			t.Errorf("verdict %s, stopped by %s, bounds %v", res.Verdict, res.Stopped, m.BoundsHit())
		}
		if want := max(n, 2) + 1; m.NumProcs() != want {
			t.Errorf("bound %d: %d processes, want %d", n, m.NumProcs(), want)
		}
	}
}

// TestFewerGoroutines: where goroutines that start others in loops could become more than there can be, and nobody has
// said how many, each loop starts fewer. Who has said it is told.
func TestFewerGoroutines(t *testing.T) {
	body := "mu.Lock(); x++; mu.Unlock()"
	for range 4 {
		body = "for range n() { go func() { " + body + " }() }"
	}
	path := write(t, "var mu sync.Mutex\nn := func() int { mu.Lock(); defer mu.Unlock(); return 1 + y }\n"+body)
	p, err := golang.Load(t.Context(), golang.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(p.Step)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + 2 + 4 + 8 + 16; p.Bounds.Goroutines != 2 || m.NumProcs() != want {
		t.Errorf("bound %d, %d processes, want 2 and %d", p.Bounds.Goroutines, m.NumProcs(), want)
	}
	alg, _ := explore.Find("optimal")
	res, err := explore.Run(t.Context(), m, alg, explore.Options{})
	if err != nil || res.Verdict != explore.OK {
		t.Errorf("result %v, error %v", res, err)
	}
	_, err = golang.Load(t.Context(), golang.Options{Path: path, Bounds: golang.Bounds{Goroutines: 4}})
	if err == nil || !strings.Contains(err.Error(), "more than 128 goroutines may start here") {
		t.Errorf("with a bound: error %v", err)
	}
}

// TestTicks: a ticker ticks as often as the bound says.
func TestTicks(t *testing.T) {
	path := write(t, "tick := time.NewTicker(1)\nfor range 6 { select {\ncase <-tick.C: x++\ndefault:\n}\n}\n"+
		"tick.Stop()")
	for n := 1; n <= 4; n++ {
		p, err := golang.Load(t.Context(), golang.Options{Path: path, Bounds: golang.Bounds{Ticks: n}})
		if err != nil {
			t.Fatal(err)
		}
		alg, _ := explore.Find("exhaustive")
		res, err := explore.Run(t.Context(), machine(t, p), alg, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		most := int64(0)
		for i := range res.Outcomes.Len() {
			most = max(most, res.Outcomes.At(i).Words[0])
		}
		if most != int64(n) || res.Verdict != explore.Bounded {
			t.Errorf("bound %d: %d ticks, verdict %s", n, most, res.Verdict)
		}
	}
}

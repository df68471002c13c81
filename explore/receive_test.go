package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/states"
	"cdpor/lang"
	"cdpor/lang/langtest"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

// receivedEnds are the ends of a program in which messages are received.
type receivedEnds struct {
	got       []string // values of the list got
	deadlocks int
	faults    []step.Fault
}

const (
	sendAll = "  s: \"server!1; server!2; server!3; go = true\"\n"
	fifo    = "mailbox: {of: int, capacity: 3}"
	bag     = "mailbox: {of: int, capacity: 3, order: bag}"
)

// receivers are programs with the ends that they have.
var receivers = map[string]struct {
	threads string // sends, and so on
	mailbox string
	server  string
	want    receivedEnds
}{
	"the first in order of arrival that some case wants": {sendAll, fifo,
		"await go; receive { case m if m > 1 { put(m) } }; " +
			"receive { case m { put(m) } }; receive { case m { put(m) } }",
		receivedEnds{got: []string{"[2, 1, 3]"}}},
	"messages before cases": {sendAll, fifo,
		"await go; receive { case m if m == 3 { put(30) } case m if m == 2 { put(20) } }; " +
			"receive { case m if m == 1 { put(10) } case m { put(m) } }",
		receivedEnds{got: []string{"[20, 10]"}}},
	"cases in order": {sendAll, fifo,
		"await go; receive { case a if a < 2 { put(7) } case a if a < 9 { put(8) } case { put(9) } }",
		receivedEnds{got: []string{"[7]"}}},
	"the last one in the middle of the queue": {sendAll, fifo,
		"await go; receive { case m if m == 3 { put(m) } }; receive { case m if m == 2 { put(m) } }; " +
			"receive { case m { put(m) } after { put(0) } }; receive { case m { put(m) } after { put(0) } }",
		receivedEnds{got: []string{"[3, 2, 1, 0]"}}},
	"after only when nothing matches": {sendAll, fifo,
		"await go; receive { case m if m > 3 { put(m) } after { put(0) } }; " +
			"receive { case m if m > 2 { put(m) } after { put(0) } }",
		receivedEnds{got: []string{"[0, 3]"}}},
	"after depends on the schedule": {sendAll, fifo, "receive { case m { put(m) } after { put(0) } }",
		receivedEnds{got: []string{"[0]", "[1]"}}},
	"after any at any time": {sendAll, fifo, "await go; receive { case m { put(m) } after any { put(0) } }",
		receivedEnds{got: []string{"[0]", "[1]"}}},
	"after any blocks nobody": {sendAll, fifo, "receive { case m if m > 3 { put(m) } after any { put(0) } }",
		receivedEnds{got: []string{"[0]"}}},
	"waiting in vain": {sendAll, fifo, "receive { case m if m > 3 { put(m) } }", receivedEnds{deadlocks: 1}},
	"locals decide": {sendAll, fifo, "let k = 2; await go; receive { case m if m == k + 1 { put(m) } }",
		receivedEnds{got: []string{"[3]"}}},
	"atomic": {sendAll, fifo, "atomic { receive { case m if m == 2 { put(m) } }; put(go ? 1 : 0) }",
		receivedEnds{got: []string{"[2, 0]", "[2, 1]"}}},
	"any of a bag": {sendAll, bag,
		"await go; receive { case m { put(m) } }; receive { case m { put(m) } }; receive { case m { put(m) } }",
		receivedEnds{got: []string{"[1, 2, 3]", "[1, 3, 2]", "[2, 1, 3]", "[2, 3, 1]", "[3, 1, 2]", "[3, 2, 1]"}}},
	"any that is wanted": {sendAll, bag,
		"await go; receive { case m if m != 2 { put(m) } }; " +
			"receive { case m if m > 1 { put(m) } after { put(0) } }",
		receivedEnds{got: []string{"[1, 2]", "[1, 3]", "[3, 2]"}}},
	"a bag as it fills": {sendAll, bag, "receive { case m { put(m) } after { put(0) } }",
		receivedEnds{got: []string{"[0]", "[1]", "[2]", "[3]"}}},
	"a bag, waiting in vain": {sendAll, bag, "receive { case m if m > 3 { put(m) } }", receivedEnds{deadlocks: 1}},
	"equal messages of a bag": {"  s: \"server!1; server!1; go = true\"\n", bag,
		"await go; receive { case m { put(m) } }; receive { case m { put(m) } }; " +
			"receive { case m { put(m) } after any { put(0) } }",
		receivedEnds{got: []string{"[1, 1, 0]"}}},
	"a full queue": {sendAll, "mailbox: {of: int, capacity: 2}", "await go",
		receivedEnds{faults: []step.Fault{step.Full}}},
	"a full bag": {sendAll, "mailbox: {of: int, capacity: 2, order: bag}", "await go",
		receivedEnds{faults: []step.Fault{step.Full}}},
	"out of range": {"  s: \"var k int = 3; server!k\"\n", "mailbox: 0..2", "await go",
		receivedEnds{faults: []step.Fault{step.OutOfRange}}},
	"no such instance": {"  s: \"var k int = 5; w[k]!1\"\n  w: {count: 2, mailbox: int, run: skip}\n",
		fifo, "skip", receivedEnds{faults: []step.Fault{step.BadIndex}}},
	"instances": {
		"  s: \"w[0]!1; w[1]!2\"\n" +
			"  w: {count: 2, mailbox: int, run: \"receive { case m { server!m * 10 + self } }\"}\n",
		fifo, "receive { case m { put(m) } }; receive { case m { put(m) } }",
		receivedEnds{got: []string{"[10, 21]", "[21, 10]"}}},
	"spawned": {
		"  w: {params: [k int], mailbox: int, run: \"receive { case m { server!m + k } }\"}\n", fifo,
		"let a = spawn w(1); let b = spawn w(2); b!20; a!10; join a; join b; " +
			"receive { case m if m > 20 { put(m) } }; receive { case m { put(m) } }",
		receivedEnds{got: []string{"[22, 11]"}}},
	"two kinds of spawned": {
		"  w: {params: [], mailbox: int, run: \"receive { case m { server!m } }\"}\n" +
			"  v: {params: [], mailbox: int, run: \"receive { case m { server!m + 100 } }\"}\n", fifo,
		"let a = spawn w(); let b = spawn v(); a!1; b!2; join a; join b; " +
			"receive { case m if m > 100 { put(m) } }; receive { case m { put(m) } }",
		receivedEnds{got: []string{"[102, 1]"}}},
	"spawned, without mailbox": {
		"  w: {params: [], mailbox: int, run: \"receive { case m { skip } after { skip } }\"}\n" +
			"  v: {params: [], run: skip}\n",
		fifo, "let b = spawn v(); b!1", receivedEnds{faults: []step.Fault{step.Misused}}},
	"to nobody": {
		"  w: {params: [], mailbox: int, run: \"receive { case m { skip } after { skip } }\"}\n",
		fifo, "var b tid; b!1", receivedEnds{faults: []step.Fault{step.NullValue}}},
}

// TestReceive runs small programs with mailboxes: what they can end with is written down by hand, from the description
// of the language. A deadlock counts once for each state.
func TestReceive(t *testing.T) {
	for name, c := range receivers {
		t.Run(name, func(t *testing.T) {
			text := "cdpor: 1\nshared: {got: \"list[int, 8]\", go: bool}\n" +
				"procedures:\n  put(v int): got.append(v)\nobserve: [got]\nthreads:\n" + c.threads +
				"  server:\n    " + c.mailbox + "\n    run: |\n      " + c.server + "\n"
			m := langtest.Machine(t, "receive.yaml", text, nil)
			for _, a := range []*Algorithm{
				states.Algorithm, dpor.SourceAlgorithm, dpor.OptimalAlgorithm, dpor.ConstrainedAlgorithm,
			} {
				r, err := Run(context.Background(), m, a, Options{})
				if err != nil {
					t.Fatal(err)
				}
				found := receivedEnds{deadlocks: r.Deadlocks.Len()}
				for _, v := range r.Violations {
					if v.Kind == FailedStep && !slices.Contains(found.faults, v.Fault) {
						found.faults = append(found.faults, v.Fault)
					}
				}
				for _, o := range r.Outcomes.All() {
					found.got = append(found.got, lang.FormatValue(m.Program, m.Program.Observe[0].Expr.Type, o.Words))
				}
				slices.SortFunc(found.got, strings.Compare)
				if diff := cmp.Diff(c.want, found, cmp.AllowUnexported(receivedEnds{})); diff != "" {
					t.Errorf("%s (-want +got):\n%s%s", a.Name, diff, text)
				}
			}
		})
	}
}

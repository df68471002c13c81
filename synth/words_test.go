//go:build cgo && !noz3

package synth

import (
	"strings"
	"testing"

	"cdpor/constraints"
)

// personWrote are pairs of steps with the condition that a person would write, which is what is synthesised. Programs
// are shipped ones by name, or written out.
var personWrote = []struct{ program, a, b, want string }{
	{program("l: list[int, 8]; i: int; b: int?", "if !l.full() { l.append(i) }",
		"if l.empty() { b = null } else { b = l.pop() }"), "p.s", "q.s", "!l.full() && !l.empty() && i == l.last()"},
	{program("l: list[int, 200]; i: int; b: int?", "if !l.full() { l.append(i) }",
		"if l.empty() { b = null } else { b = l.pop() }"), "p.s", "q.s", "!l.full() && !l.empty() && i == l.last()"},
	{"actors/fib-futures.yaml", "Fib.fib.2", "Fib.fib.3", "p.a != q || !q.b.done()"},
	{"actors/fib-futures.yaml", "Fib.fib.3", "Fib.fib.3",
		"p.b != q && q.b != p || !q.b.done() && !p.b.done()"},
	{"actors/abd-register.yaml", "main.6", "Client.read.5", "!k.done()"},
	{program("bal: int; rich: bool; paid: 1..5; drawn: 1..5", "rich = bal + paid > LIMIT\nbal += paid",
		"bal -= drawn") + "params: {LIMIT: 10}\n", "p.s", "q.s", "bal + paid <= LIMIT || bal + paid > drawn + LIMIT"},
	{"programs/spsc-ring-two-producers.yaml", "producer.3", "producer.3", "p.place % SIZE != q.place % SIZE"},
	{program("w: int; x: int; z: int", "x = 2 * x + 3 * z", "z = z * w"), "p.s", "q.s", "z == 0 || w == 1"},
	{program("w: int; x: int; y: int; z: int", "y = w * x\ny = 2 * y\nx = x + y", "y = 3 * z\nx = x + y"),
		"p.s", "q.s", "w * x == 0 && z == 0"},
	{"programs/bakery.yaml", "customer.3", "customer.6", "before(number[q.self], q.self, p.most + 1, q.k)"},
	{"programs/bakery.yaml", "customer.6", "customer.10", "before(number[p.self], p.self, number[p.k], p.k)"},
	{"programs/snapshot.yaml", "writer.1", "scanner.1", "p.k != q.k || reg[q.k] == 1"},
	{program("l: list[int, 4]; a: int?; n: int", "if l.empty() { a = null } else { a = l.pop() }", "n = l.sum()"),
		"p.s", "q.s", "l.empty() || l.last() == 0"},
	{program("x: int; y: int; a: bool; b: int", "a = x == y + 1\nb = y", "x = 2\ny = 1"),
		"p.s", "q.s", "x == 2 && y == 1"},
	{"programs/szymanski.yaml", "worker.1", "worker.8", "flag[0] < 2"},
	{"programs/byzantine-generals.yaml", "commander.3", "lieutenant.3",
		"p.k != q.self || (p.chosen == 1) == order[q.self]"},
	{"programs/byzantine-generals.yaml", "lieutenant.6", "lieutenant.10",
		"p.k != q.self || (p.chosen == 1) == told[q.self][p.self]"},
	{"programs/linearizable-array-queue-broken.yaml", "a.4", "c.1",
		"p.dequeue_i != q.dequeue_i && !q.opening"},
	{"liveness/philosophers-conspire.yaml", "philosopher.2", "philosopher.put",
		"q.self != 1 && p.self != 1 || mood[2] == eats && mood[0] == eats"},
	{"programs/linearizable-michael-scott.yaml", "one.12", "two.7", "dequeue_after == 2"},
	{program("load: 0..6; sailing: bool", "if !sailing && load + 1 <= DECK { load += 1 }",
		"if !sailing && load + TRUCK <= DECK { load += TRUCK }") + "params: {DECK: 6, TRUCK: 3}\n", "p.s", "q.s",
		"sailing || load + TRUCK != DECK"},
	{program("temp: int; cold: bool", "temp += 1", "cold = temp < LOW || temp > HIGH") +
		"params: {LOW: 18, HIGH: 24}\n", "p.s", "q.s", "temp != LOW - 1 && temp != HIGH"},
	{program("dirty: array[2] bool; d: 0..1; mine: bool", "if mine { dirty[d] = true }",
		"for k in 0..1 { if !dirty[k] { mine = false } }"), "p.s", "q.s", "!mine || dirty[d]"},
	{program("wait: array[3] int; zone: 0..2; busy: bool", "wait[zone] += 1", "busy = wait[0] + wait[1] + wait[2] > 2"),
		"p.s", "q.s", "wait.sum() != 2"},
	{program("flags: array[3] bool; seen: int", "if flags[0] || flags[1] || flags[2] { seen += 1 }", "seen = 0"),
		"p.s", "q.s", "flags.all(v, !v)"},
	{program("cache: map[0..3, Page, 2]; tick: int; k: 0..3; saved: int; pin: bool", "pin = true",
		"if !pin && cache.has(k) && cold(cache[k], tick) { saved += 1 }") +
		"types: {Page: \"record {dirty bool, used int}\"}\n" +
		"functions:\n  cold(p Page, now int) bool: return now - p.used > 2\n", "p.s", "q.s",
		"pin || !cache.has(k) || !cold(cache[k], tick)"},
	{program("tokens: 0..BURST; sent: int", "tokens = min(BURST, tokens + RATE)",
		"if tokens > 0 { tokens -= 1; sent += 1 }") + "params: {BURST: 4, RATE: 2}\n", "p.s", "q.s",
		"tokens > 0 && tokens + RATE <= BURST"},
	{program("now: int; until: int; n: int", "now += 1", "if until < now { n += 1 }"), "p.s", "q.s", "until != now"},
	{program("now: int; until: int; n: int", "now += 1", "if until < now { n = now }"), "p.s", "q.s",
		"until == now && now + 1 == n || until > now"},
	{program("owner: int?; n: int; k: int", "if owner == null || owner! == k { n += 1 }", "n = 2 * n"), "p.s", "q.s",
		"owner != null && owner != k"},
	{program("jobs: queue[int, 4]; n: int", "if jobs.empty() || jobs.front() == 1 { n += 1 }", "n = 2 * n"), "p.s",
		"q.s", "!jobs.empty() && jobs[0] != 1"},
	{program("free: array[4] bool; v: 0..3; n: int", "if v == 3 { n += 1 }\nfree[v] = true", "n = 2 * n"), "p.s", "q.s",
		"v != 3"},
	{program("owner: NOBODY..2; n: int", "if owner == NOBODY { n += 1 }", "n = 2 * n") + "params: {NOBODY: -1}\n",
		"p.s", "q.s", "owner != NOBODY"},
	{program("term: array[3] int; i: 0..2; j: 0..2; a: int; b: int; n: int; m: int",
		"if term[i] < a { term[i] = a\nn += 1 }", "if term[j] < b { term[j] = b\nm += 1 }"), "p.s", "q.s",
		"i != j || term[i] >= a || term[i] >= b"},
	{program("stock: int; reserved: int; n: 1..3; m: 1..3; late: int",
		"if stock - reserved >= n { reserved += n } else { late += 1 }", "stock += m"), "p.s", "q.s",
		"stock - reserved >= n || stock - reserved + m < n"},
	{program("stock: int; n: 1..9; late: int", "if stock < n { late += 1 }") +
		"  q: {params: {lot: 2}, run: \"s: stock += lot\"}\n", "p.s", "q.s", "stock + lot < n || stock >= n"},
}

// TestPersonWrote: conditions read as if a person had written them. Those of shipped programs may be stronger than the
// weakest, which is what --weakest writes.
func TestPersonWrote(t *testing.T) {
	programs := shipped(t)
	for _, test := range personWrote {
		var set *constraints.Set
		switch prog := programs[test.program]; {
		case prog != nil:
			set, _ = synthesisOf(t, prog, true)
		case strings.HasSuffix(test.program, ".yaml"):
			continue // of the shipped programs a short test has a few
		default:
			set = synthesize(t, test.program)
		}
		pair := find(t, set, test.a, test.b)
		if got := set.Text(pair, pair.Commute); got != test.want {
			t.Errorf("%s, %s: %s (%s), a person wrote\n%s", test.a, test.b, got, pair.Status, test.want)
		}
	}
}

// TestUnseenCases: what no reachable state shows is not in conditions, if the program has few states; the weakest
// condition has it.
func TestUnseenCases(t *testing.T) {
	prog := load(t, `cdpor: 1
shared: {stock: int = 6, late: int}
threads:
  shop:
    count: 2
    params: {lot: self + 1}
    run: |
      for i in 1..2 {
        sell: atomic { if stock >= lot { stock -= lot } else { late += 1 } }
      }
`)
	for _, test := range []struct {
		readable  bool
		step      string
		want      string
		exactness constraints.Status
	}{
		{false, "shop.sell", "stock < p.lot || stock < q.lot || stock >= p.lot + q.lot", constraints.Exact},
		{true, "shop.sell", "stock >= p.lot + q.lot", constraints.Partial},
	} {
		set, _, err := Synthesize(t.Context(), prog, Options{Readable: test.readable})
		if err != nil {
			t.Fatal(err)
		}
		pair := find(t, set, test.step, test.step)
		if got := set.Text(pair, pair.Commute); got != test.want || pair.Status != test.exactness {
			t.Errorf("%s, readable %v: %s (%s), want %s", test.step, test.readable, got, pair.Status, test.want)
		}
	}
}

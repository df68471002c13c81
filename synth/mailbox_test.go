//go:build cgo && !noz3

package synth

import (
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

// mailboxes has messages to a thread by its name, to an instance by its number, and to one by its tid.
const mailboxes = `cdpor: 1
bounds: {worker: 2}
main:
  mailbox: {of: int, capacity: 2}
  run: |
    for i in 1..2 {
      let h = spawn worker(i)
      give: h!i
    }
    first: receive { case m if m > 1 { back[0]!m } }
    any: receive { case m { back[1]!m } after { skip } }
threads:
  worker:
    mailbox: {of: int, capacity: 2}
    params: [k int]
    run: |
      take: receive { case m { main!m } }
  back:
    count: 2
    mailbox: {of: 0..9, capacity: 2, order: bag}
    run: receive { case m { skip } }
`

// TestMailboxPairs asks for what is known about pairs of sends and receives.
func TestMailboxPairs(t *testing.T) {
	set := synthesize(t, mailboxes)
	pairs := map[string]*constraints.Pair{}
	for _, p := range set.Pairs {
		pairs[p.A.Name()+" | "+p.B.Name()] = p
	}
	for name, want := range map[string]struct {
		status  constraints.Status
		commute string
	}{
		"main.give | worker.take":   {constraints.Exact, "h != q || worker.mailbox[q.self].size() == 1"},
		"main.any | worker.take.2":  {constraints.Exact, "main.mailbox.size() == 1"},
		"worker.take | worker.take": {constraints.Exact, "true"},
		"back.1 | main.first.2": {constraints.Exact, "p.self == 1 || " +
			"!back.mailbox[0].full() && !back.mailbox[p.self].empty() && q.m == back.mailbox[p.self].min() || " +
			"back.mailbox[0].full() && back.mailbox[p.self].min() != back.mailbox[p.self].at(1)"},
	} {
		p := pairs[name]
		if p == nil {
			t.Errorf("%s: no constraint", name)
			continue
		}
		if got := lang.FormatExpr(p.Commute, p.A.Template, p.B.Template); got != want.commute ||
			p.Status != want.status {
			t.Errorf("%s: %s, %s, not %s", name, p.Status, got, want.commute)
		}
	}
}

//go:build cgo && !noz3

package explore

import (
	"context"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/lang"
	"cdpor/lang/langtest"
	"cdpor/synth"
)

// TestMailboxes counts what synthesised constraints make of messages. That a send races with a receive only where the
// receive has an after (POPL'14) is no rule of the explorer: it follows from the constraint that a mailbox is neither
// empty nor full. Without after, what is left are the orders in which the messages arrive.
func TestMailboxes(t *testing.T) {
	const text = `cdpor: 1
shared: {got: "list[int, 6]"}
threads:
  sender:
    count: 3
    run: server!self
  server:
    mailbox: int
    run: |
      for i in 1..3 { take: receive { CASES } }
check: {deadlock: allowed}
`
	const room = "!server.mailbox.empty()" // three messages fit
	for _, c := range []struct {
		cases                 string
		uniform               string // of a send and the receive; not asked for if empty
		footprints, remaining int64
	}{
		{"case m { got.append(m) }", room, 30, 6},
		{"case m { got.append(m) } after { got.append(-1) }", room, 120, 48},
		{"case m if m > 1 { got.append(m) }", "", 12, 6},
	} {
		m := langtest.Machine(t, "mailbox.yaml", strings.Replace(text, "CASES", c.cases, 1), nil)
		set, _, err := synth.Synthesize(context.Background(), m.Program, synth.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range set.Pairs {
			uniform := lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template)
			if c.uniform != "" && p.A.Name() == "sender.1" && p.B.Name() == "server.take" && uniform != c.uniform {
				t.Errorf("%s: uniform is %s, not %s", c.cases, uniform, c.uniform)
			}
		}
		for _, run := range []struct {
			algorithm  *Algorithm
			conditions Conditions
			want       int64
		}{
			{dpor.SourceAlgorithm, nil, c.footprints}, {dpor.OptimalAlgorithm, nil, c.footprints},
			{dpor.OptimalAlgorithm, set.Compile(m), c.remaining},
			{dpor.ConstrainedAlgorithm, set.Compile(m), c.remaining},
		} {
			r, err := Run(context.Background(), m, run.algorithm, Options{Conditions: run.conditions})
			if err != nil {
				t.Fatal(err)
			}
			if r.Executions != run.want || r.Blocked != 0 {
				t.Errorf("%s: %s, constraints %t: %d executions, %d blocked; want %d",
					c.cases, run.algorithm.Name, run.conditions != nil, r.Executions, r.Blocked, run.want)
			}
		}
	}
}

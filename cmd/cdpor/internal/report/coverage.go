package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
)

// What of a program no execution goes through: statements, sides of conditions, alternatives; and constraints that were
// never true.

// maxCoveredStates is the number of states that are looked at for what a search of executions may have left out.
const maxCoveredStates = 1_000_000

// What is not taken.
const (
	untakenStatement   = "statement"
	untakenTrue        = "true"        // a condition does not hold
	untakenFalse       = "false"       // it always holds
	untakenAlternative = "alternative" // of a choice, select or receive
)

// An untaken is a part of a program that was not gone through.
type untaken struct {
	Kind        string `json:"kind"`
	Step        string `json:"step"`
	Line        int    `json:"line"`
	Column      int    `json:"column"`
	Text        string `json:"text"`
	Alternative int    `json:"alternative,omitempty"` // from 1
	Of          int    `json:"of,omitempty"`
}

// A coverage lists the parts of a program that a run did not take.
type coverage struct {
	Complete bool `json:"complete"` // no execution at all takes what is listed
	// of the state graph that were looked at for it, 0 if the search itself tells
	States      int64      `json:"states"`
	Statements  int        `json:"statements"`
	Taken       int        `json:"taken"` // of the statements
	Untaken     []untaken  `json:"untaken"`
	Constraints []neverHad `json:"constraints"` // that were asked and never held
}

// A neverHad is a constraint that was asked and never held.
type neverHad struct {
	Steps [2]string `json:"steps"`
	Asked int64     `json:"asked"`
}

// Cover finds the coverage of a run, if it is wanted.
func (r *Report) Cover(ctx context.Context) error {
	if !r.Machine.Covering() || r.Result.Covered == nil {
		return nil
	}
	c := coverageOf(r.Machine, r.Result.Covered)
	if len(c.Untaken) > 0 && !r.Result.CoveredAll {
		if err := explore.Cover(ctx, r.Machine, r.Result, maxCoveredStates, limits.GivingUp(ctx)); err != nil {
			return err
		}
		c = coverageOf(r.Machine, r.Result.Covered)
	}
	c.Complete, c.States = r.Result.CoveredAll || len(c.Untaken) == 0, r.Result.CoveredStates
	for _, p := range r.Result.Pairs {
		if p.Evaluated > 0 && p.Held == 0 {
			c.Constraints = append(c.Constraints, neverHad{[2]string{p.A.Name(), p.B.Name()}, p.Evaluated})
		}
	}
	r.coverage = c
	return nil
}

// A site is a statement of the text, which may have been written out several times: where a procedure is called.
type site struct {
	pos  step.Pos
	text string
}

// A placeCover is the coverage of a place in the text.
type placeCover struct {
	site
	step       string
	taken      bool
	conditions bool   // its nodes include a branch of its own
	ways       uint64 // of that
	choices    []choiceCover
}

// A choiceCover is the coverage of a choice: of a choose statement, or of the cases of a select or receive.
type choiceCover struct {
	ways uint64
	of   int
}

// coverageOf lists what was not gone through, in the order of the text.
func coverageOf(m *step.Machine, c step.Coverage) *coverage {
	places, list := map[site]*placeCover{}, []*placeCover{}
	for _, t := range m.Program.Templates {
		nth := map[site]int{} // choices of a place so far
		for k, n := range t.Nodes {
			if n.Property != nil || n.Ghost || n.Pos == (step.Pos{}) {
				continue
			}
			at := site{n.Pos, n.Text}
			if places[at] == nil {
				places[at] = &placeCover{site: at, step: stepWith(t, k)}
				list = append(list, places[at])
			}
			places[at].add(n, m.Of(c, t, k), nth)
		}
	}
	slices.SortStableFunc(list, func(a, b *placeCover) int {
		return cmp.Or(cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Col, b.pos.Col))
	})
	out := &coverage{Statements: len(list), Untaken: []untaken{}, Constraints: []neverHad{}}
	for _, p := range list {
		if p.taken {
			out.Taken++
		}
		out.Untaken = append(out.Untaken, p.untaken()...)
	}
	return out
}

// stepWith is the name of a step that has a node.
func stepWith(t *step.Template, node int) string {
	for _, s := range t.Steps {
		if slices.Contains(s.Nodes, node) {
			return s.Name()
		}
	}
	return t.Name
}

// add adds what is known of a node of the place.
func (p *placeCover) add(n *step.Node, ways uint64, nth map[site]int) {
	p.taken = p.taken || ways != 0
	word, _, _ := strings.Cut(p.text, " ")
	choice := func(ways uint64, of int) {
		i := nth[p.site]
		for len(p.choices) <= i {
			p.choices = append(p.choices, choiceCover{})
		}
		p.choices[i].ways |= ways
		p.choices[i].of = max(p.choices[i].of, of)
	}
	switch {
	case n.Kind == step.Branch && (word == "if" || word == "while" || word == "for"):
		p.conditions = true
		p.ways |= ways
	case n.Kind == step.Branch && (word == "select" || word == "receive"):
		if k, ok := caseOf(n.Cond); ok {
			choice((ways&step.WayTrue)<<k, int(k)+1)
		}
	case n.Kind == step.Choose && word != "select" && word != "receive":
		if n.Src.Op == step.Const {
			choice(ways, int(n.Src.Words[0]))
		}
		nth[p.site]++
	}
}

// caseOf is the number of a case that a condition made by the compiler is about.
func caseOf(cond *step.Expr) (k int64, ok bool) {
	if cond.Op != step.Eq || cond.Args[0].Op != step.VarRef || !cond.Args[0].Var.Temp || cond.Args[1].Op != step.Const {
		return 0, false
	}
	k = cond.Args[1].Words[0]
	return k, k >= 0 && k < 63
}

// untaken lists what was not gone through of a place.
func (p *placeCover) untaken() (list []untaken) {
	add := func(kind string, alternative, of int) {
		list = append(list, untaken{kind, p.step, p.pos.Line, p.pos.Col, p.text, alternative, of})
	}
	switch {
	case !p.taken:
		add(untakenStatement, 0, 0)
		return list
	case p.conditions && p.ways&step.WayTrue == 0:
		add(untakenTrue, 0, 0)
	case p.conditions && p.ways&step.WayFalse == 0:
		add(untakenFalse, 0, 0)
	}
	for _, c := range p.choices {
		for k := range c.of {
			if c.ways>>k&1 == 0 {
				add(untakenAlternative, k+1, c.of)
			}
		}
	}
	return list
}

// Say says what was not gone through; the page calls it, too.
func (u untaken) Say() string {
	switch u.Kind {
	case untakenTrue:
		return "does not hold"
	case untakenFalse:
		return "always holds"
	case untakenAlternative:
		what := "alternative"
		if strings.HasPrefix(u.Text, "select") {
			what = "case"
		}
		return fmt.Sprintf("%s %d of %d is not taken", what, u.Alternative, u.Of)
	}
	return "not executed"
}

// basis says what the list is worth.
func (c *coverage) basis() string {
	switch {
	case len(c.Untaken) == 0:
		return "everything is"
	case c.Complete && c.States > 0:
		return fmt.Sprintf("no execution takes what follows\n%-12s (the state graph was searched for that: %s)", "",
			terminal.Plural(int(c.States), "state"))
	case c.Complete:
		return "no execution takes what follows"
	case c.States > 0:
		return fmt.Sprintf("what follows was not taken\n%-12s (no proof: only %s of the state graph were searched)", "",
			terminal.Plural(int(c.States), "state"))
	}
	return "what follows was not taken in the part that was explored"
}

// maxUntaken is the number of lines that the text has of it.
const maxUntaken = 20

// print writes the coverage for people.
func (c *coverage) print(w io.Writer, prog *step.Program) {
	line := func(key, format string, args ...any) { fmt.Fprintf(w, "%-12s %s\n", key, fmt.Sprintf(format, args...)) }
	line("coverage", "%d of %s executed; %s", c.Taken, terminal.Plural(c.Statements, "statement"), c.basis())
	for i := range c.Untaken {
		if i == maxUntaken {
			line("", "... and %d more (--json has all)", len(c.Untaken)-i)
			break
		}
		u := &c.Untaken[i]
		line("", "%s:%d:%d: %s: %s", prog.Path, u.Line, u.Column, u.Say(), terminal.Shorten(u.Text, 60))
	}
	for i, p := range c.Constraints {
		if i == maxConditions {
			line("", "... and %d more", len(c.Constraints)-i)
			break
		}
		line("", "constraint of %s, %s: never true, asked %dx", p.Steps[0], p.Steps[1], p.Asked)
	}
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/page"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
)

// sights find, for each condition of a set, a state of the exploration tree in which it holds and one in which it does
// not.
type sights struct {
	set      *constraints.Set // nil: none
	machine  *step.Machine
	run      *step.Runner
	compiled *constraints.Compiled
	of       map[*constraints.Pair]*sight
}

// A sight shows one pair at a node of the tree.
type sight struct{ holds, fails *page.Sight }

func newSights(set *constraints.Set, m *step.Machine) *sights {
	s := &sights{set: set, machine: m, of: map[*constraints.Pair]*sight{}}
	if set != nil {
		s.run, s.compiled = m.NewRunner(), set.Compile(m)
	}
	return s
}

// look looks at the state of a node: which two processes stand at the steps of an entry there.
func (s *sights) look(node int, state step.State) {
	if s.set == nil {
		return
	}
	m := s.machine
	at := func(proc int) *step.Step {
		if _, _, failed := m.Failure(state, proc); failed || m.Asleep(state, proc) || m.Dropped(state, proc) ||
			m.Crashed(state, proc) {
			return nil
		}
		return m.StepOf(state, proc)
	}
	for p := range m.Program.Procs {
		for q := range p {
			a, b := at(q), at(p)
			if a == nil || b == nil {
				continue
			}
			if pair, swapped := s.set.Find(a, b); pair != nil && swapped {
				s.pair(node, state, pair, p, q)
			} else if pair != nil {
				s.pair(node, state, pair, q, p)
			}
		}
	}
}

// pair looks at the state of a node for an entry and the processes that stand at its steps.
func (s *sights) pair(node int, state step.State, pair *constraints.Pair, p, q int) {
	c := s.compiled.Commute(p, pair.A, q, pair.B)
	if c.Kind != constraints.CondEval {
		return
	}
	of := s.of[pair]
	if of == nil {
		of = &sight{}
		s.of[pair] = of
	}
	to := &of.fails
	if of.holds != nil && of.fails != nil {
		return
	} else if c.Eval(s.run, state) {
		to = &of.holds
	}
	if *to == nil {
		*to = &page.Sight{Node: node, Values: s.values(state, pair, p, q)}
	}
}

// values are those of the places that a condition reads, and of who p and q are if it asks that.
func (s *sights) values(state step.State, pair *constraints.Pair, p, q int) (list []string) {
	told := map[string]bool{}
	add := func(name, text string) {
		if !told[name] {
			told[name] = true
			list = append(list, name+" = "+terminal.Shorten(text, 72))
		}
	}
	var visit func(e *step.Expr)
	visit = func(e *step.Expr) {
		switch {
		case e.Op == step.Self && e.Of == step.P:
			add("p", s.machine.Program.Procs[p].Called())
		case e.Op == step.Self && e.Of == step.Q:
			add("q", s.machine.Program.Procs[q].Called())
		case isPlace(e):
			if value, err := s.machine.CompileOperand(e, p, q); err == nil {
				if words, fault := value(s.run, state); fault == step.NoFault {
					add(lang.FormatExpr(e, pair.A.Template, pair.B.Template),
						lang.FormatValue(s.machine.Program, e.Type, words))
				}
			}
			for ; e.Op != step.VarRef; e = e.Args[0] {
				for _, index := range e.Args[1:] {
					visit(index)
				}
			}
		default:
			for _, a := range e.Args {
				visit(a)
			}
		}
	}
	visit(pair.Commute)
	return list
}

// isPlace reports whether an expression is a shared variable, a local of p or q, or an element of one.
func isPlace(e *step.Expr) bool {
	switch e.Op {
	case step.VarRef:
		return e.Of != step.Own || e.Var.Shared
	case step.Index, step.Part:
		return isPlace(e.Args[0])
	}
	return false
}

// pairs lists the entries of the set, those that were of most use first. What was not asked and is no condition is left
// out.
func (s *sights) pairs(res *explore.Result) (list []page.Pair) {
	if s.set == nil {
		return nil
	}
	used := map[*constraints.Pair]bool{}
	entry := func(pair *constraints.Pair, u *output.Use) {
		used[pair] = true
		out := page.Pair{Uniform: s.set.Text(pair, pair.Uniform), Commute: s.set.Text(pair, pair.Commute),
			Status: string(pair.Status), Use: useOf(u)}
		for i, st := range []*step.Step{pair.A, pair.B} {
			out.Steps[i] = page.PairStep{Name: st.Name(), Text: statements(st)}
		}
		if of := s.of[pair]; of != nil {
			out.Holds, out.Fails = of.holds, of.fails
		}
		list = append(list, out)
	}
	for _, u := range output.Uses(res, s.set) {
		if pair, _ := s.set.Find(u.A, u.B); pair != nil {
			entry(pair, &u)
		}
	}
	for _, pair := range s.set.Pairs {
		if !used[pair] && !constraints.IsFalse(pair.Commute) && !constraints.IsTrue(pair.Uniform) {
			entry(pair, nil)
		}
	}
	return list
}

// statements is the text of a step.
func statements(s *step.Step) string {
	var list []string
	for _, at := range s.Nodes {
		n := s.Template.Nodes[at]
		text := strings.TrimSuffix(n.Text, " {") // of Go
		if n.Property == nil && !n.Ghost && text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return terminal.Shorten(strings.Join(list, "; "), 160)
}

// useOf says how often the constraint of a pair was of use in a search.
func useOf(u *output.Use) (list []string) {
	if u == nil {
		return []string{"not asked"}
	}
	add := func(n int64, text string) {
		if n > 0 {
			list = append(list, fmt.Sprintf(text, n))
		}
	}
	add(u.Removed, "%d× no backtrack point")
	add(u.Static, "%d× no conflict to begin with")
	add(u.Sequences, "%d× a sleep sequence")
	if len(list) == 0 {
		list = append(list, "never of use")
	}
	if u.Evaluated > 0 {
		list = append(list, fmt.Sprintf("evaluated %d×, held %d×", u.Evaluated, u.Held))
	}
	return list
}

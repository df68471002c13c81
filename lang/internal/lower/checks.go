package lower

import (
	"fmt"
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/instrument"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"

	"gopkg.in/yaml.v3"
)

// readProperties reads a list of conditions under a key, each either code or {that, message}.
func readProperties(r *syntax.Reporter, tab *check.Table, n *yaml.Node, key string, s check.Scope) (
	list []*step.Property) {
	for _, item := range syntax.Items(n) {
		that, message := item, ""
		if item.Kind == yaml.MappingNode {
			that = nil
			before := r.Count()
			r.Fields(item, "a condition", map[string]func(*yaml.Node){
				"that":    func(n *yaml.Node) { that = n },
				"message": func(n *yaml.Node) { message, _ = r.Scalar(n, "the message") },
			})
			if that == nil {
				if r.Count() == before {
					r.At(item, `write {that: "x == 1", message: what it means}`, "the condition lacks that: ...")
				}
				continue
			}
		}
		code, ok := r.Code(that, "a condition")
		if !ok {
			continue
		}
		e := syntax.ParseCondition(r, code, key)
		if e == nil {
			continue
		}
		checker := tab.Checker(r, s)
		checker.Key = key
		if cond := checker.Truth(e); cond != nil {
			list = append(list, &step.Property{Pos: e.Pos, Text: r.File.Between(e.Pos, e.End),
				Expr: cond, Msg: message})
		}
	}
	return list
}

func (l *loader) readInvariants(n *yaml.Node) {
	l.prog.Invariants = readProperties(l.Reporter, l.Table, n, "invariant", check.SharedNames{})
}

// readObserve reads what terminal states are compared on; without the section that is everything shared.
func readObserve(l *loader, n *yaml.Node) {
	if n == nil {
		for _, v := range l.prog.Shared {
			if v.Temp || l.IsMailbox(v) || l.IsCrashed(v) {
				continue
			}
			l.prog.Observe = append(l.prog.Observe, &step.Observed{Name: v.Name, Expr: build.Ref(v, v.Pos)})
		}
		return
	}
	l.findings.Observes = true
	for _, item := range syntax.Items(n) {
		code, ok := l.Code(item, "an observed value")
		if !ok {
			continue
		}
		e := syntax.ParseExpr(l.Reporter, code)
		if e == nil {
			continue
		}
		add := func(name string, e *syntax.Expr) {
			if v := l.Checker(l.Reporter, check.PropertyNames{Prog: l.prog}).Value(e, nil); v != nil {
				l.prog.Observe = append(l.prog.Observe, &step.Observed{Name: name, Expr: v})
			}
		}
		// thread.x of a thread with a count means the x of every instance.
		if e.Kind == syntax.EField && e.Args[0].Kind == syntax.EName {
			if t, _ := check.ThreadOf(l.prog, e.Args[0]); t != nil && t.Multi &&
				l.SharedVars[t.Name+"."+e.Name] == nil {
				for i := range t.Count {
					number := &syntax.Expr{Kind: syntax.EInt, Pos: e.Pos, End: e.End, Value: int64(i)}
					one := *e
					one.Args = []*syntax.Expr{{Kind: syntax.EIndex, Pos: e.Pos, End: e.End,
						Args: []*syntax.Expr{e.Args[0], number}}}
					errors := l.Count()
					add(fmt.Sprintf("%s[%d].%s", t.Name, i, e.Name), &one)
					if l.Count() > errors {
						break
					}
				}
				continue
			}
		}
		add(l.File.Between(e.Pos, e.End), e)
	}
}

func (l *loader) readChecks(n *yaml.Node) {
	c := &l.prog.Checks
	scope := check.PropertyNames{Prog: l.prog}
	list := func(to *[]*step.Property, key string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = readProperties(l.Reporter, l.Table, n, key, scope) }
	}
	ofStates := func(to *[]*step.Property, key string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = l.stateProperties(n, key) }
	}
	l.Fields(n, "check", map[string]func(*yaml.Node){
		"deadlock": func(n *yaml.Node) {
			words := map[string]step.Deadlock{"forbidden": step.DeadlockForbidden, "allowed": step.DeadlockAllowed,
				"required": step.DeadlockRequired}
			d, ok := words[n.Value]
			if !ok {
				l.At(n, syntax.HabitDeadlock(n.Value),
					"deadlock is forbidden, allowed or required, not %q", n.Value)
			}
			c.Deadlock, c.DeadlockPos = d, syntax.NodePos(n)
		},
		"races":       func(*yaml.Node) { c.RacesForbidden = l.races }, // see readRaces
		"final":       list(&c.Final, "final"),
		"final_any":   list(&c.FinalAny, "final_any"),
		"reachable":   list(&c.Reachable, "reachable"),
		"unreachable": list(&c.Unreachable, "unreachable"),
		"outcomes":    l.readOutcomes,
		"always":      l.readAlways,
		"transition":  l.readTransitions,
		"termination": l.readTermination,
		"fairness":    l.readFairness,
		"eventually":  ofStates(&c.Eventually, "eventually"),
		"leads_to":    l.readLeadsTo,

		"eventually_always": ofStates(&c.Stabilises, "eventually_always"),
	})
}

func (l *loader) readTermination(n *yaml.Node) {
	c := &l.prog.Checks
	words := []string{"required", "fair", "allowed"}
	i := slices.Index(words, n.Value)
	if i < 0 {
		hint := syntax.DidYouMean(n.Value, words)
		if syntax.Foreign(map[string]string{"yes": "yes", "true": "yes"}, n.Value) != "" {
			hint = "write required"
		}
		l.At(n, hint, "termination is required, fair or allowed, not %q", n.Value)
		i = 0
	}
	c.Termination, c.TerminationPos = step.Termination(i), syntax.NodePos(n)
}

func (l *loader) readFairness(n *yaml.Node) {
	words := []string{"weak", "strong"}
	i := slices.Index(words, n.Value)
	if i < 0 {
		l.At(n, syntax.DidYouMean(n.Value, words), "fairness is weak or strong, not %q", n.Value)
	}
	l.prog.Checks.Fairness = step.Fairness(i + 1)
}

// readLeadsTo reads a list of {from, to, message}.
func (l *loader) readLeadsTo(n *yaml.Node) {
	c := &l.prog.Checks
	for _, item := range syntax.Items(n) {
		var from, to []*step.Property
		message, before, sides := "", l.Count(), 0
		condition := func(list *[]*step.Property, key string) func(*yaml.Node) {
			return func(n *yaml.Node) {
				if len(syntax.Items(n)) == 1 {
					sides++
				}
				*list = l.stateProperties(n, key)
			}
		}
		l.Fields(item, "leads_to", map[string]func(*yaml.Node){
			"from":    condition(&from, "from"),
			"to":      condition(&to, "to"),
			"message": func(n *yaml.Node) { message, _ = l.Scalar(n, "the message") },
		})
		switch {
		case l.Count() > before:
		case sides != 2:
			l.At(item, "write {from: CONDITION, to: CONDITION}", "leads_to has one condition from and one condition to")
		case len(from) == 1 && len(to) == 1: // else they use what is wrong elsewhere
			c.LeadsTo = append(c.LeadsTo, &step.LeadsTo{From: from[0].Expr, To: to[0].Expr,
				Property: &step.Property{Pos: from[0].Pos, Text: from[0].Text + " leads to " +
					to[0].Text, Msg: message}})
		}
	}
}

// readOutcomes reads the exact set of observed values: rows in the order of observe, or maps from names to values.
func (l *loader) readOutcomes(n *yaml.Node) {
	c := &l.prog.Checks
	c.OutcomesPos = syntax.NodePos(n)
	c.Outcomes = [][]int64{}
	if n.Kind != yaml.SequenceNode {
		l.At(n, "", "outcomes must be a list")
		return
	}
	observe := l.prog.Observe
	for _, row := range n.Content {
		values := make([]*yaml.Node, len(observe))
		switch {
		case row.Kind == yaml.MappingNode:
			keys := map[string]func(*yaml.Node){}
			for i, o := range observe {
				keys[o.Name] = func(n *yaml.Node) { values[i] = n }
			}
			l.Fields(row, "an outcome", keys)
		case row.Kind == yaml.SequenceNode && len(row.Content) == len(observe):
			copy(values, row.Content)
		case row.Kind == yaml.ScalarNode && len(observe) == 1:
			values[0] = row
		default:
			l.At(row, "", "an outcome has the %s that are observed", syntax.Plural(len(observe), "value"))
			continue
		}
		if i := slices.Index(values, nil); i >= 0 {
			l.At(row, "", "the outcome says nothing about %s", observe[i].Name)
			continue
		}
		words, complete := []int64{}, true
		for i, v := range values {
			e := l.ValueExpr(v)
			if e == nil {
				complete = false
				continue
			}
			t := observe[i].Expr.Type
			w := check.ConstWords(l.Checker(l.Reporter, check.ConstNames{}), e, t, 0)
			complete = complete && w != nil
			words = append(words, w...)
		}
		if complete {
			c.Outcomes = append(c.Outcomes, words)
		}
	}
	slices.SortFunc(c.Outcomes, slices.Compare)
}

// stateProperties reads a list of conditions that are looked at in every state.
func (l *loader) stateProperties(n *yaml.Node, key string) []*step.Property {
	scope := check.EveryState{PropertyNames: check.PropertyNames{Prog: l.prog}}
	return readProperties(l.Reporter, l.Table, n, key, scope)
}

func (l *loader) readAlways(n *yaml.Node) {
	l.prog.Checks.Always = l.stateProperties(n, "always")
	for _, p := range l.prog.Checks.Always {
		l.duties = append(l.duties, instrument.NewDuty(p, nil))
	}
}

func (l *loader) readTransitions(n *yaml.Node) {
	c, twins := &l.prog.Checks, map[*step.Var]*step.Var{}
	c.Transition = readProperties(l.Reporter, l.Table, n, "transition",
		check.EveryState{PropertyNames: check.PropertyNames{Prog: l.prog}, Old: twins})
	for _, p := range c.Transition {
		l.duties = append(l.duties, instrument.NewDuty(p, twins))
		p.Expr = nil
	}
}

package synth

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
)

// Whether a state that shows that a claim is false can be reached: a short breadth-first search of the state graph
// looks for one that can, and people are shown that one.

// mostReached is how many states are looked at, fewReached for what nobody asked for.
const (
	mostReached = 20_000
	fewReached  = 1000
)

// A reached is the part of the state graph that a breadth-first search has come to.
type reached struct {
	m      *step.Machine
	r      *step.Runner
	states []step.State
	from   []int32 // per state, the one before it
	by     []int32 // per state, the action that led to it
	whole  bool    // these are all
}

// reach searches the state graph of a program; nil if it cannot be run.
func reach(ctx context.Context, prog *step.Program, most int) *reached {
	m, err := step.NewMachine(prog)
	if err != nil {
		return nil
	}
	g := &reached{m: m, r: m.NewRunner(), whole: true}
	seen := map[string]bool{}
	add := func(s step.State, from, by int) {
		if key := string(s.Bytes()); !seen[key] {
			seen[key] = true
			g.states, g.from, g.by = append(g.states, s), append(g.from, int32(from)), append(g.by, int32(by))
		}
	}
	add(m.Initial(), -1, -1)
	for i := 0; i < len(g.states); i++ {
		if len(g.states) >= most || ctx.Err() != nil {
			g.whole = false
			break
		}
		for a := range m.NumActions() {
			if g.r.CanTake(g.states[i], a) {
				add(g.after(g.states[i], a), i, a)
			}
		}
	}
	return g
}

func (g *reached) after(s step.State, actions ...int) step.State {
	s = slices.Clone(s)
	for _, a := range actions {
		g.r.Take(s, a)
	}
	return s
}

// schedule lists what leads to a state.
func (g *reached) schedule(i int) (list []string) {
	for ; g.from[i] >= 0; i = int(g.from[i]) {
		a := int(g.by[i])
		name := g.m.ProcName(g.m.ProcOf(a))
		if choice := g.m.ChoiceOf(a); choice > 0 {
			name += ":" + strconv.Itoa(choice)
		}
		list = append(list, name)
	}
	slices.Reverse(list)
	return list
}

// actions lists what a process can do: its step with each of the alternatives.
func (g *reached) actions(s step.State, p int) (list []int) {
	if g.r.Enabled(s, p) {
		for k := range g.r.Alternatives(s, p).All() {
			list = append(list, g.m.FirstAction(p)+k)
		}
	}
	return list
}

// apart reports whether the next steps of two processes do not commute in a state, with which alternatives.
func (g *reached) apart(s step.State, p, q int) (choice [2]int, apart bool) {
	left, right := g.actions(s, p), g.actions(s, q)
	alternative := func(a, proc int) int { return a - g.m.FirstAction(proc) }
	for _, a := range left {
		if !slices.Equal(g.actions(g.after(s, a), q), right) {
			return [2]int{alternative(a, p)}, true
		}
		for _, b := range right {
			if !slices.Equal(g.after(s, a, b), g.after(s, b, a)) {
				return [2]int{alternative(a, p), alternative(b, q)}, true
			}
		}
	}
	for _, b := range right {
		if !slices.Equal(g.actions(g.after(s, b), p), left) {
			return [2]int{0, alternative(b, q)}, true
		}
	}
	return choice, false
}

func (g *reached) holds(cond constraints.Cond, s step.State) bool {
	return cond.Kind == constraints.CondTrue || cond.Kind == constraints.CondEval && cond.Eval(g.r, s)
}

// stands lists the processes that stand at a step.
func (g *reached) stands(s step.State, at *step.Step) (list []int) {
	for p := range g.m.NumProcs() {
		if g.m.StepOf(s, p) == at {
			list = append(list, p)
		}
	}
	return list
}

// A scene is a state in which processes are about to run the steps of a finding.
type scene struct {
	state  int
	procs  []int
	choice []int
}

// pair looks for a state in which a claim about a pair is false.
func (g *reached) pair(set *constraints.Compiled, f *Finding) *scene {
	a, b := f.Pair.A, f.Pair.B
	for i, s := range g.states {
		for _, p := range g.stands(s, a) {
			for _, q := range g.stands(s, b) {
				if p == q {
					continue
				}
				commute := g.holds(set.Commute(p, a, q, b), s)
				if f.Claim == Implies && g.holds(set.Uniform(p, a, q, b), s) && !commute {
					return &scene{i, []int{p, q}, []int{0, 0}}
				}
				if f.Claim == Commutes && commute {
					if choice, apart := g.apart(s, p, q); apart {
						return &scene{i, []int{p, q}, choice[:]}
					}
				}
			}
		}
	}
	return nil
}

// triple looks for a state in which a third step makes the uniform part of a pair wrong.
func (g *reached) triple(set *constraints.Compiled, f *Finding) *scene {
	a, b, third := f.Pair.A, f.Pair.B, f.Third
	related := func(s step.State, p int, a *step.Step, q int, b *step.Step) bool {
		return constraints.Independent(a, b) || g.holds(set.Uniform(p, a, q, b), s)
	}
	for i, s := range g.states {
		for _, p := range g.stands(s, a) {
			for _, q := range g.stands(s, b) {
				for _, r := range g.stands(s, third) {
					if p == q || p == r || q == r {
						continue
					}
					pr, qr := related(s, p, a, r, third), related(s, q, b, r, third)
					if f.Claim == Forward && !(pr && qr) || f.Claim == Backward && !(pr || qr) {
						continue
					}
					now := g.holds(set.Uniform(p, a, q, b), s)
					for _, action := range g.actions(s, r) {
						then := g.holds(set.Uniform(p, a, q, b), g.after(s, action))
						if now && !then && f.Claim == Forward || !now && then && f.Claim == Backward {
							return &scene{i, []int{p, q, r}, []int{0, 0, action - g.m.FirstAction(r)}}
						}
					}
				}
			}
		}
	}
	return nil
}

// fact looks for a state in which a fact is false.
func (g *reached) fact(f *constraints.Fact) *scene {
	if f.At == nil {
		eval := g.m.CompileCondition(f.That, -1, -1)
		for i, s := range g.states {
			if holds, ok := eval(g.r, s); !holds || !ok {
				return &scene{state: i}
			}
		}
		return nil
	}
	evals := map[int]func(*step.Runner, step.State) (bool, bool){}
	for i, s := range g.states {
		for _, p := range g.stands(s, f.At) {
			if f.With != nil && !slices.ContainsFunc(g.stands(s, f.With), func(q int) bool { return q != p }) {
				continue
			}
			if evals[p] == nil {
				evals[p] = g.m.CompileCondition(f.That, p, -1)
			}
			if holds, ok := evals[p](g.r, s); !holds || !ok {
				return &scene{i, []int{p}, []int{0}}
			}
		}
	}
	return nil
}

// broken looks for a state in which a property of the program is false, or cannot be evaluated.
func (g *reached) broken(that *step.Expr) *scene {
	value, err := g.m.CompileValue(that)
	if err != nil {
		return nil
	}
	for i, s := range g.states {
		if words, fault := value(g.r, s); fault != step.NoFault || words[0] == 0 {
			return &scene{state: i}
		}
	}
	return nil
}

// lastStep is the step that leads to a state from the one before it, nil if there is none.
func (g *reached) lastStep(i int) *step.Step {
	if g.from[i] < 0 {
		return nil
	}
	return g.m.StepOf(g.states[g.from[i]], g.m.ProcOf(int(g.by[i])))
}

// world is the world of a scene.
func (g *reached) world(e *engine, at *scene) *world {
	w := &world{e: e, values: map[worldKey]int64{}, choice: map[int]int64{}}
	s := g.states[at.state]
	fill := func(slot, base int, v *step.Var) {
		for word := range v.Type.Words() {
			w.values[worldKey{slot, v, word}] = s[base+v.Offset+word]
		}
	}
	for _, v := range e.Prog.Shared {
		fill(term.Shared, 0, v)
	}
	for slot, p := range at.procs {
		proc := e.Prog.Procs[p]
		w.procs = append(w.procs, proc)
		w.choice[slot] = int64(at.choice[slot])
		for _, v := range proc.Template.Locals {
			fill(slot, g.m.LocalBase(p), v)
		}
	}
	return w
}

// refine puts a state that can be reached in the place of the one that a finding shows, if a short search finds one.
func (e *engine) refine(list []*Finding, set *constraints.Set) {
	var g *reached
	var compiled *constraints.Compiled
	for _, f := range list {
		if f.Pair != nil && !f.Refuted {
			continue
		}
		if g == nil {
			if g = reach(e.Ctx, e.Prog, mostReached); g == nil {
				return
			}
			compiled = set.Compile(g.m)
		}
		g.show(e, compiled, f)
	}
}

func (g *reached) show(e *engine, set *constraints.Compiled, f *Finding) {
	var at *scene
	switch {
	case f.Fact != nil:
		at = g.fact(f.Fact)
	case f.Third != nil:
		at = g.triple(set, f)
	default:
		at = g.pair(set, f)
	}
	if at == nil {
		if f.Looked = len(g.states); g.whole {
			f.doubt()
		}
		return
	}
	w := g.world(e, at)
	shown := *f
	shown.State, shown.Runs = nil, nil
	var ok bool
	switch {
	case f.Fact != nil:
		ok = w.showFact(&shown)
	case f.Third != nil:
		ok = w.showTriple([]*step.Step{f.Pair.A, f.Pair.B, f.Third}, &shown)
	default:
		ok = w.showPair([]*step.Step{f.Pair.A, f.Pair.B}, &shown)
	}
	if ok {
		shown.Refuted, shown.Why, shown.Reach, shown.Looked = true, "", Reachable, len(g.states)
		shown.Schedule = g.schedule(at.state)
		*f = shown
	}
}

// doubt is of a finding which no reachable state shows: the claim is right, and does not follow from the facts.
func (f *Finding) doubt() {
	f.Reach = Unreachable
	if !f.Refuted {
		return
	}
	f.Why = fmt.Sprintf("it is right in all %d reachable states, but not where %s, which no fact under assuming "+
		"rules out", f.Looked, bindings(f.State))
}

// showFact fills a finding about a fact with a state.
func (w *world) showFact(f *Finding) bool {
	var actors []*term.Actor
	var at []int
	if f.Fact.At != nil {
		actors = []*term.Actor{{Tmpl: f.Fact.At.Template, Procs: w.procs}}
		at = []int{f.Fact.At.Entry}
	}
	return w.run(actors, func(r *symbolic.Run) { f.State = w.bindings(r, at) })
}

package executions

import (
	"slices"

	"cdpor/constraints"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/memory"
	"cdpor/explore/internal/reversal"
	"cdpor/explore/internal/visited"
	"cdpor/lang/step"
)

// Paying for a cut at a visited state (STATES, "Visited states", rule 1): the races between what is on the stack and
// what may follow will not be seen, so what would reverse them is tried before the events of the stack that they are
// with. A race of an event f with a later step g is reversed by a sequence that begins with notdep(f) on the stack,
// goes on with what comes before g below the visited state, and ends with g.

// payment is scratch memory.
type payment struct {
	rivals []int32   // positions of events that steps of the present process may race with, the last one first
	masked []int32   // clock: events behind which no race with the present step is seen
	at     []reverts // per position
	future visited.FutureSteps
	linked []actionset.Set // per process: processes whose later steps may have to come before one of its; not actions
	serial int
	open   []int32 // positions from which not everything is tried yet, the last one first
	trial  bool    // nothing is to be tried, only
	short  bool    // told that something would be
}

// reverts is what is known of reversing races with the event at a position, while one set of later steps is paid for.
type reverts struct {
	serial   int
	open     bool          // not everything is tried yet from there
	covered  bool          // something that begins notdep(f) is tried or will be
	initials actionset.Set // of notdep(f)
	moved    actionset.Set // processes with an event behind f; not actions
}

// paid reports whether pay would change nothing.
func (v *visits) paid(future visited.FutureSteps) bool {
	v.payment.trial, v.payment.short = true, false
	v.pay(future)
	v.payment.trial = false
	return !v.payment.short
}

// pay reverses the races between the events of the stack and the later steps of a set.
func (v *visits) pay(future visited.FutureSteps) {
	x, p := v.x, &v.payment
	if x.Depth == 0 || v.Shortcuts.Unpaid {
		return
	}
	x.Accesses.Follow(x.Execution)
	p.serial++
	if len(p.at) < x.Depth {
		p.at = append(p.at, make([]reverts, x.Depth)...)
	}
	if p.masked == nil {
		p.masked = memory.Scratch[int32](x.Procs)
	}
	x.Work(1 + x.Depth/8)
	p.future, p.linked = future, p.linked[:0]
	p.open = p.open[:0]
	for j := x.Depth - 1; j >= 0; j-- {
		if p.at[j].open = x.levels[j].Node.Incomplete(); p.at[j].open {
			p.open = append(p.open, int32(j))
		}
	}
	for r, set := range future {
		if set == 0 || len(p.open) == 0 {
			continue
		}
		later, past := &v.steps[r].Sets[set], x.Nothing
		if own := x.Accesses.Before(x.Execution, r, x.Depth); own >= 0 {
			past = x.levels[own].Event.Clock
		}
		if !slices.ContainsFunc(p.open, func(j int32) bool { return races(later, r, &x.levels[j].Event, past) }) {
			continue
		}
		p.rivals = p.rivals[:0]
		for j := x.Depth - 1; j >= 0; j-- {
			if races(later, r, &x.levels[j].Event, past) {
				p.rivals = append(p.rivals, int32(j))
			}
		}
		for _, n := range later.Steps {
			if v.payStep(&v.steps[r].Steps[n]); p.trial && p.short {
				return
			}
		}
	}
	x.watch.Inserted(dpor.Compensation, x.Depth-1)
}

// races reports whether some of the later steps, of a process, may race with an event, if a clock says what happens
// before the last event of that process.
func races(later *visited.LaterSet, proc int, e *happens.Event, past []int32) bool {
	return e.Proc != proc && later.MayRace(e.ID, e.Foot) && !happens.Covers(past, e)
}

// linkedTo are the processes whose later steps may have to come before one of a process, because they are connected by
// steps that touch the same.
func (v *visits) linkedTo(proc int) *actionset.Set {
	p := &v.payment
	if len(p.linked) == 0 {
		p.linked = append(p.linked, make([]actionset.Set, len(p.future))...)
		for a, set := range p.future {
			p.linked[a].Add(a)
			for b := range a {
				if set != 0 && p.future[b] != 0 && !p.linked[a].Has(b) &&
					step.Conflict(v.steps[a].Sets[set].Foot, v.steps[b].Sets[p.future[b]].Foot) {
					all := p.linked[a]
					all.Union(&p.linked[b])
					for q := all.Next(0); q >= 0; q = all.Next(q + 1) {
						p.linked[q] = all
					}
				}
			}
		}
	}
	return &p.linked[proc]
}

// payStep reverses the races with one later step.
func (v *visits) payStep(g *visited.LaterStep) {
	x := v.x
	clear(v.payment.masked)
	for _, j := range v.payment.rivals {
		x.Work(1)
		f := &x.levels[j].Event
		if happens.Covers(v.payment.masked, f) || !g.MayRace(f.ID, f.Foot) {
			continue
		}
		certain := alwaysDependent(x, f, g)
		if certain && g.Guarded {
			var race bool
			if race, certain = v.enabledBefore(int(j), g); !race {
				continue
			}
		}
		if certain {
			x.Include(v.payment.masked, f)
		}
		if v.payment.at[j].open {
			v.reverse(int(j), g, certain)
		}
	}
}

// alwaysDependent reports whether an event and a later step of another process are dependent wherever they stand next
// to each other.
func alwaysDependent(x *Search, f *happens.Event, g *visited.LaterStep) bool {
	if g.Must == nil || !step.Conflict(f.Foot, g.Must) {
		return false
	}
	if x.Conditions == nil {
		return true
	}
	switch x.UniformKind(f.ID, g.ID) {
	case constraints.CondTrue, constraints.CondEval:
		return false
	}
	return true
}

// enabledBefore tells of a later step with a guard whether it races with the event at a position, and whether that is
// certain. If the guard reads one location, which the event writes, then nothing that does not happen after the event
// touches that location: so the step finds there what the event found.
func (v *visits) enabledBefore(j int, g *visited.LaterStep) (race, certain bool) {
	x := v.x
	lv := x.levels[j]
	if x.Conditions != nil || g.Stands == nil || !lv.Event.Foot.Writes(g.Guard) || x.m.Asleep(lv.State, g.Proc) {
		return true, false
	}
	copy(x.prog.Probe, lv.State)
	enabled := x.run.EnabledAs(x.prog.Probe, g.Proc, g.Stands)
	return enabled, enabled
}

// reverse sees to it that something is tried before the event f at a position that begins what reverses its race with
// a later step. plain tells that all of notdep(f) can run before the step.
func (v *visits) reverse(j int, g *visited.LaterStep, plain bool) {
	x := v.x
	node, r := &x.levels[j].Node, v.reverts(j)
	x.Met.meet(x.levels[j].Event.ID, g.ID)
	plain = plain || !g.Guarded
	if plain && r.covered {
		return
	}
	// Whatever must come before, the races of what is taken will tell (POPL'05): but only if that is dependent on the
	// event or independent of it wherever it stands.
	if a := v.awake(node, x.m.FirstAction(g.Proc)); a >= 0 && !v.conditional(x.levels[j].Event.ID, g.Proc) {
		v.try(j, a)
		return
	}
	if v.Shortcuts.OwnOnly {
		return
	}
	if first := r.initials.Next(0); plain && first >= 0 {
		r.covered = true
		v.try(j, first)
		return
	}
	linked := v.linkedTo(g.Proc)
	for a := node.Enabled.Next(0); a >= 0; a = node.Enabled.Next(a + 1) {
		if q := x.m.ProcOf(a); r.initials.Has(a) || linked.Has(q) && !r.moved.Has(q) && q != x.levels[j].Event.Proc {
			v.try(j, a)
		}
	}
}

// awake is an action that may be taken from a node: the given one, or another alternative of its step; -1 if there is
// none.
func (v *visits) awake(n *dpor.Node, a int) (found int) {
	x := v.x
	if a = x.Instead(n, a); n.May(a) {
		return a
	}
	found = -1
	x.Alternatives(n, a, func(b int) {
		if found < 0 && n.May(b) {
			found = b
		}
	})
	return found
}

// conditional reports whether it depends on the state if a step is independent of some step of a process.
func (v *visits) conditional(id, proc int) bool {
	x := v.x
	if x.Conditions == nil {
		return false
	}
	const unknown, no, yes = 0, 1, 2
	if v.depends == nil {
		v.depends = make([]uint8, x.m.NumSteps()*x.Procs)
	}
	answer := &v.depends[id*x.Procs+proc]
	if *answer == unknown {
		*answer = no
		first := x.m.FirstStepID(proc)
		for k := range x.m.Program.Procs[proc].Template.Steps {
			if x.UniformKind(id, first+k) == constraints.CondEval {
				*answer = yes
				break
			}
		}
	}
	return *answer == yes
}

func (v *visits) try(j, action int) {
	x := v.x
	if node := &x.levels[j].Node; !node.Backtrack.Has(action) {
		if v.payment.short = true; v.payment.trial {
			return
		}
		x.Add(node, action)
		x.Results.Compensated++
	}
}

// reverts finds out what is known of reversing races with the event at a position.
func (v *visits) reverts(j int) *reverts {
	x, r := v.x, &v.payment.at[j]
	if r.serial == v.payment.serial {
		return r
	}
	*r = reverts{serial: v.payment.serial, open: r.open}
	x.Work(1 + (x.Depth-j)/8)
	f, node := &x.levels[j].Event, &x.levels[j].Node
	for k := j + 1; k < x.Depth; k++ {
		e := &x.levels[k].Event
		r.moved.Add(e.Proc)
		// What is asleep there because of its state begins nothing that is followed from there (STATES, "Visited
		// states").
		if !happens.Covers(e.Clock, f) && reversal.IsInitial(j, e) && !node.StateSleep.Has(e.Action) {
			r.initials.Add(e.Action)
			r.covered = r.covered || node.Backtrack.Has(e.Action)
		}
	}
	return r
}

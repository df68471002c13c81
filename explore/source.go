package explore

// Source-DPOR with sleep sets: Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL'14,
// algorithm 1; with disabled steps treated as README section 4 says.

var sourceAlgorithm = &Algorithm{
	Name:  "source",
	Title: "Source-DPOR with sleep sets",
	Help: "Explores one execution per Mazurkiewicz trace of the footprint dependence. Some executions may be started in " +
		"vain and end blocked by the sleep set.",
	Paper:     "Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, algorithm 1",
	Preserves: preservesTerminal,
	make:      func() strategy { return &source{} },
}

// source is the strategy; with sequences it adds sleep sequences and their compensation (sequences.go).
type source struct{ sequences bool }

func (s *source) enter(x *search, n *node) {
	x.blockedRaces()
	if s.sequences {
		x.compensate(n)
	}
	free := n.free()
	if p := free.next(0); p >= 0 && !n.backtrack.meets(&free) {
		n.backtrack.add(p)
	}
}

func (s *source) pick(x *search, n *node) int {
	free := n.free()
	todo := n.backtrack.and(&free)
	return todo.next(0)
}

func (s *source) executed(x *search, lv, child *level, races []race) {
	e := &lv.event
	child.node.sequences, child.node.memory = child.node.sequences[:0], child.node.memory[:0]
	child.node.semantic = procSet{}
	child.node.sleep = x.stillAsleep(lv, &lv.node.sleep)
	if s.sequences {
		child.node.semantic = x.stillAsleep(lv, &lv.node.semantic)
		x.passSequences(lv, child)
		x.findSequences(races, &e.move, child.state)
		child.node.semantic = child.node.semantic.minus(&child.node.sleep)
	}
	x.reverse(races, &e.move, false)
}

func (s *source) left(x *search, n *node, p int) { n.sleep.add(p) }

// blockedRaces looks for the races of the steps that are disabled in the present node: a step that never runs has races too.
func (x *search) blockedRaces() {
	lv := x.levels[x.depth]
	for p := range x.procs {
		if lv.node.enabled.has(p) || x.m.StepID(lv.state, p) < 0 {
			continue
		}
		mv := x.moveOf(lv.state, p, x.foot)
		x.reverse(x.happensBefore(&mv, x.clock), &mv, true)
	}
}

// stillAsleep are the members of a sleep set that stay in it when the event of the level has run: those independent of it.
func (x *search) stillAsleep(lv *level, asleep *procSet) (kept procSet) {
	for p := asleep.next(0); p >= 0; p = asleep.next(p + 1) {
		if p == lv.event.proc {
			continue
		}
		mv := x.refinedMove(lv.state, p, x.foot)
		if x.independentIn(&mv, &lv.event.move, lv.state) {
			kept.add(p)
		}
	}
	return
}

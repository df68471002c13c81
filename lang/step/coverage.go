package step

import "slices"

// Which steps have been taken, and which nodes have been executed and which way they went. Every machine notes steps,
// and nodes that check what the program claims; one by NewCoveringMachine notes all nodes. The others are as fast as if
// there were no such thing.

// A Coverage has a bit set for each step of each template, and for each node that the machine notes. The bit of a step
// is WayTrue. Bits of a Branch: WayTrue, WayFalse; of a Check or Assume: WayTrue, or WayFalse if the condition does not
// hold; of a Choose: bit k for alternative k; of others WayTrue.
type Coverage []uint64

const (
	WayTrue uint64 = 1 << iota // also of a node that has one way
	WayFalse
)

// NewCoveringMachine compiles a program with code that notes which nodes are executed. States and schedules are those
// of a machine by NewMachine, but the identities of processes that are started are given anew.
func NewCoveringMachine(p *Program) (*Machine, error) {
	return newMachine(p, false, true, newIdentities())
}

// NewCovering is NewCoveringMachine for the program of a machine, with the identities that this one gives.
func NewCovering(of *Machine) (*Machine, error) {
	return newMachine(of.Program, false, true, of.identities)
}

// Covering reports whether the machine notes which nodes are executed, all of them.
func (k *numbering) Covering() bool { return k.covering }

// NewCoverage is the coverage of the start of the program. It is nil for a machine of a program in another language
// that does not note all nodes, unless it is a test that may skip itself.
func (m *Machine) NewCoverage() Coverage {
	if !m.covering && m.Program.Native() && !m.skips {
		return nil
	}
	c, r := make(Coverage, m.bits), m.NewRunner()
	r.covered = c
	m.start(r)
	return c
}

// Cover makes a runner note in c what it executes; nil: nowhere.
func (r *Runner) Cover(c Coverage) { r.covered = c }

// Add adds what another coverage of the same program has.
func (c Coverage) Add(more Coverage) {
	for i := range more {
		c[i] |= more[i]
	}
}

// Of is the bit set of a node, given by its number in its template. The machine must be a covering one, or the node one
// that checks a claim.
func (k *numbering) Of(c Coverage, t *Template, node int) uint64 { return c[k.node[t.Nodes[node]]] }

// Ran reports whether a step has been taken.
func (k *numbering) Ran(c Coverage, s *Step) bool { return c[k.step[s.Template]+s.Index] != 0 }

// ChecksClaim reports whether the node checks what the program claims: an assertion, what must always hold, or that
// there is no data race.
func (n *Node) ChecksClaim() bool {
	return n.Kind == Check && (n.Fault == Assertion || n.Fault == Race)
}

// Messages of checks that hold: where a test skips itself, and at the end of one that did not.
const (
	TestSkips    = "the test is skipped"
	TestSkipsNot = "the test is not skipped"
)

// Asserts reports whether there are assertions in the code of a program.
func (p *Program) Asserts() bool {
	return slices.ContainsFunc(p.Templates, func(t *Template) bool {
		return slices.ContainsFunc(t.Nodes, func(n *Node) bool {
			return n.Kind == Check && n.Fault == Assertion && n.Property == nil && n.Msg != TestSkips &&
				n.Msg != TestSkipsNot
		})
	})
}

// numbering gives a bit of a Coverage to each step of each template and each node that is noted.
type numbering struct {
	covering bool              // all nodes are noted
	step     map[*Template]int // its first step
	node     map[*Node]int
	bits     int
	skips    bool // it is a test that may skip itself
}

func newNumbering(p *Program, covering bool) numbering {
	k := numbering{covering: covering, step: map[*Template]int{}, node: map[*Node]int{}}
	for _, t := range p.Templates {
		k.step[t] = k.bits
		k.bits += len(t.Steps)
		for _, n := range t.Nodes {
			k.skips = k.skips || n.ChecksClaim() && n.Msg == TestSkips
			if covering || n.ChecksClaim() {
				k.node[n] = k.bits
				k.bits++
			}
		}
	}
	return k
}

// covering is the code of a node that notes which way it goes.
func (x *compiler) covering(n *Node, run nodeFunc, at int) nodeFunc {
	note := func(r *Runner, way uint64) {
		if r.covered != nil {
			r.covered[at] |= way
		}
	}
	switch n.Kind {
	case Branch:
		cond := x.scalar(n.Cond) // both ways may lead to the same node
		return func(r *Runner) int {
			way := WayFalse
			if cond(r) != 0 {
				way = WayTrue
			}
			if r.fault == NoFault {
				note(r, way)
			}
			return run(r)
		}
	case Choose:
		return func(r *Runner) int {
			next := run(r)
			if next != cutShort && r.fault == NoFault {
				note(r, 1<<r.choice)
			}
			return next
		}
	}
	return func(r *Runner) int {
		next := run(r)
		if next == cutShort || r.fault != NoFault {
			note(r, WayFalse)
		} else {
			note(r, WayTrue)
		}
		return next
	}
}

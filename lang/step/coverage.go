package step

// Which nodes have been executed, and which way they went. A machine made by NewCoveringMachine has code that notes it;
// that of other machines is as fast as if there were no such thing.

// A Coverage has a bit set for each node of each template. Bits of a Branch: WayTrue, WayFalse; of a Check or Assume:
// WayTrue, or WayFalse if the condition does not hold; of a Choose: bit k for alternative k; of others WayTrue.
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

// Covering reports whether the machine notes which nodes are executed.
func (m *Machine) Covering() bool { return m.covering }

// NewCoverage is the coverage of the start of the program, nil if the machine does not note it.
func (m *Machine) NewCoverage() Coverage {
	if !m.covering {
		return nil
	}
	c, r := make(Coverage, m.coverable), m.NewRunner()
	r.covered = c
	m.start(r)
	return c
}

// Cover makes a runner of a covering machine note in c which nodes it executes; nil: nowhere.
func (r *Runner) Cover(c Coverage) { r.covered = c }

// Add adds what another coverage of the same program has.
func (c Coverage) Add(more Coverage) {
	for i := range more {
		c[i] |= more[i]
	}
}

// Of is the bit set of a node, given by its number in its template.
func (m *Machine) Of(c Coverage, t *Template, node int) uint64 { return c[m.coverBase[t]+node] }

// numberNodes numbers the nodes of all templates.
func (m *Machine) numberNodes() {
	m.coverBase = map[*Template]int{}
	for _, t := range m.Program.Templates {
		m.coverBase[t] = m.coverable
		m.coverable += len(t.Nodes)
	}
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

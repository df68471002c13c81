package vet

import "cdpor/lang/step"

// Findings are remarks that lowering makes, to be judged when the whole program is known.
type Findings struct {
	// Asked are the places of messages that the condition of their case asks.
	Asked map[step.Pos]bool
	// Observes says that the program chooses what is observed.
	Observes bool
	// SaysStep says that the program, or its user, says what a step is.
	SaysStep bool
	notes    []note
	loops    []*waitingLoop
}

// A note is a finished remark, or with step a statement to be judged.
type note struct {
	pos, end     step.Pos
	hint, format string
	args         []any
	step         *step.Node // the statement's first node
	tmpl         *step.Template
}

// A waitingLoop is a while loop as it was lowered.
type waitingLoop struct {
	pos, end step.Pos // of the condition
	nodes    []*step.Node
	branch   *step.Node // where the condition is evaluated
	tmpl     *step.Template
}

// Remark notes something that is suspicious by itself.
func (f *Findings) Remark(pos, end step.Pos, hint, format string, args ...any) {
	f.notes = append(f.notes, note{pos: pos, end: end, hint: hint, format: format, args: args})
}

// Join adds the remarks on a part of the program that was lowered by itself.
func (f *Findings) Join(part *Findings) { f.notes = append(f.notes, part.notes...) }

// Assignment notes an assignment outside of atomic that reads and writes shared data; the nodes are those of the
// statement.
func (f *Findings) Assignment(pos, end step.Pos, nodes []*step.Node, t *step.Template) {
	for _, n := range nodes {
		if n.Kind == step.Assign && n.Dst.TouchesShared() && n.Src.TouchesShared() && n.Dst.Root().Shared {
			f.notes = append(f.notes, note{pos: pos, end: end, step: n, tmpl: t})
			return
		}
	}
}

// Loop notes a while loop outside of atomic blocks with the place of its condition and its nodes: the first
// branch evaluates the condition.
func (f *Findings) Loop(pos, end step.Pos, nodes []*step.Node, t *step.Template) {
	for _, n := range nodes {
		if n.Kind == step.Branch {
			f.loops = append(f.loops, &waitingLoop{pos, end, nodes, n, t})
			return
		}
	}
}

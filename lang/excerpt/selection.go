package excerpt

import (
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// A selection is the text for a part: the statements that are in it, each with a node that it is in it for.
type selection struct {
	*Outline
	part    Part
	present map[*piece]*step.Node
	alive   map[*body]*step.Node // that have statements, or are called or started
	pauses  map[*piece]bool      // statements that are left out, but have to end a step
	changed bool
}

func (o *Outline) selection(part Part) *selection {
	s := &selection{Outline: o, part: part, present: map[*piece]*step.Node{}, alive: map[*body]*step.Node{},
		pauses: map[*piece]bool{}}
	for _, t := range o.src.Program.Templates {
		for _, n := range t.Nodes {
			if !part.Keeps(n) {
				continue
			}
			s.live(o.thread[t], n)
			s.reach(n, n)
			if n.Target != nil {
				s.live(o.thread[n.Target], n)
			}
		}
	}
	for s.changed = true; s.changed; {
		s.changed = false
		s.complete()
		part.Pauses(s.pause)
	}
	return s
}

func (s *selection) live(b *body, because *step.Node) {
	if b != nil && s.alive[b] == nil {
		s.alive[b], s.changed = because, true
	}
}

// reach puts the statement of a node and the calls that lead to it in.
func (s *selection) reach(n, because *step.Node) {
	for _, at := range n.Calls {
		s.put(s.at[at], because)
	}
	if n.Property == nil {
		s.put(s.at[n.Pos], because)
	}
}

func (s *selection) put(p *piece, because *step.Node) {
	for p != nil && s.present[p] == nil {
		s.present[p], s.changed = because, true
		delete(s.pauses, p)
		s.live(p.in.of, because)
		p = p.in.up
	}
}

// open is a node for which a block is in the text; nil if it is not.
func (s *selection) open(b *block) *step.Node {
	if b.up == nil {
		return s.alive[b.of]
	}
	return s.present[b.up]
}

// complete puts in what the statements that are there need.
func (s *selection) complete() {
	for _, b := range s.bodies {
		if s.alive[b] == nil {
			continue
		}
		for _, p := range b.pieces {
			because := s.present[p]
			if because != nil {
				s.declare(p, because)
				s.live(p.callee, because)
				continue
			}
			outer := p.atomic()
			switch open := s.open(p.in); {
			case b.result && p.s.Kind == syntax.SReturn, p.early && (outer == nil || s.present[outer] != nil):
				s.put(p, s.alive[b])
			case open != nil && !goesOn(p.s) && !p.dead():
				s.put(p, open)
			}
		}
	}
}

// dead reports whether a statement before it in its block always leads elsewhere.
func (p *piece) dead() bool {
	return slices.ContainsFunc(p.in.list[:slices.Index(p.in.list, p)],
		func(before *piece) bool { return !goesOn(before.s) })
}

// declare puts in the declarations of what a statement mentions.
func (s *selection) declare(p *piece, because *step.Node) {
	for b := p.in; b != nil; {
		for _, d := range b.list {
			if d.s.Kind == syntax.SVar && p.names[d.s.Name] {
				s.put(d, because)
			}
		}
		if b.up == nil {
			break
		}
		b = b.up.in
	}
}

// pause makes the statement of a node end a step, or puts it in where that is not possible.
func (s *selection) pause(n, next *step.Node) {
	if s.begins[n] {
		return
	}
	if next != nil {
		if p := s.at[next.Pos]; p != nil && p.atomic() != nil && !p.in.of.method {
			return // the block begins one
		}
	}
	for _, at := range n.Calls {
		s.put(s.at[at], n)
	}
	p := s.at[n.Pos]
	switch {
	case p == nil || s.present[p] != nil || s.pauses[p]:
	case s.open(p.in) == nil:
		s.put(p, n)
	case p.atomic() == nil:
		s.pauses[p], s.changed = true, true
	}
}

// Close calls add for nodes that have to be kept with the others, with a node that is the reason.
func (o *Outline) Close(part Part, add func(n, because *step.Node)) {
	s := o.selection(part)
	for _, b := range o.bodies {
		for _, p := range b.pieces {
			if because := s.present[p]; because != nil {
				for _, n := range p.own {
					if !part.Keeps(n) && s.written(n) {
						add(n, because)
					}
				}
			}
		}
	}
	properties := map[*step.Property]*step.Node{}
	for _, t := range o.src.Program.Templates {
		for _, n := range t.Nodes {
			if n.Property != nil && part.Keeps(n) {
				properties[n.Property] = n
			}
		}
	}
	for _, t := range o.src.Program.Templates {
		for _, n := range t.Nodes {
			if part.Keeps(n) {
				continue
			}
			if because := properties[n.Property]; n.Property != nil && because != nil {
				add(n, because)
			}
			// What is not written as a statement is there with the thread, such as the wait of a task for its actor.
			if because := s.alive[o.thread[t]]; n.Property == nil && because != nil && o.at[n.Pos] == nil {
				add(n, because)
			}
		}
	}
}

// written reports whether the calls that lead to a node are there.
func (s *selection) written(n *step.Node) bool {
	return !slices.ContainsFunc(n.Calls, func(at step.Pos) bool { return s.present[s.at[at]] == nil })
}

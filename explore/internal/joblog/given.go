package joblog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"cdpor/explore/internal/actionset"
)

// What algorithms do that plan with wakeup trees (README section 19, optimal). A parcel keeps its nodes. It gives away
// branches of their trees, each of which is a parcel, and stays until all of them have come to their end. What these
// have to plan above themselves is for the parcel that has the node. So whatever is planned at a node is planned by one
// worker, and the fold knows no program: it sees to it that each parcel is told, in the order of the log, what the
// others have for it.

// A Gift gives a branch of the wakeup tree of one of a parcel's own nodes away.
type Gift struct {
	Depth  int
	Action int32
	Sleep  []int32 `json:",omitempty"` // what sleeps for it at the node, what has been taken before included
	Plans  Packed  `json:",omitempty"` // the wakeup tree below it
}

// A Mark is a branch that has been given away.
type Mark struct {
	Depth  int
	Action int32
}

// An Away is what has been given away from an own node and has not come to its end, as far as the parcel has heard.
type Away struct {
	Depth   int
	Actions []int32
}

// A Notice tells a parcel of a node that it has: what others have to be planned there or, if Ended is set, that actions
// that were given away from it have come to their end.
type Notice struct {
	Insertion
	Ended bool `json:",omitempty"`
}

// A Heard is how many of the notices for a parcel it has taken up, and their digest: a log that has lost its end may
// have others in their place.
type Heard struct {
	Count int
	Sum   uint64
}

// Add is the Heard with one more notice.
func (h Heard) Add(n *Notice) Heard {
	sum := fnv.New64a()
	text := Packed(binary.AppendUvarint(nil, h.Sum))
	text = binary.AppendUvarint(text, uint64(n.Depth))
	if n.Ended {
		text = append(text, 1)
	}
	text = append(text.Add(n.Actions, nil), n.Plans...)
	_, _ = sum.Write(text)
	return Heard{h.Count + 1, sum.Sum64()}
}

// A Told is notices for a parcel, from the one of a number on, counted from 0.
type Told struct {
	Parcel  ID
	From    int
	Notices []Notice
}

// A holding is what a log says of a parcel that keeps its nodes.
type holding struct {
	owners  []ID     // who has the nodes above it
	giver   ID       // who has given it away
	away    int      // how much it has given away that is not at its end
	notices []Notice // that it has not heard
	heard   Heard
	rests   bool // nobody works on it: it waits for notices
	queued  int  // the number that the next record had when it was queued last
}

// Keep makes the fold of an empty log one of an algorithm whose parcels keep their nodes.
func (f *Fold) Keep() { f.keeps = true }

// Keeps reports whether it is one.
func (f *Fold) Keeps() bool { return f.keeps }

// Without is a parcel without branches that have been given away from its own nodes. Trees are changed by drop, which
// takes the branch of an action out of one, if it is there.
func (p *Parcel) Without(marks []Mark, drop func(tree Packed, action int32) (Packed, error)) (*Parcel, error) {
	left := *p
	left.Levels, left.Trees, left.Away = slices.Clone(p.Levels), slices.Clone(p.Trees), slices.Clone(p.Away)
	for _, m := range marks {
		level := &left.Levels[m.Depth]
		level.Sleep = append(slices.Clone(level.Sleep), m.Action)
		at := slices.IndexFunc(left.Away, func(a Away) bool { return a.Depth == m.Depth })
		if at < 0 {
			at, left.Away = len(left.Away), append(left.Away, Away{Depth: m.Depth})
		}
		left.Away[at].Actions = append(slices.Clone(left.Away[at].Actions), m.Action)
		if k := m.Depth - p.Own; k < len(left.Trees) {
			var err error
			if left.Trees[k], err = drop(left.Trees[k], m.Action); err != nil {
				return nil, err
			}
		}
	}
	return &left, nil
}

// checkHeld looks whether a record fits what is known of its parcel, which keeps its nodes.
func (f *Fold) checkHeld(r *Record, c *chain) error {
	h := r.Heard
	if h.Count < c.heard.Count || h.Count > c.heard.Count+len(c.notices) {
		return fmt.Errorf("%d notices are heard, of %d to %d", h.Count, c.heard.Count, c.heard.Count+len(c.notices))
	}
	heard := c.heard
	for i := range c.notices[:h.Count-heard.Count] {
		heard = heard.Add(&c.notices[i])
	}
	if heard != h {
		return errors.New("what it has heard is not what the log has")
	}
	for i := range r.Insert {
		in := &r.Insert[i]
		if in.Depth < 0 || in.Depth >= len(c.owners) {
			return fmt.Errorf("an insertion at depth %d, above it are %d nodes", in.Depth, len(c.owners))
		}
		if _, err := actionset.Of(in.Actions, actionset.Max); err != nil {
			return err
		}
		if f.parcels[c.owners[in.Depth]] == nil {
			return fmt.Errorf("parcel %v, which has the node at depth %d, has ended", c.owners[in.Depth], in.Depth)
		}
	}
	if len(r.Split) > 0 {
		return errors.New("it splits nodes, which parcels keep")
	}
	if r.Same {
		if r.Left != nil || h != c.heard || len(r.Insert) > 0 || len(r.Found) > 0 || r.Stored != "" {
			return errors.New("it only gives, and has something else")
		}
		return checkGifts(r.Give, c.parcel)
	}
	if r.Left == nil {
		if left := len(c.notices) - (h.Count - c.heard.Count); left > 0 || len(r.Give) > 0 || c.away > 0 {
			return fmt.Errorf("it has come to its end, but gives %d, %d notices are left, and %d that it gave away "+
				"have not", len(r.Give), left, c.away)
		}
		return nil
	}
	if r.Left.ID != r.Parcel || r.Left.Own != len(c.owners) || len(r.Left.Levels) <= r.Left.Own ||
		r.Left.Heard != h {
		return fmt.Errorf("%d nodes of parcel %v are left, %d are above; %d should be", len(r.Left.Levels), r.Left.ID,
			r.Left.Own, len(c.owners))
	}
	return checkGifts(r.Give, r.Left)
}

// checkGifts looks whether a parcel can give what it does.
func checkGifts(gifts []Gift, p *Parcel) error {
	for i := range gifts {
		g := &gifts[i]
		if g.Depth < p.Own || g.Depth >= len(p.Levels)-1 {
			return fmt.Errorf("it gives from depth %d, its own are from %d to %d", g.Depth, p.Own, len(p.Levels)-2)
		}
		if _, err := actionset.Of(append(slices.Clone(g.Sleep), g.Action), actionset.Max); err != nil {
			return err
		}
	}
	return nil
}

// hold folds a record of a parcel that keeps its nodes.
func (f *Fold) hold(r *Record, c *chain) {
	if r.Same {
		var marks []Mark
		for i := range r.Give {
			marks = append(marks, Mark{r.Give[i].Depth, r.Give[i].Action})
			f.give(r.Parcel, c, &r.Give[i])
		}
		c.parcel, _ = c.parcel.Without(marks, nil) // it has no trees
		return
	}
	c.notices = slices.Delete(c.notices, 0, r.Heard.Count-c.heard.Count)
	c.heard = r.Heard
	if c.parcel = r.Left; r.Left != nil {
		r.Left.Trees = nil
	}
	if c.rests { // it was woken, or delivered again
		f.stir(c)
	}
	for i := range r.Insert {
		in := &r.Insert[i]
		f.notify(c.owners[in.Depth], Notice{Insertion: *in})
	}
	if r.Left == nil {
		delete(f.under, r.Parcel)
		delete(f.parcels, r.Parcel)
		if r.Parcel != Root {
			f.parcels[c.giver].away--
			f.notify(c.giver, Notice{Insertion{Depth: len(c.owners) - 1, Actions: []int32{c.last}}, true})
		}
		return
	}
	for i := range r.Give {
		f.give(r.Parcel, c, &r.Give[i])
	}
	if r.Rests {
		c.rests, c.queued = true, c.next
		f.resting++
		if len(c.notices) > 0 {
			f.wake(r.Parcel, c)
		}
	}
}

// give makes a parcel of what another one gives away.
func (f *Fold) give(giver ID, c *chain, g *Gift) {
	p := &Parcel{ID: ID{Node: f.given}, Own: g.Depth + 1, Begin: int(g.Action), Plans: g.Plans}
	f.given++
	p.Levels = slices.Clone(c.parcel.Levels[:p.Own])
	p.Levels[g.Depth].Action, p.Levels[g.Depth].Sleep = g.Action, g.Sleep
	owners := slices.Clone(c.owners)
	for len(owners) < p.Own {
		owners = append(owners, giver)
	}
	c.away++
	f.parcels[p.ID] = &chain{parcel: p, last: g.Action, holding: holding{owners: owners, giver: giver}}
	f.under[p.ID] = true
	f.begun = append(f.begun, p.ID)
}

// notify has a notice for a parcel. One that rests need not be woken at once for what is only to be planned.
func (f *Fold) notify(id ID, n Notice) {
	c := f.parcels[id]
	c.notices = append(c.notices, n)
	switch {
	case !c.rests:
		f.told = append(f.told, Told{id, c.heard.Count + len(c.notices) - 1, c.notices[len(c.notices)-1:]})
	case n.Ended:
		f.wake(id, c)
	}
}

func (f *Fold) wake(id ID, c *chain) {
	f.stir(c)
	f.begun = append(f.begun, id)
}

func (f *Fold) stir(c *chain) {
	c.rests = false
	f.resting--
}

// Wake wakes parcels that rest and for which there are notices, at most so many, and returns them.
func (f *Fold) Wake(most int) (list []ID) {
	if f.resting == 0 {
		return nil
	}
	for _, id := range f.UnderWay() {
		if c := f.parcels[id]; c.rests && len(c.notices) > 0 && len(list) < most {
			f.stir(c)
			list = append(list, id)
		}
	}
	return list
}

// Notices are what the record folded last has for others that are at work.
func (f *Fold) Notices() []Told { return f.told }

// Unheard is what a parcel has not heard yet, nil if that is nothing.
func (f *Fold) Unheard(id ID) *Told {
	c := f.parcels[id]
	if c == nil || len(c.notices) == 0 {
		return nil
	}
	return &Told{id, c.heard.Count, slices.Clone(c.notices)}
}

// Queued tells one time that a parcel is queued from another: 0 when it begins, and then the number that the next
// record of it had when it was left to rest.
func (f *Fold) Queued(id ID) int {
	if c := f.parcels[id]; c != nil {
		return c.queued
	}
	return 0
}

// Rests reports whether a parcel waits for notices, and is not to be queued.
func (f *Fold) Rests(id ID) bool {
	c := f.parcels[id]
	return c != nil && c.rests
}

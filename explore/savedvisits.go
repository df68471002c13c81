package explore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// A savedVisits is what one worker knows of visited states as plain data. The numbers of parts of states and the
// visits are written apart.
type savedVisits struct {
	Set     stateset.SavedSet                  // which numbers the parts of states have
	Tables  [stateset.ManyTables]savedVisitSet // as in visitedTable
	Asleep  [][]int32                          // sets of actions by number
	Later   [][]savedLaterStep                 // per process, by number
	Sets    [][][]int32                        // per process, sets of later steps by number, without the empty one
	Dropped int64                              `json:",omitempty"`
	Relies  bool                               `json:",omitempty"` // see visited.relies

	table *visitedTable // when it is saved
	slots [stateset.ManyTables][]visitSlot
	later []uint16
}

type savedVisitSet struct{ Visits, Slots int }

// A savedLaterStep is a laterStep without what follows from the program.
type savedLaterStep struct {
	ID     int
	Pool   bool     `json:",omitempty"`
	Text   bool     `json:",omitempty"`
	Foot   []uint64 // step.Footprint
	Locals []int64  `json:",omitempty"` // with the control word, if they tell it apart
	Guard  int
}

// A savedVisit is a visitPlace.
type savedVisit struct {
	Asleep  []int32  `json:",omitempty"`
	Future  []uint16 `json:",omitempty"`
	Partial bool     `json:",omitempty"`
}

// save is valid until the search goes on.
func (v *visited) save() *savedVisits {
	t := v.table
	s := &savedVisits{Set: t.set.Save(), Dropped: t.dropped, Relies: v.relies, table: t, later: t.later}
	for i := range t.tables {
		s.Tables[i], s.slots[i] = savedVisitSet{t.tables[i].count, len(t.tables[i].slots)}, t.tables[i].slots
	}
	for i := range t.asleep {
		s.Asleep = append(s.Asleep, actionset.Members[int32](&t.asleep[i], nil))
	}
	for _, l := range v.steps {
		steps, sets := l.save()
		s.Later, s.Sets = append(s.Later, steps), append(s.Sets, sets)
	}
	return s
}

func (l *laterSteps) save() (steps []savedLaterStep, sets [][]int32) {
	steps = make([]savedLaterStep, len(l.steps))
	for key, n := range l.numbers {
		p := &l.steps[n]
		s := savedLaterStep{ID: p.id, Pool: p.pool, Text: p.text, Foot: p.foot, Guard: p.guard}
		for at := 4 + 8*len(p.foot); at < len(key); at += 8 {
			s.Locals = append(s.Locals, int64(binary.LittleEndian.Uint64([]byte(key[at:at+8]))))
		}
		steps[n] = s
	}
	for i := range l.sets[1:] {
		sets = append(sets, l.sets[1+i].steps)
	}
	return steps, sets
}

// write writes the numbers of parts of states, then the visits: key, value, and what may follow.
func (s *savedVisits) write(to io.Writer) error {
	if err := s.Set.Write(to); err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	var b []byte
	for _, slots := range s.slots {
		for i := range slots {
			slot := &slots[i]
			if slot.value == 0 {
				continue
			}
			b = binary.LittleEndian.AppendUint64(b[:0], slot.key)
			b = binary.LittleEndian.AppendUint64(b, slot.value)
			for _, f := range s.table.future(slot) {
				b = binary.LittleEndian.AppendUint16(b, f)
			}
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// read reads what write has written.
func (s *savedVisits) read(r *bufio.Reader) error {
	if err := s.Set.Read(r); err != nil {
		return noEnd(err)
	}
	procs := len(s.Later)
	b := make([]byte, 16+2*procs)
	visits := uint64(0)
	for i := range s.Tables {
		for range s.Tables[i].Visits {
			if _, err := io.ReadFull(r, b); err != nil {
				return noEnd(err)
			}
			key, value := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
			s.slots[i] = append(s.slots[i], visitSlot{key, value>>32<<32 | visits})
			visits++
			for p := range procs {
				s.later = append(s.later, binary.LittleEndian.Uint16(b[16+2*p:]))
			}
		}
	}
	return nil
}

var errVisits = errors.New("the visits of the checkpoint do not fit each other")

// restore takes up what was known of visited states.
func (v *visited) restore(s *savedVisits) error {
	x, t := v.x, v.table
	if len(s.Later) != x.procs || len(s.Sets) != x.procs || len(s.Asleep) == 0 || len(s.Asleep[0]) > 0 {
		return errVisits
	}
	for r, l := range v.steps {
		if err := x.restoreLater(l, r, s.Later[r], s.Sets[r]); err != nil {
			return fmt.Errorf("later steps of process %d: %w", r, err)
		}
	}
	for i, list := range s.Asleep {
		set, err := x.actions(list)
		if err != nil {
			return err
		}
		if t.sleepers(set) != uint32(i) {
			return errVisits
		}
	}
	if err := v.checkFuture(s.later); err != nil {
		return err
	}
	set, err := s.Set.Restore(stateset.PackingOf(x.m))
	if err != nil {
		return err
	}
	t.set, t.later, t.dropped = set, s.later, s.Dropped
	t.set.Rekeyed = t.tables[stateset.Compact].rekey
	for i := range t.tables {
		if err := t.tables[i].restore(s.Tables[i], s.slots[i], len(t.asleep)); err != nil {
			return err
		}
	}
	return nil
}

// restore fills a table that is empty.
func (t *visitTable) restore(s savedVisitSet, slots []visitSlot, sleepers int) error {
	switch {
	case s.Slots == 0 && s.Visits == 0:
		return nil
	case s.Slots < stateset.SmallTable || bits.OnesCount(uint(s.Slots)) != 1 || s.Slots > max(stateset.SmallTable, 8*s.Visits),
		(s.Visits-1)*4 >= s.Slots*3:
		return errVisits
	}
	t.slots, t.count = make([]visitSlot, s.Slots), s.Visits
	for _, slot := range slots {
		at := t.find(slot.key)
		if at.value != 0 || slot.value&there == 0 || int(slot.value>>32&sleepersMask) >= sleepers {
			return errVisits
		}
		*at = slot
	}
	return nil
}

// checkFuture looks whether all numbers of sets of later steps are known, of processes one after the other.
func (v *visited) checkFuture(later []uint16) error {
	for i, set := range later {
		if int(set) >= len(v.steps[i%v.x.procs].sets) {
			return fmt.Errorf("there is no set %d of later steps", set)
		}
	}
	return nil
}

// restoreLater numbers the later steps of a process r, and sets of them, as they were.
func (x *search) restoreLater(l *laterSteps, r int, steps []savedLaterStep, sets [][]int32) error {
	for n := range steps {
		s := &steps[n]
		if s.ID < 0 || s.ID >= x.m.NumSteps() || len(s.Foot) != x.m.FootprintWords() ||
			s.Guard < -1 || s.Guard >= 32*len(s.Foot) {
			return errVisits
		}
		proc, _ := x.m.StepAt(s.ID)
		words := s.Locals
		if len(words) > 0 {
			at := s.ID - x.m.FirstStepID(r)
			if len(words) != 1+x.m.Program.Procs[r].Template.LocalWords || proc != r || s.Text || words[0] != int64(at) {
				return errVisits
			}
		} else {
			words = nil
		}
		p := laterStep{proc: r, id: s.ID, pool: s.Pool, text: s.Text, foot: s.Foot, guard: -1,
			guarded: s.Pool || x.m.Guarded(s.ID)}
		number := l.number(p, words, func(p *laterStep) {
			x.fillLater(p)
			if p.guard = s.Guard; words != nil && p.guard >= 0 {
				p.stands = x.m.Initial()
				copy(p.stands[x.m.LocalBase(r)-1:], words)
			}
		})
		if int(number) != n {
			return errVisits
		}
	}
	for n, list := range sets {
		if len(list) == 0 {
			return errVisits
		}
		var set []uint64
		for _, k := range list {
			if k < 0 || int(k) >= len(steps) {
				return errVisits
			}
			for int(k)/64 >= len(set) {
				set = append(set, 0)
			}
			set[k/64] |= 1 << (k % 64)
		}
		if n >= maxLaterSets || int(l.intern(set)) != n+1 {
			return errVisits
		}
	}
	return nil
}

// fillLater fills in what follows from which step a later step is, and its footprint.
func (x *search) fillLater(s *laterStep) {
	if s.pool {
		_, first := x.m.StepAt(s.id)
		s.rivals = x.futures().RivalsOfAny(first)
	} else {
		s.rivals = x.futures().RivalsOf(s.id)
	}
	if s.text {
		return
	}
	if s.must = s.foot; x.Conditions == nil && x.m.Refinable(s.id) {
		s.must = s.foot.ReadOnly(make(step.Footprint, len(s.foot)))
	}
}

// savePlace writes what is remembered of the node at a depth.
func (v *visited) savePlace(depth int) *savedVisit {
	p := v.places[depth]
	return &savedVisit{actionset.Members[int32](&p.asleep, nil), slices.Clone(p.future), p.partial}
}

// restorePlaces takes up the nodes on the stack, the last one of which is the present one. Of a node of which nothing
// is known nothing will be remembered.
func (v *visited) restorePlaces(levels []savedLevel) (err error) {
	v.resumeAt()
	for d := range levels {
		s, p := levels[d].Visit, v.places[d]
		if s == nil {
			continue
		}
		if p.asleep, err = v.x.actions(s.Asleep); err != nil {
			return err
		}
		if len(s.Future) != v.x.procs {
			return errVisits
		}
		if err := v.checkFuture(s.Future); err != nil {
			return err
		}
		copy(p.future, s.Future)
		p.partial = s.Partial
	}
	return nil
}

package visited

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// A Saved is the visited states of one worker as plain data. The numbers of parts of states and the
// visits are written apart.
type Saved struct {
	Set     stateset.SavedSet               // which numbers the parts of states have
	Tables  [stateset.ManyTables]savedTable // as in Table
	Asleep  [][]int32                       // sets of actions by number
	Later   [][]savedLaterStep              // per process, by number
	Sets    [][][]int32                     // per process, sets of later steps by number, without the empty one
	Dropped int64                           `json:",omitempty"`
	Relies  bool                            `json:",omitempty"` // something was left to elsewhere or cut by a bound

	table *Table // when it is saved
	slots [stateset.ManyTables][]visitSlot
	later []uint16
}

type savedTable struct{ Visits, Slots int }

// A savedLaterStep is a LaterStep without what follows from the program.
type savedLaterStep struct {
	ID     int
	Pool   bool     `json:",omitempty"`
	Text   bool     `json:",omitempty"`
	Foot   []uint64 // step.Footprint
	Locals []int64  `json:",omitempty"` // with the control word, if they tell it apart
	Guard  int
}

// Save makes plain data of a table and of the sets of steps that it has numbers of. It is valid until either changes.
func Save(t *Table, steps Futures) *Saved {
	s := &Saved{Set: t.Set.Save(), Dropped: t.Dropped, table: t, later: t.later}
	for i := range t.tables {
		s.Tables[i], s.slots[i] = savedTable{t.tables[i].count, len(t.tables[i].slots)}, t.tables[i].slots
	}
	for i := range t.Asleep {
		s.Asleep = append(s.Asleep, actionset.Members[int32](&t.Asleep[i], nil))
	}
	for _, l := range steps {
		steps, sets := l.save()
		s.Later, s.Sets = append(s.Later, steps), append(s.Sets, sets)
	}
	return s
}

func (l *LaterSteps) save() (steps []savedLaterStep, sets [][]int32) {
	steps = make([]savedLaterStep, len(l.Steps))
	for key, n := range l.numbers {
		p := &l.Steps[n]
		s := savedLaterStep{ID: p.ID, Pool: p.Pool, Text: p.Text, Foot: p.Foot, Guard: p.Guard}
		for at := 4 + 8*len(p.Foot); at < len(key); at += 8 {
			s.Locals = append(s.Locals, int64(binary.LittleEndian.Uint64([]byte(key[at:at+8]))))
		}
		steps[n] = s
	}
	for i := range l.Sets[1:] {
		sets = append(sets, l.Sets[1+i].Steps)
	}
	return steps, sets
}

// Write writes the numbers of parts of states, then the visits: key, value, and what may follow.
func (s *Saved) Write(to io.Writer) error {
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

// Read reads what write has written.
func (s *Saved) Read(r *bufio.Reader) error {
	if err := s.Set.Read(r); err != nil {
		return err
	}
	procs := len(s.Later)
	b := make([]byte, 16+2*procs)
	visits := uint64(0)
	for i := range s.Tables {
		for range s.Tables[i].Visits {
			if _, err := io.ReadFull(r, b); err != nil {
				return err
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

// ErrSaved is that what was read was not written so.
var ErrSaved = errors.New("the visits of the checkpoint do not fit each other")

// Restore fills a table and sets of steps, both of which are empty, with what was saved of a machine; for fill see
// LaterSteps.restore.
func (s *Saved) Restore(m *step.Machine, t *Table, steps Futures, fill func(*LaterStep)) error {
	if len(s.Later) != len(steps) || len(s.Sets) != len(steps) || len(s.Asleep) == 0 || len(s.Asleep[0]) > 0 {
		return ErrSaved
	}
	for r, l := range steps {
		if err := l.restore(m, r, s.Later[r], s.Sets[r], fill); err != nil {
			return fmt.Errorf("later steps of process %d: %w", r, err)
		}
	}
	for i, list := range s.Asleep {
		set, err := actionset.Of(list, m.NumActions())
		if err != nil {
			return err
		}
		if t.Sleepers(set) != uint32(i) {
			return ErrSaved
		}
	}
	if err := steps.Check(s.later); err != nil {
		return err
	}
	set, err := s.Set.Restore(stateset.PackingOf(m))
	if err != nil {
		return err
	}
	t.Set, t.later, t.Dropped = set, s.later, s.Dropped
	t.Set.Rekeyed = t.tables[stateset.Compact].rekey
	for i := range t.tables {
		if err := t.tables[i].restore(s.Tables[i], s.slots[i], len(t.Asleep)); err != nil {
			return err
		}
	}
	return nil
}

// restore fills a table that is empty.
func (t *visitTable) restore(s savedTable, slots []visitSlot, sleepers int) error {
	switch {
	case s.Slots == 0 && s.Visits == 0:
		return nil
	case s.Slots < stateset.SmallTable || bits.OnesCount(uint(s.Slots)) != 1 ||
		s.Slots > max(stateset.SmallTable, 8*s.Visits),
		(s.Visits-1)*4 >= s.Slots*3:
		return ErrSaved
	}
	t.slots, t.count = make([]visitSlot, s.Slots), s.Visits
	for _, slot := range slots {
		at := t.find(slot.key)
		if at.value != 0 || slot.value&there == 0 || int(slot.value>>32&sleepersMask) >= sleepers {
			return ErrSaved
		}
		*at = slot
	}
	return nil
}

// Check looks whether all numbers of sets of later steps are known, of processes one after the other.
func (f Futures) Check(later []uint16) error {
	for i, set := range later {
		if int(set) >= len(f[i%len(f)].Sets) {
			return fmt.Errorf("there is no set %d of later steps", set)
		}
	}
	return nil
}

// restore numbers the later steps of a process r of a machine, and sets of them, as they were. What follows from
// which step a later step is, and its footprint, is filled in by fill.
func (l *LaterSteps) restore(m *step.Machine, r int, steps []savedLaterStep, sets [][]int32,
	fill func(*LaterStep)) error {
	for n := range steps {
		s := &steps[n]
		if s.ID < 0 || s.ID >= m.NumSteps() || len(s.Foot) != m.FootprintWords() ||
			s.Guard < -1 || s.Guard >= 32*len(s.Foot) {
			return ErrSaved
		}
		proc, _ := m.StepAt(s.ID)
		words := s.Locals
		if len(words) > 0 {
			at := s.ID - m.FirstStepID(r)
			if len(words) != 1+m.Program.Procs[r].Template.LocalWords || proc != r || s.Text || words[0] != int64(at) {
				return ErrSaved
			}
		} else {
			words = nil
		}
		p := LaterStep{Proc: r, ID: s.ID, Pool: s.Pool, Text: s.Text, Foot: s.Foot, Guard: -1,
			Guarded: s.Pool || m.Info(s.ID).Guarded}
		number := l.Number(p, words, func(p *LaterStep) {
			fill(p)
			if p.Guard = s.Guard; words != nil && p.Guard >= 0 {
				p.Stands = m.Initial()
				copy(p.Stands[m.LocalBase(r)-1:], words)
			}
		})
		if int(number) != n {
			return ErrSaved
		}
	}
	for n, list := range sets {
		if len(list) == 0 {
			return ErrSaved
		}
		var set []uint64
		for _, k := range list {
			if k < 0 || int(k) >= len(steps) {
				return ErrSaved
			}
			for int(k)/64 >= len(set) {
				set = append(set, 0)
			}
			set[k/64] |= 1 << (k % 64)
		}
		if n >= maxLaterSets || int(l.intern(set)) != n+1 {
			return ErrSaved
		}
	}
	return nil
}

package explore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"cdpor/explore/internal/slots"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// How exhaustive explores by workers that share no memory (README section 20): the states are divided into slots, and a
// worker has the visited states of those that it owns. It expands them in the order in which they came, and sends what
// leads to states of others to these: the state before, and the action. They take the action themselves, so whoever
// owns a state sees the step that led there, and looks at it once.

// errSlots says why a search cannot be divided into slots.
func errSlots(a *Algorithm, opt Options) error {
	switch {
	case a != exhaustiveAlgorithm:
		return fmt.Errorf("%s does not explore states", a.Name)
	case opt.Symmetry:
		return errors.New("symmetry is not reduced by workers that share no memory: a schedule would have to go " +
			"through permutations that others have made")
	case opt.Observer != nil:
		return errors.New("an observer needs a single worker: it is told how one stack grows")
	}
	return nil
}

// A SlotWork explores the slots of one worker, for package cluster. It is a slots.Work.
type SlotWork struct {
	x     *exhaustive
	store slots.Store
	part  partition
	owned []bool
	queue []*slots.Queue // of the slots that it owns
	at    int            // the slot that is being expanded
	words []int64        // scratch
	bytes []byte
	entry slots.Entry // that is expanded, or sent
	next  slots.Entry // that is new
	away  [][]int32   // per slot of others, the actions that lead there
	sent  sentStates

	expanded int64 // states, so far
}

// NewSlotWork makes one that owns nothing. The error says why the search cannot be divided so.
func NewSlotWork(ctx context.Context, m *step.Machine, a *Algorithm, opt Options, store slots.Store) (
	*SlotWork, error) {
	if err := errSlots(a, opt); err != nil {
		return nil, err
	}
	x, err := newExhaustive(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.crowd = 1 << 62 // where the stack has one state, nothing is inherited
	return &SlotWork{x: x, store: store, part: newPartition(m), away: make([][]int32, slots.Many)}, nil
}

// Begin goes to the beginning of a stage. What it has stays if all of it counts and is still its own; else everything
// is read again, so that nothing is in memory that somebody else owns.
func (w *SlotWork) Begin(s *slots.Stage, owned []bool, keep bool) error {
	for n, was := range w.owned {
		keep = keep && (!was || owned[n])
	}
	w.at = 0
	if !keep {
		w.x.seen = stateset.NewTreeSet(w.x.packing()).NewWriter()
		w.x.stack, w.queue, w.owned = nil, make([]*slots.Queue, len(owned)), make([]bool, len(owned))
		w.sent.forget()
		if err := w.forgetFindings(); err != nil {
			return err
		}
	}
	w.x.frame(1)
	for n, own := range owned {
		if !own || w.owned[n] {
			continue
		}
		if err := w.load(n, s.Slots[n]); err != nil {
			return fmt.Errorf("slot %d: %w", n, err)
		}
	}
	w.owned = owned
	return w.start()
}

// load takes up what is stored of a slot.
func (w *SlotWork) load(n int, s slots.Slot) error {
	w.queue[n] = slots.NewQueue(s)
	to := w.x.seen.Set.Vector()
	return s.Each(w.store, func(e *slots.Entry) error {
		if err := w.decode(e.Words); err != nil {
			return err
		}
		if !w.x.seen.Add(to, w.words) {
			return errors.New("a state is there twice")
		}
		return nil
	})
}

// start begins with the initial state, if it is in a slot of this worker that has no states yet.
func (w *SlotWork) start() error {
	x, root := w.x, w.x.frame(0)
	copy(root.state, x.m.Initial())
	if x.depth = 0; root.key != nil {
		root.preemptions = 0
		x.identify(root, root.state)
	}
	n := w.part.slot(root.state)
	if !w.owned[n] || w.queue[n].States > 0 {
		return nil
	}
	if !x.seen.Add(root.packed, w.keyOf(root)) {
		return errors.New("the initial state is there, and its slot is empty")
	}
	w.next = slots.Entry{Parent: slots.Ref{Slot: -1}, Words: w.encode(root)}
	x.results.States++
	x.results.started(w.enter(n), root.state)
	return nil
}

// Found is what was found since the last barrier.
func (w *SlotWork) Found() (states, events int64, violated bool) {
	return w.x.results.States, w.x.results.Events, w.x.results.violated
}

// Expanded is how many states have been expanded so far, those included that do not count.
func (w *SlotWork) Expanded() int64 { return w.expanded }

// Open reports whether states wait to be expanded.
func (w *SlotWork) Open() bool {
	for i := range w.queue {
		n := (w.at + i) % len(w.queue)
		if q := w.queue[n]; q != nil && q.Open() > 0 {
			w.at = n
			return true
		}
	}
	return false
}

// Expand expands some states.
func (w *SlotWork) Expand(states int, send func(slot int, item []byte)) (expanded int, err error) {
	for ; expanded < states && w.Open(); expanded++ {
		if err := w.expand(send); err != nil {
			return expanded, err
		}
	}
	return expanded, w.spill(mostUnstored)
}

// mostUnstored is how many bytes of new states a slot may have in memory.
const mostUnstored = 128 << 10

// spill stores what is new in slots that have more than so many bytes of it.
func (w *SlotWork) spill(most int) error {
	for _, q := range w.queue {
		if q != nil && q.Buffered() > most {
			if err := q.Spill(w.store); err != nil {
				return err
			}
		}
	}
	return nil
}

// spillAll stores what is new in all slots, several at a time: to store something is to wait.
func (w *SlotWork) spillAll() error {
	const atOnce = 8
	var all sync.WaitGroup
	errs := make([]error, atOnce)
	for i := range errs {
		all.Go(func() {
			for n := i; n < len(w.queue); n += atOnce {
				if q := w.queue[n]; q != nil {
					errs[i] = errors.Join(errs[i], q.Spill(w.store))
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// expand expands the next state of the slot that has one.
func (w *SlotWork) expand(send func(slot int, item []byte)) error {
	x, q, e := w.x, w.queue[w.at], &w.entry
	from := slots.Ref{Slot: w.at, Number: q.Expanded}
	if err := q.Next(w.store, e); err != nil {
		return err
	}
	f, err := w.present(e.Words)
	if err != nil {
		return err
	}
	if x.seen.Add(f.packed, w.keyOf(f)) {
		return errors.New("a state that waits has not been visited")
	}
	x.results.Nodes++
	w.expanded++
	findEnabled(x.m, x.run, f.state, &f.enabled, &f.open)
	w.lastOf(f)
	if f.todo.Set(&f.enabled); x.opt.IdleLast && x.m.HasIdle() {
		x.postponeIdle(f)
	}
	if f.todo.Empty() {
		x.results.terminal(address{x.m, from, e}, f.state)
		return nil
	}
	if e.Depth >= int64(x.opt.MaxDepth) {
		x.results.Cut++
		return nil
	}
	if x.bar(f) {
		x.results.Barred++
	}
	x.results.MaxDepth = max(x.results.MaxDepth, int(e.Depth)+1)
	for a := f.todo.Next(0); a >= 0; a = f.todo.Next(a + 1) {
		next := x.above(f, a)
		x.results.Events++
		x.execute(f, next)
		if n := w.part.slot(next.state); w.owned[n] {
			added, done := x.seen.Try(f.packed, &x.diff, next.packed)
			if added || !done && x.seen.AddPlus(f.packed, &x.diff, next.packed, w.keyOf(next)) {
				w.arrive(f, next, n, from, e)
			}
		} else if w.sent.isNew(w.keyOf(next)) {
			w.away[n] = append(w.away[n], int32(a))
		}
		x.depth = 0
	}
	w.passOn(from, e, send)
	return nil
}

// present goes to a state.
func (w *SlotWork) present(words []byte) (*frame, error) {
	x, f := w.x, w.x.frame(0)
	x.depth = 0
	if err := w.decode(words); err != nil {
		return nil, err
	}
	if copy(f.state, w.words); f.key != nil {
		copy(f.key, w.words)
		f.preemptions = int(f.key[x.m.Words()+1])
	}
	return f, nil
}

// lastOf finds out who came to a state and could go on.
func (w *SlotWork) lastOf(f *frame) {
	if f.last = -1; f.key != nil {
		if before := int(f.key[w.x.m.Words()]); before >= 0 && enabledOf(w.x.m, &f.enabled, before) >= 0 {
			f.last = before
		}
	}
}

// keyOf is what the visited set has of a frame.
func (w *SlotWork) keyOf(f *frame) []int64 {
	if f.key != nil {
		return f.key
	}
	return f.state
}

func (w *SlotWork) encode(f *frame) []byte {
	w.bytes = stateset.EncodeWords(w.bytes[:0], w.keyOf(f))
	return w.bytes
}

// decode fills the words with those of a state that is stored or was sent.
func (w *SlotWork) decode(b []byte) error {
	if n, ok := stateset.CountWords(b); !ok || n != len(w.x.seen.Set.Fields) {
		return slots.ErrForm
	}
	w.words = stateset.DecodeInto(w.words[:0], b)
	return nil
}

// arrive takes in a new state, to which the action of a frame has led.
func (w *SlotWork) arrive(f, next *frame, slot int, from slots.Ref, before *slots.Entry) {
	x, p := w.x, w.x.m.ProcOf(f.action)
	e := &w.next
	e.Parent, e.Action, e.Depth, e.Words = from, int32(f.action), before.Depth+1, w.encode(next)
	e.Failed = append(e.Failed[:0], before.Failed...)
	if x.m.Failed(next.state, p) {
		e.Failed = append(e.Failed, int32(p))
	}
	x.results.States++
	at := w.enter(slot)
	if x.results.mayFail(next.state, p, x.m.StepID(f.state, p)) {
		for _, v := range x.results.newFailures(f.state, next.state, p) {
			x.results.record(at, v)
		}
	}
	if len(x.results.invariants) > 0 {
		x.results.checkInvariants(at, next.state, x.run.Footprint(f.state, p, x.foot))
	}
}

// enter puts the next entry into its slot.
func (w *SlotWork) enter(slot int) address {
	number := w.queue[slot].Add(&w.next)
	return address{w.x.m, slots.Ref{Slot: slot, Number: number}, &w.next}
}

// passOn sends what leads to states of others.
func (w *SlotWork) passOn(from slots.Ref, e *slots.Entry, send func(slot int, item []byte)) {
	for n, actions := range w.away {
		if len(actions) == 0 {
			continue
		}
		item := slots.Entry{Parent: from, Action: int32(len(actions)), Depth: e.Depth, Failed: e.Failed, Words: e.Words}
		w.bytes = item.Append(w.bytes[:0])
		for _, a := range actions {
			w.bytes = binary.AppendUvarint(w.bytes, uint64(a))
		}
		send(n, w.bytes)
		w.away[n] = actions[:0]
	}
}

// Accept takes what Expand of another worker has passed on.
func (w *SlotWork) Accept(items []byte) (err error) {
	x, e := w.x, &w.entry
	for len(items) > 0 {
		if items, err = e.Read(items); err != nil {
			return err
		}
		f, err := w.present(e.Words)
		if err != nil {
			return err
		}
		if f.last = -1; f.key != nil { // who can go on tells what a preemption is
			findEnabled(x.m, x.run, f.state, &f.enabled, &f.open)
			w.lastOf(f)
		}
		for n := e.Action; n > 0; n-- {
			a, size := binary.Uvarint(items)
			if size <= 0 || a >= uint64(x.m.NumActions()) {
				return slots.ErrForm
			}
			items = items[size:]
			next := x.above(f, int(a))
			x.execute(f, next)
			slot := w.part.slot(next.state)
			if !w.owned[slot] {
				return fmt.Errorf("a state of slot %d was sent to who does not own it", slot)
			}
			if x.seen.Add(next.packed, w.keyOf(next)) {
				w.arrive(f, next, slot, e.Parent, e)
			}
			x.depth = 0
		}
	}
	return w.spill(mostUnstored)
}

// Store stores the slots, and what was found since the last barrier.
func (w *SlotWork) Store() (*slots.Part, error) {
	if err := w.spillAll(); err != nil {
		return nil, err
	}
	p := &slots.Part{Slots: map[int]slots.Slot{}}
	for n, q := range w.queue {
		if w.owned[n] {
			p.Slots[n] = q.Slot
		}
	}
	var found bytes.Buffer
	err := w.x.checkpoint(w.x.m).Write(&found)
	if err == nil {
		p.Found, err = slots.PutFound(w.store, found.Bytes())
	}
	if err != nil {
		return nil, err
	}
	return p, w.forgetFindings()
}

// forgetFindings begins to count anew.
func (w *SlotWork) forgetFindings() error {
	r, err := newResults(w.x.m, exhaustiveAlgorithm, nil)
	if err == nil {
		r.everyWay = w.x.results.everyWay
		w.x.results = r
		w.x.run.Cover(r.Covered)
	}
	return err
}

// addFound adds what a stage has found to what all have.
func (x *exhaustive) addFound(all *findings, found []byte) error {
	cp, err := ReadCheckpoint(bytes.NewReader(found))
	if err != nil {
		return err
	}
	if x.results, err = newResults(x.m, exhaustiveAlgorithm, nil); err != nil {
		return err
	}
	if err := cmp.Or(x.m.AdoptOrigins(cp.Origins), x.restoreFindings(cp)); err != nil {
		return err
	}
	all.results.merge(x.results)
	return nil
}

// A partition says in which slot a state is. That depends on where a few processes are, so most steps stay at home; or,
// if there are not enough such positions, on all words.
type partition struct {
	words []int // empty: all
}

// manyPositions is from how many combinations of positions on they tell states apart well enough.
const manyPositions = 16 * slots.Many

func newPartition(m *step.Machine) (p partition) {
	positions := 1
	for i, proc := range m.Program.Procs {
		if proc.Template.Pool != nil { // it may never be started
			continue
		}
		p.words = append(p.words, m.LocalBase(i)-1)
		if positions *= 1 + len(proc.Template.Steps); positions >= manyPositions {
			return p
		}
	}
	return partition{}
}

func (p partition) slot(s step.State) int {
	h := uint64(0)
	add := func(w int64) {
		hi, lo := bits.Mul64(h^uint64(w)^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		h = hi ^ lo
	}
	if len(p.words) == 0 {
		for _, w := range s {
			add(w)
		}
	}
	for _, w := range p.words {
		add(s[w])
	}
	add(0)
	return int(h % slots.Many)
}

// sentStates are some of the states that were sent to others lately. These have them, so they need not be sent again.
type sentStates struct{ places [][]int64 }

const sentPlaces = 1 << 13

func (t *sentStates) forget() { t.places = nil }

// isNew reports whether a state was not sent lately. It is now.
func (t *sentStates) isNew(words []int64) bool {
	if t.places == nil {
		t.places = make([][]int64, sentPlaces)
	}
	h := uint64(len(words))
	for _, w := range words {
		hi, lo := bits.Mul64(h^uint64(w)^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		h = hi ^ lo
	}
	place := &t.places[h%sentPlaces]
	if slices.Equal(*place, words) {
		return false
	}
	*place = append((*place)[:0], words...)
	return true
}

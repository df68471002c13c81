package states

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/partition"
	"cdpor/explore/internal/program"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/explore/internal/slots"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// How exhaustive explores by workers that share no memory (cluster/README, "Divided state graphs"): the states are
// divided into slots, and a worker has the visited states of those that it owns. It goes through them depth first, as
// one worker does, and sends what leads to states of others to these: the state before, and the action. They take the
// action themselves, so whoever owns a state sees the step that led there, and looks at it once. What others have sent
// waits in the order in which it came until there is nothing more to go on from.

// errSlots says why a search cannot be divided into slots.
func errSlots(a *dpor.Algorithm, opt engine.Options) error {
	switch {
	case a != Algorithm:
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
	X        *Exhaustive
	store    slots.Store
	part     partition.Partition
	owned    []bool
	queue    []*slots.Queue // of the slots that it owns
	at       int            // the slot of which a state was expanded last that had waited
	unstored int            // bytes in the queues

	begun  bool                // there is something on the stack
	base   int64               // steps to the first state there
	Deep   int                 // how many states may be there
	places []placeOf           // of the states there
	aside  []*frame            // the stack for what others have sent
	came   [2]*stateset.Packed // states that others have sent in short: the last one, and room for the next

	words []int64 // scratch
	bytes []byte
	entry slots.Entry // that is expanded, or sent
	next  slots.Entry // that is new
	sent  sentStates

	expanded int64 // states, so far
}

// A placeOf is where a state of the stack is written down.
type placeOf struct {
	at     slots.Ref
	failed []int32
}

// NewSlotWork makes one that owns nothing. The error says why the search cannot be divided so.
func NewSlotWork(ctx context.Context, m *step.Machine, a *dpor.Algorithm, opt engine.Options, store slots.Store) (
	*SlotWork, error) {
	if err := errSlots(a, opt); err != nil {
		return nil, err
	}
	x, err := New(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.Ends, x.lower.long = nil, math.MaxInt // its stack is short
	return &SlotWork{X: x, store: store, part: partition.New(m), Deep: MostDeep}, nil
}

// Begin goes to the beginning of a stage. What it has stays if all of it counts and is still its own; else everything
// is read again, so that nothing is in memory that somebody else owns.
func (w *SlotWork) Begin(s *slots.Stage, owned []bool, keep bool) error {
	for n, was := range w.owned {
		keep = keep && (!was || owned[n])
	}
	w.at, w.begun, w.unstored = 0, false, 0
	if !keep {
		w.X.Seen = stateset.NewTreeSet(packingOf(w.X.m, &w.X.Opt)).NewWriter()
		w.came = [2]*stateset.Packed{}
		w.X.stack, w.aside, w.queue, w.owned = nil, nil, make([]*slots.Queue, len(owned)), make([]bool, len(owned))
		w.sent.keys, w.sent.places = nil, nil
		if err := w.forgetFindings(); err != nil {
			return err
		}
	}
	w.X.frame(1)
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
	to := w.X.Seen.Set.Vector()
	return s.Each(w.store, func(e *slots.Entry) error {
		if err := w.decode(e.Words); err != nil {
			return err
		}
		if !w.X.Seen.Add(to, w.words) {
			return errors.New("a state is there twice")
		}
		return nil
	})
}

// start begins with the initial state, if it is in a slot of this worker that has no states yet.
func (w *SlotWork) start() error {
	x, root := w.X, w.X.frame(0)
	copy(root.state, x.m.Initial())
	if x.depth = 0; root.key != nil {
		root.preemptions = 0
		x.identify(root, root.state)
	}
	n := w.part.Slot(root.state)
	if !w.owned[n] || w.queue[n].All() > 0 {
		return nil
	}
	if !x.Seen.Add(root.packed, w.keyOf(root)) {
		return errors.New("the initial state is there, and its slot is empty")
	}
	w.next = slots.Entry{Parent: slots.Ref{Slot: -1}, Words: w.encode(root)}
	x.Results.States++
	x.Results.Started(w.enter(n, false), root.state)
	return nil
}

// Found counts the states and events since the last barrier, and reports whether there was a violation.
func (w *SlotWork) Found() (states, events int64, violated bool) {
	return w.X.Results.States, w.X.Results.Events, w.X.Results.Violated
}

// Expanded is how many states have been expanded so far, those included that do not count.
func (w *SlotWork) Expanded() int64 { return w.expanded }

// Begun reports whether the expansion of some states has begun.
func (w *SlotWork) Begun() bool { return w.begun }

// Open reports whether there are states to be expanded.
func (w *SlotWork) Open() bool {
	if w.begun {
		return true
	}
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
func (w *SlotWork) Expand(states int, end bool, send func(slot int, e *slots.Entry)) (expanded int, err error) {
	for expanded < states && (w.begun || !end && w.Open()) {
		if !w.begun {
			if err := w.root(); err != nil {
				return expanded, err
			}
		}
		expanded += w.branch(states-expanded, end, send)
		if err := w.spill(); err != nil {
			return expanded, err
		}
	}
	return expanded, nil
}

// mostUnstored is how many bytes of new states a worker may have in memory.
const mostUnstored = 2 << 20

// spill stores what is new, beginning with the slot that has most of it, if that is too much.
func (w *SlotWork) spill() error {
	for w.unstored > mostUnstored {
		var most *slots.Queue
		for _, q := range w.queue {
			if q != nil && (most == nil || q.Buffered() > most.Buffered()) {
				most = q
			}
		}
		w.unstored -= most.Buffered()
		if err := most.Spill(w.store); err != nil {
			return err
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
	w.unstored = 0
	return errors.Join(errs...)
}

// root begins with the next state that waits.
func (w *SlotWork) root() error {
	x, e := w.X, &w.entry
	number, err := w.queue[w.at].Next(w.store, e)
	if err != nil {
		return err
	}
	f, err := w.present(e.Words)
	if err != nil {
		return err
	}
	if x.Seen.Add(f.packed, w.keyOf(f)) {
		return errors.New("a state that waits has not been visited")
	}
	w.begun, w.base = true, e.Depth
	w.place(0, slots.Ref{Slot: w.at, Number: number}, e)
	x.enter(f)
	w.lastOf(f)
	w.visit(f, e)
	return nil
}

// place notes where a state of the stack is written down.
func (w *SlotWork) place(depth int, at slots.Ref, e *slots.Entry) {
	for len(w.places) <= depth {
		w.places = append(w.places, placeOf{})
	}
	p := &w.places[depth]
	p.at, p.failed = at, append(p.failed[:0], e.Failed...)
}

// visit looks at the present frame, which has been entered, and removes what is not to be taken from there.
func (w *SlotWork) visit(f *frame, e *slots.Entry) {
	x := w.X
	x.Results.Nodes++
	switch {
	case f.todo.Empty():
		x.Results.Terminal(address{x.m, w.places[x.depth].at, e}, f.state)
	case x.Opt.MaxDepth > 0 && e.Depth >= int64(x.Opt.MaxDepth):
		x.Results.Cut++
		f.todo = actionset.Set{}
	case f.bar(x.m, &x.Opt):
		x.Results.Barred++
	}
}

// MostDeep is how many states are on the stack at most. What comes then has to wait, where it takes no memory.
const MostDeep = 1000

// branch goes on with what is on the stack, until so many states have been expanded. At the end of a stage it goes to
// no new ones.
func (w *SlotWork) branch(states int, end bool, send func(slot int, e *slots.Entry)) (expanded int) {
	x := w.X
	for fetched := false; expanded < states; {
		f := x.stack[x.depth]
		if f.todo.Empty() {
			expanded++
			w.expanded++
			if x.depth == 0 {
				w.begun = false
				break
			}
			x.depth--
			fetched = false
			continue
		}
		if !fetched {
			x.lookAhead(f)
			fetched = true
		}
		a := f.todo.Next(0)
		f.todo.Remove(a)
		next := x.above(f, a)
		x.Results.Events++
		x.Results.MaxDepth = max(x.Results.MaxDepth, int(w.base)+x.depth)
		slot, isNew := w.take(f, next)
		switch {
		case !isNew:
			x.depth--
		case !w.owned[slot]:
			w.passOn(slot, f, next, send)
			x.depth--
		default:
			from := &w.places[x.depth-1]
			direct := !end && x.depth < w.Deep
			at := w.arrive(f, next, slot, from.at, w.base+int64(x.depth), from.failed, direct)
			if !direct {
				x.depth--
				break
			}
			w.place(x.depth, at.at, at.e)
			x.enter(next)
			w.visit(next, at.e)
			fetched = false
		}
	}
	return expanded
}

// take takes the action of a frame, unless it leads to a state that has been visited, or was sent lately. Otherwise it
// returns the slot of that state. It is visited or sent now.
func (w *SlotWork) take(f, next *frame) (slot int, isNew bool) {
	x, set := w.X, w.X.Seen.Set
	s := f.successor(f.action)
	ahead := s != nil && f.version == set.Version
	key, fits := uint64(0), ahead
	if ahead {
		key = s.key
	} else if x.execute(f, next); f.packed.Version == set.Version && x.diff.Large == 0 {
		key, fits = set.KeyPlus(f.packed, x.diff.Chunks, nil)
	}
	version := set.Version
	if fits && (x.Seen.HasKey(key) || w.sent.has(key, version)) {
		return 0, false
	}
	if ahead {
		x.arrive(f, next, s)
	}
	x.ready = -1 // another state is in the next frame now
	slot = w.part.Slot(next.state)
	switch {
	case w.owned[slot] && fits:
		added, done := x.Seen.AddKey(key, version)
		if added && !ahead {
			x.Seen.Follow(f.packed, &x.diff, next.packed, key)
		}
		return slot, added || !done && x.Seen.AddPlus(f.packed, &x.diff, next.packed, w.keyOf(next))
	case w.owned[slot]:
		return slot, x.Seen.AddPlus(f.packed, &x.diff, next.packed, w.keyOf(next))
	case fits:
		if w.sent.add(key, version); !ahead {
			x.Seen.Follow(f.packed, &x.diff, next.packed, key)
		}
		return slot, true
	}
	next.packed.Version = 0 // it stands for another state
	return slot, w.sent.isNew(w.keyOf(next))
}

// present goes to a state.
func (w *SlotWork) present(words []byte) (*frame, error) {
	x, f := w.X, w.X.frame(0)
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
		if before := int(f.key[w.X.m.Words()]); before >= 0 && program.EnabledOf(w.X.m, &f.enabled, before) >= 0 {
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
	if n, ok := stateset.CountWords(b); !ok || n != len(w.X.Seen.Set.Fields) {
		return slots.ErrForm
	}
	w.words = stateset.DecodeInto(w.words[:0], b)
	return nil
}

// arrive takes in a new state, to which the action of a frame has led, and returns where it is.
func (w *SlotWork) arrive(f, next *frame, slot int, from slots.Ref, depth int64, failed []int32, direct bool) address {
	x, p := w.X, w.X.m.ProcOf(f.action)
	at := w.written(next, f.action, slot, from, depth, failed, direct)
	if x.Results.MayFail(next.state, p, x.m.StepID(f.state, p)) {
		for _, v := range x.Results.NewFailures(f.state, next.state, p) {
			x.Results.Record(at, v)
		}
	}
	if len(x.Results.Invariants) > 0 {
		x.Results.CheckInvariants(at, next.state, x.run.Footprint(f.state, p, x.foot))
	}
	return at
}

// written writes a new state down, to which an action has led, and returns where it is.
func (w *SlotWork) written(next *frame, action, slot int, from slots.Ref, depth int64, failed []int32,
	direct bool) address {
	x, e := w.X, &w.next
	e.Parent, e.Action, e.Depth, e.Words = from, int32(action), depth, w.encode(next)
	e.Failed = append(e.Failed[:0], failed...)
	if p := x.m.ProcOf(action); x.m.Failed(next.state, p) {
		e.Failed = append(e.Failed, int32(p))
	}
	x.Results.States++
	return w.enter(slot, direct)
}

// enter puts the next entry into its slot.
func (w *SlotWork) enter(slot int, direct bool) address {
	q, at := w.queue[slot], slots.Ref{Slot: slot}
	w.unstored -= q.Buffered()
	if direct {
		at.Number = q.AddDirect(&w.next)
	} else {
		at.Number = q.Add(&w.next)
	}
	w.unstored += q.Buffered()
	return address{w.X.m, at, &w.next}
}

// How a state is passed on, as the first byte says.
const (
	asBefore = iota // the words of the state before
	asChunks        // its own chunks
)

// passOn sends what a frame leads to to the owner of the slot that it is in: the state before, so that the owner takes
// the action, or the state itself, packed, if nothing is to be looked at but that.
func (w *SlotWork) passOn(slot int, f, next *frame, send func(slot int, e *slots.Entry)) {
	x := w.X
	place := &w.places[x.depth-1]
	item := slots.Entry{Parent: place.at, Action: int32(f.action), Depth: w.base + int64(x.depth), Failed: place.failed}
	w.bytes = append(w.bytes[:0], asBefore)
	if p := x.m.ProcOf(f.action); next.packed.Version == x.Seen.Set.Version && x.plain && next.packed.Large == 0 &&
		len(x.Results.Invariants) == 0 && !x.Results.MayFail(next.state, p, x.m.StepID(f.state, p)) {
		w.bytes[0] = asChunks
		for _, c := range next.packed.Chunks {
			w.bytes = binary.LittleEndian.AppendUint64(w.bytes, c)
		}
	} else {
		w.bytes = stateset.EncodeWords(w.bytes, w.keyOf(f))
	}
	item.Words = w.bytes
	send(slot, &item)
}

// Accept takes what Expand of another worker has passed on.
func (w *SlotWork) Accept(b slots.Batch) (err error) {
	x, e := w.X, &w.entry
	stack, depth := x.stack, x.depth
	x.stack, x.ready = w.aside, -1
	defer func() { w.aside, x.stack, x.depth = x.stack, stack, depth }()
	for {
		if more, err := b.Next(e); err != nil {
			return err
		} else if !more {
			return w.spill()
		}
		if e.Action < 0 || int(e.Action) >= x.m.NumActions() || len(e.Words) == 0 {
			return slots.ErrForm
		}
		switch e.Words[0] {
		case asChunks:
			err = w.acceptChunks(e, e.Words[1:])
		case asBefore:
			err = w.acceptBefore(e, e.Words[1:])
		default:
			err = slots.ErrForm
		}
		if err != nil {
			return err
		}
	}
}

// acceptBefore takes the action from the state before.
func (w *SlotWork) acceptBefore(e *slots.Entry, words []byte) error {
	x := w.X
	f, err := w.present(words)
	if err != nil {
		return err
	}
	if f.last = -1; f.key != nil { // who can go on tells what a preemption is
		program.FindEnabled(x.m, x.run, f.state, &f.enabled, &f.open)
		w.lastOf(f)
	}
	next := x.above(f, int(e.Action))
	x.execute(f, next)
	slot, err := w.ownSlot(next)
	if err == nil && x.Seen.Add(next.packed, w.keyOf(next)) {
		w.arrive(f, next, slot, e.Parent, e.Depth, e.Failed, false)
	}
	return err
}

// ownSlot is the slot of a state that was sent here.
func (w *SlotWork) ownSlot(f *frame) (slot int, err error) {
	if slot = w.part.Slot(f.state); !w.owned[slot] {
		err = fmt.Errorf("a state of slot %d was sent to who does not own it", slot)
	}
	return slot, err
}

// acceptChunks takes in a state that came as chunks. Whoever has sent it has seen that the step to it broke nothing.
func (w *SlotWork) acceptChunks(e *slots.Entry, chunks []byte) error {
	x := w.X
	if len(chunks) != 8*x.Seen.Set.Chunks || !x.plain {
		return slots.ErrForm
	}
	last, now := w.came[0], w.came[1]
	if now == nil {
		now = x.Seen.Set.Vector()
	}
	for i := range now.Chunks {
		now.Chunks[i] = binary.LittleEndian.Uint64(chunks[8*i:])
	}
	isNew := x.Seen.AddChunks(last, now)
	w.came = [2]*stateset.Packed{now, last}
	if !isNew {
		return nil
	}
	next := x.frame(0)
	if !x.Seen.Set.Unpack(now.Chunks, next.state) {
		return slots.ErrForm
	}
	slot, err := w.ownSlot(next)
	if err != nil {
		return err
	}
	w.written(next, int(e.Action), slot, e.Parent, e.Depth, e.Failed, false)
	return nil
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
	err := w.X.Checkpoint(w.X.m).Write(&found)
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
	r, err := results.NewCollector(w.X.m, Algorithm, nil)
	if err == nil {
		r.EveryWay = w.X.Results.EveryWay
		w.X.Results = r
		w.X.run.Cover(r.Covered)
	}
	return err
}

// AddFound adds what a stage has found to what all have. The work has nothing to do but this.
func (w *SlotWork) AddFound(all *engine.Findings, found []byte) error {
	x := w.X
	cp, err := saved.Read(bytes.NewReader(found))
	if err != nil {
		return err
	}
	if x.Results, err = results.NewCollector(x.m, Algorithm, nil); err != nil {
		return err
	}
	if err := cmp.Or(x.m.AdoptOrigins(cp.Origins), x.RestoreFindings(cp)); err != nil {
		return err
	}
	all.Results.Merge(x.Results)
	return nil
}

// sentStates are some of the states that were sent to others lately. These have them, so they need not be sent again.
type sentStates struct {
	keys    []uint64 // of those that have a key
	version int      // of the keys
	places  [][]int64
}

const (
	sentKeys   = 1 << 13 // so that they lie near the processor
	sentPlaces = 1 << 13
)

// has reports whether a state with a key of some version was sent lately.
func (t *sentStates) has(key uint64, version int) bool {
	return key != 0 && t.keys != nil && t.version == version && t.keys[stateset.Home(key, sentKeys-1)] == key
}

// add notes that a state is sent.
func (t *sentStates) add(key uint64, version int) {
	if t.keys == nil || t.version != version {
		t.keys, t.version = make([]uint64, sentKeys), version
	}
	t.keys[stateset.Home(key, sentKeys-1)] = key
}

// isNew reports whether a state that has no key was not sent lately. It is now.
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

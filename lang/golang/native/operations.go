package native

// Operations of primitives, and what they make of the objects that they are about. This file is compiled into the
// program that is explored as well, which decides by it who may go on; what it knows of an object is never looked up in
// the program's memory.

// A Kind says what a goroutine is about to do.
type Kind int32

const (
	opNone Kind = iota
	opSend
	opReceive
	opClose
	opSelect // a blocking select takes a case, or one with a default does what it does
	opEnter  // a blocking select offers its cases on channels without a buffer; timers are waited for from now on
	opLock
	opTryLock
	opUnlock
	opReadLock
	opTryReadLock
	opReadUnlock
	opAnnounce // a writer keeps new readers out
	opWriteLock
	opTryWriteLock
	opWriteUnlock
	opAdd
	opWait
	opOnce
	opOnceEnd
	opCondWait
	opCondPark // behind opCondWait: nothing that is explored, the goroutine goes on when it has been woken
	opSignal
	opBroadcast
	opLoad
	opStore
	opBump      // an atomic add of which nobody looks at the result
	opCompare   // a compare-and-swap
	opKeyLoad   // of a sync.Map
	opKeyStore  //
	opKeyChange // which may find the key as it is to be
	opKeys      // goes through all keys
	opClear
	opLength // of a channel
	opCall   // of a method that is taken for one step
	opGo
	opExit
	opSleep
	opArm   // a timer is made
	opReset // of a timer
	opStop  // of a timer
	opNow   // somebody asks for the time
	opTick  // of the clock: the time of the next timer comes
	// Bubbles of testing/synctest: one begins, and there time passes only when all wait; somebody waits until all
	// others do; somebody waits for its end; and that has come. Whoever waits so goes on in place of the clock.
	opBubble
	opQuiet
	opBubbled
	opBubbleEnd
	opEnd // behind all of them
)

// An Operation is the next operation of a goroutine that stands at a gate.
type Operation struct {
	Kind    Kind
	Blocks  bool    // of a channel or a select: it waits
	Sends   int     // of a select: so many of the objects, the first ones, are sent to; the method of opCall
	Number  int     // what opAdd adds; the process that opGo starts; how often what it arms may fire; a key
	Objects []int32 // nil channels: -1
}

// An Object is a mutex, a channel, a wait group and the like, with what follows of it from the operations so far.
type Object struct {
	size      int // of a channel
	length    int
	sent      int // to a channel with a buffer
	received  int
	closed    bool
	timer     bool // a timer's channel
	sending   []party
	receiving []party
	held      bool // by a writer, or a sync.Once that runs
	announced bool
	readers   int
	count     int
	done      bool
	waiting   []party // at a condition variable
}

// A party is who waits at an object: an operation that does nothing else, or a case of a select.
type party struct {
	proc int
	at   int // case, -1: no select
}

// ready reports whether an operation of a process on a channel can be done at once, and if with somebody who waits
// there, with whom: selects take part only where they are asked.
func (o *Object) ready(sends bool, proc int, selects bool) (yes bool, with party) {
	with = party{-1, -1}
	switch others := o.others(sends); {
	case o.closed:
		return true, with
	case o.size > 0 || o.timer:
		if sends {
			return o.length < o.size, with
		}
		return o.length > 0, with
	default:
		for _, q := range others {
			if q.at < 0 {
				return true, q
			}
		}
		for _, q := range others {
			if q.proc != proc && selects {
				return true, q
			}
		}
	}
	return false, with
}

func (o *Object) others(sends bool) []party {
	if sends {
		return o.receiving
	}
	return o.sending
}

// MostInRow is how many events in a row a goroutine has where nothing else decides: others may wait for none of them,
// as where it polls.
const MostInRow = 200

// An Outcome is the result of an operation.
type Outcome struct {
	queued bool    // it waits for somebody else, who does it with it
	frees  []party // these go on
}

// A World is all objects, by id, and what the selects that have entered are about, by process. Lists in it are never
// changed in place. Objects are in pages, which large worlds share until one of them changes something there.
type World struct {
	pages  []*page
	own    []bool // by page: no other world has it
	number int
	offers [][]int32
}

const (
	pageSize = 8
	// fewObjects are copied at once: a world that is used again has room for them.
	fewObjects = 4 * pageSize
)

type page [pageSize]Object

// Copy makes a world what another one is, Reset one without objects.
func (w *World) Copy(from *World) {
	w.offers, w.number = append(w.offers[:0], from.offers...), from.number
	used := from.pages[:(from.number+pageSize-1)/pageSize]
	if w.number <= fewObjects {
		for i, p := range used {
			n := min(pageSize, w.number-i*pageSize)
			copy(w.room(i)[:n], p[:n])
		}
		return
	}
	w.pages, w.own = append(w.pages[:0], used...), append(w.own[:0], from.own[:len(used)]...)
	clear(w.own)
	clear(from.own)
}
func (w *World) Reset() { w.number, w.offers = 0, w.offers[:0] }

// room is a page that no other world has, with anything in it.
func (w *World) room(i int) *page {
	if i == len(w.pages) {
		w.pages, w.own = append(w.pages, nil), append(w.own, false)
	}
	if !w.own[i] {
		w.pages[i], w.own[i] = &page{}, true
	}
	return w.pages[i]
}

// Add adds an object, with the next id. Len is how many there are.
func (w *World) Add(o Object) {
	i := w.number / pageSize
	if n := w.number % pageSize; n == 0 || w.own[i] {
		w.room(i)[n] = o
	} else {
		w.change(int32(w.number - 1))
		w.pages[i][n] = o
	}
	w.number++
}
func (w *World) Len() int { return w.number }

// At is an object to look at, change one that is going to be changed.
func (w *World) At(id int32) *Object { return &w.pages[id/pageSize][id%pageSize] }
func (w *World) change(id int32) *Object {
	if i := id / pageSize; !w.own[i] {
		p := *w.pages[i]
		w.pages[i], w.own[i] = &p, true
	}
	return w.At(id)
}

// SetLength sets the length of a timer's channel.
func (w *World) SetLength(id int32, n int) { w.change(id).length = n }

func (w *World) offer(proc int, objects []int32) {
	for len(w.offers) <= proc {
		w.offers = append(w.offers, nil)
	}
	w.offers[proc] = objects
}

// withdraw takes a process, which goes on, away from where its select waits.
func (w *World) withdraw(proc int) {
	if proc >= len(w.offers) {
		return
	}
	for _, id := range w.offers[proc] {
		if id >= 0 {
			o := w.change(id)
			without(&o.sending, proc)
			without(&o.receiving, proc)
		}
	}
	w.offers[proc] = nil
}

// Alternatives calls f for each way in which an operation of a process can be done: a case of a select, -1 for its
// default, or 0.
func (op *Operation) Alternatives(w *World, proc int, f func(choice int)) {
	if op.Kind != opSelect {
		if op.Enabled(w, proc) {
			f(0)
		}
		return
	}
	any := false
	for i, id := range op.Objects {
		if id < 0 {
			continue
		}
		o := w.At(id)
		if yes, _ := o.ready(i < op.Sends, proc, i < op.Sends || !op.Blocks); yes {
			any = true
			f(i)
		}
	}
	if !op.Blocks && !any {
		f(len(op.Objects))
	}
}

// Enabled reports whether an operation of a process can be done.
func (op *Operation) Enabled(w *World, proc int) bool {
	if len(op.Objects) == 0 {
		return true
	}
	if op.Objects[0] < 0 && op.Kind != opSelect && op.Kind != opEnter {
		return !op.Blocks || op.Kind == opClose // a nil channel
	}
	switch op.Kind {
	case opSend, opReceive:
		o := w.At(op.Objects[0])
		if !op.Blocks || o.size == 0 && !o.timer {
			return true
		}
		yes, _ := o.ready(op.Kind == opSend, proc, false)
		return yes
	case opSelect:
		yes := false
		op.Alternatives(w, proc, func(int) { yes = true })
		return yes
	case opLock:
		return !w.At(op.Objects[0]).held
	case opReadLock:
		o := w.At(op.Objects[0])
		return !o.held && !o.announced
	case opAnnounce:
		o := w.At(op.Objects[0])
		return !o.held && !o.announced
	case opWriteLock:
		return w.At(op.Objects[0]).readers == 0
	case opWait:
		return w.At(op.Objects[0]).count == 0
	case opOnce:
		o := w.At(op.Objects[0])
		return o.done || !o.held
	}
	return true
}

// Waits reports whether an operation may have to wait.
func (op *Operation) Waits(w *World) bool {
	switch op.Kind {
	case opSelect:
		return op.Blocks
	case opSend, opReceive:
		if !op.Blocks || op.Objects[0] < 0 {
			return op.Blocks
		}
		o := w.At(op.Objects[0])
		return o.size > 0 || o.timer
	case opLock, opReadLock, opAnnounce, opWriteLock, opWait, opOnce:
		return true
	}
	return false
}

// Apply does an operation, with a choice, and says what else goes on. What waits is not asked again.
func (op *Operation) Apply(w *World, proc, choice int) (out Outcome) {
	if op.Kind == opSelect || op.Kind == opEnter {
		return op.applySelect(w, proc, choice)
	}
	if len(op.Objects) == 0 || op.Objects[0] < 0 {
		return Outcome{queued: op.Kind == opQuiet || op.Kind == opBubbled}
	}
	if !op.changes() {
		return out
	}
	o := w.change(op.Objects[0])
	switch op.Kind {
	case opSend, opReceive:
		return o.pass(w, op.Kind == opSend, op.Blocks, !op.Blocks, proc)
	case opClose:
		if !o.closed {
			o.closed = true
			for _, list := range [][]party{o.sending, o.receiving} {
				for _, q := range list {
					if q.at < 0 {
						out.frees = append(out.frees, q)
					}
				}
			}
			o.sending, o.receiving = selecting(o.sending), selecting(o.receiving)
		}
	case opLock:
		o.held = true
	case opTryLock:
		o.held = true // it is the one who holds it now, or another one does
	case opUnlock:
		o.held = false
	case opReadLock:
		o.readers++
	case opTryReadLock:
		if !o.held && !o.announced {
			o.readers++
		}
	case opReadUnlock:
		o.readers--
	case opAnnounce:
		o.announced = true
	case opWriteLock:
		o.held = true
	case opTryWriteLock:
		if !o.held && !o.announced && o.readers == 0 {
			o.held, o.announced = true, true
		}
	case opWriteUnlock:
		o.held, o.announced = false, false
	case opAdd:
		o.count += op.Number
	case opOnce:
		o.held = !o.done
	case opOnceEnd:
		o.held, o.done = false, true
	case opCondWait:
		o.waiting = append(o.waiting[:len(o.waiting):len(o.waiting)], party{proc, -1})
	case opSignal:
		if len(o.waiting) > 0 {
			out.frees, o.waiting = o.waiting[:1:1], o.waiting[1:]
		}
	case opBroadcast:
		out.frees, o.waiting = o.waiting, nil
	}
	return out
}

// changes reports whether Apply may change the object of an operation.
func (op *Operation) changes() bool {
	switch op.Kind {
	case opWait, opLoad, opStore, opBump, opCompare, opKeyLoad, opKeyStore, opKeyChange, opKeys, opClear, opLength,
		opCall, opReset, opStop:
		return false
	}
	return true
}

// pass sends to a channel or receives from it.
func (o *Object) pass(w *World, sends, blocks, selects bool, proc int) (out Outcome) {
	yes, with := o.ready(sends, proc, selects)
	switch {
	case with.proc >= 0:
		without(&o.sending, with.proc)
		without(&o.receiving, with.proc)
		w.withdraw(with.proc)
		out.frees = []party{with}
	case !yes && blocks: // without a buffer
		list := &o.receiving
		if sends {
			list = &o.sending
		}
		*list = append((*list)[:len(*list):len(*list)], party{proc, -1})
		out.queued = true
	case yes && !o.closed && sends:
		o.length++
		o.sent++
	case yes && !sends && o.length > 0:
		o.length--
		o.received++
	}
	return out
}

func selecting(list []party) (left []party) {
	for _, q := range list {
		if q.at >= 0 {
			left = append(left, q)
		}
	}
	return left
}

func without(list *[]party, proc int) {
	var left []party
	found := false
	for _, q := range *list {
		if q.proc == proc {
			found = true
		} else {
			left = append(left, q)
		}
	}
	if found {
		*list = left
	}
}

// applySelect lets a select enter, or take a case.
func (op *Operation) applySelect(w *World, proc, choice int) (out Outcome) {
	if op.Kind == opEnter {
		w.offer(proc, op.Objects)
		for i, id := range op.Objects {
			if id < 0 {
				continue
			}
			if o := w.At(id); op.Blocks && o.size == 0 && !o.timer {
				o = w.change(id)
				list := &o.receiving
				if i < op.Sends {
					list = &o.sending
				}
				*list = append((*list)[:len(*list):len(*list)], party{proc, i})
			}
		}
		return out
	}
	w.withdraw(proc)
	if choice < len(op.Objects) {
		return w.change(op.Objects[choice]).pass(w, choice < op.Sends, false, choice < op.Sends || !op.Blocks, proc)
	}
	return out
}

// A Place is a location that an operation touches: part of an object, or one of the following.
type Place int32

const (
	// Rendezvous is touched by whatever may go on together with a select: that takes it away from its other channels.
	Rendezvous Place = -1
	// Lives are those of processes: Lives - p is touched when p is started.
	Lives Place = -2
	// Parts is how many parts an object has.
	Parts = 3
)

// Accesses calls f for all places that an operation of a process touches. Two operations are independent unless one of
// them writes what the other one touches. With slot there are more places of an object, by number, so that operations
// of the same kind can be told apart: sends and receives, adds by process if there are some that nobody looks at, keys.
// What the models in the folder models have proved of primitives is compared with this (TestModels).
func (op *Operation) Accesses(w *World, proc int, f func(p Place, write bool), slot func(k int, write bool),
	bumps bool) {
	if slot != nil && op.sharper(w, proc, f, slot, bumps) {
		return
	}
	both := func(id int32, write bool) {
		for part := range Place(Parts) {
			f(Parts*Place(id)+part, write)
		}
	}
	switch op.Kind {
	case opGo:
		f(Lives-Place(op.Number), true)
		return
	case opSend, opReceive:
		id := op.Objects[0]
		if id < 0 {
			return
		}
		o, part, other := w.At(id), Parts*Place(id), Parts*Place(id)+1
		if op.Kind == opReceive {
			part, other = other, part
		}
		switch unbuffered := o.size == 0 && !o.timer; {
		case unbuffered && op.Blocks: // the k-th of those who send meets the k-th of those who receive
			f(part, true)
		case unbuffered:
			both(id, true)
			f(Rendezvous, true)
		default:
			f(part, true)
			f(other, false)
		}
		return
	case opSelect:
		for i, id := range op.Objects {
			if id >= 0 {
				both(id, true)
				if o := w.At(id); o.size == 0 && !o.timer && (i < op.Sends || !op.Blocks) {
					f(Rendezvous, true)
				}
			}
		}
		return
	}
	for _, id := range op.Objects {
		switch op.Kind {
		case opClose, opLength, opStop, opReset:
			if id >= 0 {
				both(id, op.writes())
			}
		default:
			f(Parts*Place(id), op.writes())
		}
	}
}

// bumpers is how many processes have a slot of their own for adds.
const bumpers = 6

// sharper is Accesses with slots, if an operation needs some.
func (op *Operation) sharper(w *World, proc int, f func(p Place, write bool), slot func(k int, write bool),
	bumps bool) bool {
	if op.Counted(w) {
		op.counted(w, f, slot)
		return true
	}
	if len(op.Objects) == 0 || op.Objects[0] < 0 {
		return false
	}
	part := Parts * Place(op.Objects[0])
	switch op.Kind {
	case opBump:
		slot(proc%bumpers, true)
	case opLoad, opStore, opCompare:
		if f(part, op.Kind != opLoad); bumps {
			for k := range bumpers {
				slot(k, false)
			}
		}
	case opKeyLoad:
		slot(op.Number, false)
		f(part+2, false)
	case opKeyStore, opKeyChange:
		slot(op.Number, true)
		f(part, false)
		f(part+2, false)
	case opKeys:
		f(part, true)
	default:
		return false
	}
	return true
}

// Call is which method an operation calls, by number, with what key.
func (op *Operation) Call() (method, key int, yes bool) {
	return op.Sends, op.Number, op.Kind == opCall
}

// Writes reports whether an operation is in conflict with those of its own kind at the same object.
func (op *Operation) Writes() bool { return op.writes() }

// OfObjects reports whether an operation depends on others because of objects only: it tells no time, starts nothing,
// and nobody meets it.
func (op *Operation) OfObjects(w *World) bool {
	switch op.Kind {
	case opLock, opTryLock, opUnlock, opReadLock, opTryReadLock, opReadUnlock, opAnnounce, opWriteLock, opTryWriteLock,
		opWriteUnlock, opAdd, opWait, opOnce, opOnceEnd, opLoad, opStore, opBump, opCompare, opKeyLoad, opKeyStore,
		opKeyChange, opKeys, opClear, opLength:
		return true
	case opSend, opReceive:
		id := op.Objects[0]
		return op.Blocks && id >= 0 && w.At(id).size > 0 && !w.At(id).timer
	}
	return false
}

// Bumps reports whether an operation is an add of which nobody looks at the result.
func (op *Operation) Bumps() bool { return op.Kind == opBump }

// Counted reports whether it matters to an operation only which ones of the sends to a channel with a buffer, and of
// the receives from it, have been done. The k-th send is in conflict with the k-th receive, and with the one that makes
// room for it; sends are with each other, and receives.
func (op *Operation) Counted(w *World) bool {
	if !op.Counts() {
		return false
	}
	o := w.At(op.Objects[0])
	return o.size > 0 && !o.timer && !o.closed
}

// Counts reports whether an operation may be Counted where the channel has not been closed.
func (op *Operation) Counts() bool {
	return op.Blocks && (op.Kind == opSend || op.Kind == opReceive) && op.Objects[0] >= 0
}

// Widest calls f and slot with all that such an operation may touch before more is sent and received.
func (op *Operation) Widest(w *World, f func(p Place, write bool), slot func(k int)) {
	op.Accesses(w, 0, f, nil, false)
	o := w.At(op.Objects[0])
	if f(Parts*Place(op.Objects[0])+2, false); o.size == 0 {
		return
	}
	for k := -o.size; k <= max(o.sent, o.received); k++ {
		slot(k)
	}
}

// counted is Accesses for such an operation: slots are the receives by number that it is in conflict with, or that it
// is. All such operations read the third part of the channel: a guard asks which of them there were.
func (op *Operation) counted(w *World, f func(p Place, write bool), slot func(k int, write bool)) {
	id := op.Objects[0]
	o, part := w.At(id), Parts*Place(id)
	if f(part+2, false); op.Kind == opReceive {
		f(part+1, true)
		slot(o.received, true)
		return
	}
	f(part, true)
	slot(o.sent, true)
	slot(o.sent-o.size, true)
}

// writes reports whether an operation is in conflict with those of its own kind at the same object.
func (op *Operation) writes() bool {
	switch op.Kind {
	case opLoad, opLength, opReadLock, opReadUnlock, opAdd, opKeyLoad:
		return false
	}
	return true
}

// A Clock says how often timers may fire although somebody can go on: any moment from when they are armed on, a ticker
// three times. In bubbles of testing/synctest they do not.
type Clock struct{ armed, bubbles int }

// Do carries out an operation on a clock, Fire lets timers fire, MayFire reports whether they may.
func (c *Clock) Do(op *Operation) {
	switch op.Kind {
	case opBubble:
		c.bubbles, c.armed = c.bubbles+1, 0
	case opBubbleEnd:
		c.bubbles, c.armed = c.bubbles-1, 0
	case opSleep, opArm, opReset:
		if c.bubbles == 0 {
			c.armed += op.Number
		}
	}
}

// Disturbed reports whether an operation, of somebody outside of bubbles or not, is done beside a bubble of somebody
// else: these have one clock, which goes on when nobody can.
func (c *Clock) Disturbed(op *Operation, outside bool) bool {
	return c.bubbles > 1 || c.bubbles > 0 && outside || op.Kind == opBubble && c.armed > 0
}
func (c *Clock) Fire()         { c.armed-- }
func (c *Clock) MayFire() bool { return c.armed > 0 }

// TellsTime reports whether it matters to an operation what the time is.
func (op *Operation) TellsTime(w *World) bool {
	switch op.Kind {
	case opSleep, opArm, opReset, opStop, opNow, opTick, opBubble, opBubbleEnd:
		return true
	}
	for _, id := range op.Objects {
		if id >= 0 && w.At(id).timer {
			return true
		}
	}
	return false
}

// Selects reports whether an operation may have several alternatives, Refinable whether it counts as a read where it
// leaves its object as it is. Unchanged tells of the world before it whether it does; of a comparison it is seen only
// when that has been made (Step.Kept).
func (op *Operation) Selects() bool { return op.Kind == opSelect && op.Blocks }
func (op *Operation) Refinable() bool {
	switch op.Kind {
	case opTryLock, opTryReadLock, opTryWriteLock, opOnce, opSignal, opBroadcast, opCompare, opKeyChange:
		return true
	}
	return false
}
func (op *Operation) Unchanged(w *World) bool {
	o := w.At(op.Objects[0])
	switch op.Kind {
	case opTryLock:
		return o.held
	case opTryReadLock:
		return o.held || o.announced
	case opTryWriteLock:
		return o.held || o.announced || o.readers > 0
	case opOnce:
		return o.done
	case opSignal, opBroadcast:
		return len(o.waiting) == 0
	}
	return false
}

// Chooses reports whether an operation is a select, with a default or without; Case is the alternative of it that is
// number nth of the cases that send, or of those that receive: these come last, in reverse.
func (op *Operation) Chooses() bool { return op.Kind == opSelect }
func (op *Operation) Case(sends bool, nth int) int {
	if sends {
		return nth
	}
	return len(op.Objects) - 1 - nth
}

// Alternative is Case the other way round; a negative number stands for the default.
func (op *Operation) Alternative(choice int) (sends bool, nth int) {
	switch {
	case choice >= len(op.Objects):
		return false, -1
	case choice < op.Sends:
		return true, choice
	}
	return false, len(op.Objects) - 1 - choice
}

// Continues reports whether an operation is the second part of one whose first part comes right before it.
func (op *Operation) Continues() bool {
	return op.Kind == opSelect && op.Blocks || op.Kind == opWriteLock || op.Kind == opCondPark
}

// Within reports whether a world has the objects of an operation.
func (op *Operation) Within(w *World) bool {
	for _, id := range op.Objects {
		if int(id) >= w.number {
			return false
		}
	}
	return true
}

// Equal reports whether two operations are the same.
func (op *Operation) Equal(other *Operation) bool {
	if op.Kind != other.Kind || op.Blocks != other.Blocks || op.Sends != other.Sends || op.Number != other.Number ||
		len(op.Objects) != len(other.Objects) {
		return false
	}
	for i, id := range op.Objects {
		if id != other.Objects[i] {
			return false
		}
	}
	return true
}

// None reports whether a process is about to do nothing.
func (op *Operation) None() bool { return op.Kind == opNone }

// Starts is the process that an operation starts, -1 if it starts none.
func (op *Operation) Starts() int {
	if op.Kind == opGo {
		return op.Number
	}
	return -1
}

// Tick is the operation of the clock.
var Tick = Operation{Kind: opTick}

// Holds says which object an operation takes for its process, or gives back.
func (op *Operation) Holds() (id int32, takes, gives bool) {
	switch op.Kind {
	case opLock, opWriteLock, opReadLock:
		return op.Objects[0], true, false
	case opUnlock, opWriteUnlock, opReadUnlock:
		return op.Objects[0], false, true
	}
	return 0, false, false
}

// awaited is the object that must not be held for an operation to be done, -1 if there is none.
func (op *Operation) awaited() int32 {
	switch op.Kind {
	case opLock, opReadLock, opAnnounce, opWriteLock:
		return op.Objects[0]
	}
	return -1
}

// Adds tells which number an operation adds to the counter of which object.
func (op *Operation) Adds() (id int32, n int, yes bool) {
	if op.Kind != opAdd {
		return 0, 0, false
	}
	return op.Objects[0], op.Number, true
}

// AwaitsZero reports whether an operation waits for the counter of a WaitGroup to be zero.
func (op *Operation) AwaitsZero() bool { return op.Kind == opWait }

// Count is the counter of a WaitGroup.
func (o *Object) Count() int { return o.count }

package runtime

import (
	"internal/abi"
	"internal/stringslite"
	"unsafe"
)

var cdporHook func(kind int, p unsafe.Pointer, n, m int)

// CdporHook sets what is called at each gate. Goroutines begin with a stack on which they come there.
func CdporHook(f func(kind int, p unsafe.Pointer, n, m int)) {
	cdporFollows()
	cdporHook = f
	startingStackSize = max(startingStackSize, 8<<10)
}

// CdporRun runs a function in a bubble of testing/synctest.
func CdporRun(f func()) { synctestRun(f) }

// CdporGate is a gate: the goroutine is about to do an operation. Nobody stops while the runtime holds something.
func CdporGate(kind int, p unsafe.Pointer, n, m int) {
	gp := getg()
	if cdporHook != nil && gp.bubble != nil && gp.cdporOff == 0 && gp.m.locks == 0 && gp.m.curg == gp {
		gp.cdporGates++
		gp.cdporGate = int32(kind)
		cdporHook(kind, p, n, m)
		gp.cdporGate = 0
	} else if gp.cdporCall != 0 && gp.m.locks == 0 && gp.m.curg == gp {
		cdporInside(kind, p)
	}
}

// CdporCall is a gate where a call begins that is taken for one step; what it returns ends that.
func CdporCall(kind int, receiver any, method int, key any) func() {
	if !CdporControls() {
		return func() {}
	}
	CdporGate(kind, efaceOf(&receiver).data, method, CdporKey(key))
	gp := getg()
	gp.cdporOff++
	gp.cdporCall++
	return func() {
		gp := getg()
		gp.cdporOff--
		gp.cdporCall--
	}
}

var (
	cdporLibrary   string
	cdporExecution uint32
)

// CdporLibrary says in which folder the library is, CdporOutside whether a function is not in there: that which is so
// many calls above.
func CdporLibrary(folder string) { cdporLibrary = folder }

func CdporOutside(skip int) bool {
	if !CdporControls() {
		return false
	}
	var pcs [1]uintptr
	if callers(skip, pcs[:]) == 0 {
		return false
	}
	file, _ := funcline(findfunc(pcs[0]), pcs[0]-1)
	return len(file) < len(cdporLibrary) || file[:len(cdporLibrary)] != cdporLibrary
}

// CdporExecution is the number of the execution, CdporBegin begins one.
func CdporExecution() uint32 { return cdporExecution }
func CdporBegin() {
	cdporExecution++
	cdporMaxProcs = cdporProcessor
	getg().cdporChildren = 0
}

// cdporProcessor is how many processors a program is told that there are, on each machine the same.
const cdporProcessor = 2

var cdporMaxProcs int

// cdporProcessors does for a program what GOMAXPROCS does, but that there is one processor.
func cdporProcessors(n int) (was int) {
	was = cdporMaxProcs
	if n > 0 {
		cdporMaxProcs = n
	}
	return was
}

var cdporInside func(kind int, p unsafe.Pointer)

// CdporCalls sets what is called at each gate within such a call.
func CdporCalls(f func(kind int, p unsafe.Pointer)) { cdporInside = f }

// cdporWaits is called where a goroutine is about to wait for a mutex and the like.
func cdporWaits(gp *g) {
	if gp.cdporCall != 0 {
		print("panic: cdpor: a call that is taken for one step waits\n")
		exit(2)
	}
}

var cdporPolled func(file uintptr, mode int)

// CdporPolls sets what is called where a goroutine is about to wait for a file that has no deadline.
func CdporPolls(f func(file uintptr, mode int)) { cdporPolled = f }

func cdporPolls(pd *pollDesc, mode int) {
	deadline := pd.rd
	if mode == 'w' {
		deadline = pd.wd
	}
	if deadline == 0 && netpollcheckerr(pd, int32(mode)) == pollNoError && CdporControls() {
		cdporPolled(pd.fd, mode)
	}
}

// CdporGates is how many gates the goroutine has come to.
func CdporGates() uint32 { return getg().cdporGates }

var cdporKept bool

// CdporKeeps is called where an operation leaves its object as it was, CdporKept reports whether one has.
func CdporKeeps() {
	if CdporControls() {
		cdporKept = true
	}
}

func CdporKept() (yes bool) {
	yes, cdporKept = cdporKept, false
	return yes
}

// CdporKey is a number for a key of a map: keys that are equal have equal ones.
func CdporKey(key any) int {
	e := efaceOf(&key)
	if !CdporControls() || e._type == nil {
		return 0
	}
	const prime = 16777619
	h := uint32(2166136261)
	mix := func(p unsafe.Pointer, n uintptr) {
		for i := range n {
			h = (h ^ uint32(*(*byte)(add(p, i)))) * prime
		}
	}
	switch abi.Kind(e._type.Kind_) & 31 {
	case abi.String:
		s := (*stringStruct)(e.data)
		mix(s.str, uintptr(s.len))
	case abi.Bool, abi.Int, abi.Int8, abi.Int16, abi.Int32, abi.Int64, abi.Uint, abi.Uint8, abi.Uint16, abi.Uint32,
		abi.Uint64:
		mix(e.data, e._type.Size_)
	}
	return int(h >> 1)
}

// CdporControls reports whether the goroutine is under control.
func CdporControls() bool {
	gp := getg()
	return cdporHook != nil && gp.bubble != nil && gp.cdporOff == 0
}

// CdporOff adds to how often the gates of the goroutine have been opened.
func CdporOff(n int32) { getg().cdporOff += n }

// CdporSelf is where the record of the goroutine is kept, that of who has started it, and as which one.
func CdporSelf() (self *unsafe.Pointer, parent unsafe.Pointer, index uint32) {
	gp := getg()
	return &gp.cdporSelf, gp.cdporParent, gp.cdporIndex
}

// CdporChildren is how many goroutines the goroutine has started.
func CdporChildren() uint32 { return getg().cdporChildren }

func cdporSpawn(gp, newg *g) {
	newg.cdporSelf, newg.cdporParent, newg.cdporIndex, newg.cdporChildren = nil, gp.cdporSelf, gp.cdporChildren, 0
	newg.cdporGates, newg.cdporCall, newg.cdporLate, newg.cdporGate = 0, 0, 0, 0
	newg.cdporEpoch = cdporExecution
	newg.cdporOff, newg.cdporRand, newg.cdporAsk, newg.cdporBubble = 0, 0, 0, gp.cdporBubble
	if newg.cdporSeed = 0; gp.cdporSelf != nil {
		newg.cdporSeed = cdporMixed(gp.cdporSeed + uint64(gp.cdporChildren) + 1)
	}
	gp.cdporChildren++
}

// cdporRandom is a random number that depends on the goroutine and on how many it has asked for only.
//
//go:nosplit
func cdporRandom() (x uint64, yes bool) {
	gp := getg()
	if cdporHook == nil || gp.bubble == nil || gp.m.curg != gp {
		return 0, false
	}
	gp.cdporRand++
	return cdporMixed(gp.cdporRand), true
}

//go:nosplit
func cdporMixed(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// cdporProgramRandom is what math/rand asks for. Goroutines get different numbers.
//
//go:linkname cdporProgramRandom
func cdporProgramRandom() uint64 {
	gp := getg()
	if cdporHook == nil || gp.bubble == nil {
		return rand()
	}
	gp.cdporAsk++
	return cdporMixed(gp.cdporSeed + gp.cdporAsk)
}

// cdporFastrand is what a program gets that links runtime.cheaprand.
//
//go:linkname cdporFastrand
func cdporFastrand() uint32 { return uint32(cdporProgramRandom() >> 32) }

// CdporUnique is a number that no other execution gets, for a goroutine under control.
func CdporUnique() (n uint64, yes bool) {
	if gp := getg(); cdporHook == nil || gp.bubble == nil {
		return 0, false
	}
	return cdporMixed(uint64(nanotime())) >> 32, true
}

// CdporFill fills b with what crypto/rand gives the goroutine, if it is under control.
func CdporFill(b []byte) (yes bool) {
	if gp := getg(); cdporHook == nil || gp.bubble == nil {
		return false
	}
	for i := range b {
		b[i] = byte(cdporProgramRandom() >> 56)
	}
	return true
}

// A CdporNote is where a goroutine is parked.
//
// Parking at a gate and going on from there is most of what control costs. There is one processor, so the one hands it
// to the other: neither the scheduler nor the locks of the bubble, in which those who are parked count as running, are
// asked. cdporParked of the bubble says how many these are, with the controller while that waits, and the bubble is at
// rest when no others run.
type CdporNote struct{ gp *g }

// CdporPark parks the goroutine, and lets the controller go on when all are at rest.
func CdporPark(n *CdporNote) {
	gp := getg()
	n.gp = gp
	mcall(cdporPark_m)
}

func cdporPark_m(gp *g) {
	if raceenabled {
		racereleasemergeg(gp, gp.bubble.raceaddr())
	}
	gp.bubble.cdporParked++
	cdporRest(gp)
}

// cdporRest lets others run in place of a goroutine: if all are at rest, who waits for that.
func cdporRest(gp *g) {
	b := gp.bubble
	gp.waitreason = waitReasonZero
	cdporStatus(gp, _Grunning, _Gwaiting)
	dropg()
	lock(&b.mu)
	wake := b.maybeWakeLocked()
	unlock(&b.mu)
	switch {
	case wake == nil:
	case wake == b.waiter && cdporDirect(gp, wake):
		cdporExecute(wake)
	default:
		ready(wake, 0, true)
	}
	schedule()
}

// cdporStatus is casgstatus between states that are the same to a bubble.
func cdporStatus(gp *g, before, after uint32) {
	if !gp.atomicstatus.CompareAndSwap(before, after) {
		casgstatus(gp, before, after)
	}
}

// cdporExecute is execute for a goroutine that is parked.
func cdporExecute(gp *g) {
	mp := getg().m
	mp.curg, gp.m = gp, mp
	gp.syncSafePoint = false
	cdporStatus(gp, _Gwaiting, _Grunning)
	gp.waitsince, gp.preempt = 0, false
	gp.stackguard0 = gp.stack.lo + stackGuard
	gogo(&gp.sched)
}

var cdporHandovers uint32

// cdporDirect reports whether a goroutine may be followed by another one at once. The scheduler has a turn now and
// then: the collector of garbage and goroutines that are not under control wait for one.
func cdporDirect(gp, next *g) bool {
	cdporHandovers++
	return cdporHandovers%64 != 0 && !goroutineProfile.active && gp.lockedm == 0 && next.lockedm == 0
}

// CdporReady lets a parked goroutine go on, and CdporWait waits until all are at rest. CdporSwitch does both.
func CdporReady(n *CdporNote) {
	gp := n.gp
	n.gp = nil
	gp.bubble.cdporParked--
	goready(gp, 1)
}

func CdporWait() {
	gp := getg()
	b := gp.bubble
	next := b.timers.wakeTime()
	if b.running-b.cdporParked > 1 || b.active > 0 || next > 0 && next <= b.now {
		b.waiter = gp
		mcall(cdporPark_m)
		cdporGoOn(b)
	}
}

func CdporSwitch(n *CdporNote) {
	gp := getg()
	b := gp.bubble
	b.waiter, b.cdporNext = gp, n.gp
	n.gp = nil
	mcall(cdporSwitch_m)
	cdporGoOn(b)
}

func cdporSwitch_m(gp *g) {
	next := gp.bubble.cdporNext // parked instead of it
	gp.waitreason = waitReasonZero
	cdporStatus(gp, _Grunning, _Gwaiting)
	dropg()
	if cdporDirect(gp, next) {
		cdporExecute(next)
	}
	ready(next, 0, true)
	schedule()
}

// cdporGoOn is what the controller does when it has been woken.
func cdporGoOn(b *synctestBubble) {
	lock(&b.mu)
	b.active--
	b.cdporParked--
	b.waiter, b.cdporNext = nil, nil
	unlock(&b.mu)
	if raceenabled {
		raceacquireg(getg(), b.raceaddr())
	}
}

// CdporChan tells the fields of a channel; of one of a timer, when that is due, 0: never.
func CdporChan(p unsafe.Pointer) (n, size int, closed, timer bool, when int64) {
	c := (*hchan)(p)
	if t := c.timer; t != nil { // which nobody else can get at, for there is one processor
		timer = true
		if t.when != 0 && t.when <= getg().bubble.now {
			t.maybeRunChan(c)
		}
		if when = t.when; t.isSending.Load() < 0 {
			when = 0
		}
	}
	return int(c.qcount), int(c.dataqsiz), c.closed != 0, timer, when
}

// CdporCase is the channel of a case of a select, CdporKeep leaves one case, -1: none, of n cases.
func CdporCase(p unsafe.Pointer, i int) unsafe.Pointer {
	return unsafe.Pointer((*[1 << 16]scase)(p)[i].c)
}
func CdporKeep(p unsafe.Pointer, n, kept int) {
	for i := range (*[1 << 16]scase)(p)[:n] {
		if i != kept {
			(*[1 << 16]scase)(p)[i].c = nil
		}
	}
}

// CdporTime is the time of the bubble, and when its next timer is due, 0: there is none.
func CdporTime() (now, next int64) {
	b := getg().bubble
	return b.now, b.timers.wakeTime()
}

var cdporStart int64

// CdporRewind sets the clock of the bubble to what it was when this was called first.
func CdporRewind() {
	b := getg().bubble
	if cdporStart == 0 {
		cdporStart = b.now
	}
	b.now = cdporStart
}

var cdporTimers int

// CdporTimers is how many timers have been made.
func CdporTimers() int { return cdporTimers }

var cdporAsked bool

// CdporAsked reports whether how many goroutines there are, which has no gate, was asked since it was called before.
func CdporAsked() (yes bool) {
	yes, cdporAsked = cdporAsked, false
	return yes
}

var cdporChannels []unsafe.Pointer

// cdporMade is called when a timer is made, with its channel if it has one. CdporChannels are those of timers that have
// been made since it was called before.
func cdporMade(c unsafe.Pointer) {
	cdporTimers++
	if c != nil && CdporControls() {
		cdporChannels = append(cdporChannels, c)
	}
}

func CdporChannels() []unsafe.Pointer {
	list := cdporChannels
	cdporChannels = nil
	return list
}

// CdporSleep lets the clock of the bubble go on.
func CdporSleep(ns int64) { timeSleep(ns) }

// A CdporBubble is a bubble of testing/synctest of the program.
type CdporBubble struct {
	id      uint64
	start   int64 // by the clock of the bubble in which all is run
	waiting bool  // for all others
	over    bool
}

var cdporAnyBubble bool

// cdporBubbled does what synctestRun does.
func cdporBubbled(f func(), begins, lasts, ends int) {
	gp := getg()
	if gp.cdporBubble != nil {
		panic("synctest.Run called from within a synctest bubble")
	}
	CdporGate(begins, nil, 0, 0)
	cdporAnyBubble = true
	b := &CdporBubble{id: bubbleGen.Add(1), start: gp.bubble.now}
	gp.cdporBubble = b
	go f()
	gp.cdporBubble = nil
	CdporGate(lasts, unsafe.Pointer(b), 0, 0)
	b.over = true
	if raceenabled {
		raceacquireg(gp, gp.bubble.raceaddr())
	}
	CdporGate(ends, nil, 0, 0)
}

// cdporQuiet does what synctestWait does.
func cdporQuiet(kind int) {
	gp := getg()
	b := gp.cdporBubble
	if b == nil {
		panic("goroutine is not in a bubble")
	}
	if b.waiting {
		panic("wait already in progress")
	}
	b.waiting = true
	CdporGate(kind, unsafe.Pointer(b), 0, 0)
	b.waiting = false
	if raceenabled {
		raceacquireg(gp, gp.bubble.raceaddr())
	}
}

// CdporOwnBubble is the bubble that the goroutine is in, nil: none.
func CdporOwnBubble() *CdporBubble { return getg().cdporBubble }

func cdporID(without uint64) uint64 {
	if b := getg().cdporBubble; b != nil {
		return b.id
	}
	return without
}

// CdporLate sets how many nanoseconds the goroutine is ahead of the clock.
func CdporLate(n int) { getg().cdporLate = int64(n) }

// cdporTime is the time for the goroutine where a test is under control. A bubble of the program begins as each of them
// does, and the process has begun an hour before, so that what packages keep from then on is earlier than the test.
func cdporTime() (sec int64, nsec int32, yes bool) {
	gp := getg()
	const synctestBaseTime, second = 946684800000000000, 1000 * 1000 * 1000
	now := int64(synctestBaseTime)
	switch {
	case gp.bubble == nil && cdporFollows():
		now += nanotime() - runtimeInitTime - 3600*second
	case gp.bubble == nil || cdporHook == nil:
		return 0, 0, false
	case gp.cdporBubble != nil:
		now += gp.bubble.now - gp.cdporBubble.start
	default:
		now = gp.bubble.now + gp.cdporLate
	}
	return now / second, int32(now % second), true
}

var cdporAsksFor struct{ known, yes bool }

// cdporFollows reports whether the process is to execute a test under control, as the environment says at first.
func cdporFollows() bool {
	if !cdporAsksFor.known {
		cdporAsksFor.known = true
		cdporAsksFor.yes = gogetenv("CDPOR_TEST") != "" || gogetenv("CDPOR_REPLAY") != ""
	}
	return cdporAsksFor.yes
}

// cdporHides reports whether a goroutine is none of the test's: in the execution that there is.
func cdporHides(gp *g) bool {
	return cdporHook != nil && (gp.bubble == nil || gp.cdporEpoch != cdporExecution)
}

// cdporControl reports whether a function is one that controls goroutines.
func cdporControl(name string) bool {
	return stringslite.HasPrefix(name, "internal/cdpor.") || stringslite.HasPrefix(name, "runtime.Cdpor")
}

// cdporApart takes the goroutine out of control until cdporBack gets what it returns. CdporApart starts one that is
// not under control.
func cdporApart() (from *synctestBubble) {
	gp := getg()
	from, gp.bubble = gp.bubble, nil
	return from
}

func cdporBack(to *synctestBubble) { getg().bubble = to }

func CdporApart(f func()) {
	gp := getg()
	started := gp.cdporChildren
	defer cdporBack(cdporApart())
	go f()
	gp.cdporChildren = started
}

// CdporSignalled ends the program where it is sent a signal that it waits for: that comes at any time.
func CdporSignalled() {
	if cdporFollows() {
		print("panic: cdpor: the test is sent a signal, which has no gate\n")
		exit(2)
	}
}

// CdporForks comes before the process is forked, CdporForked behind it, in both processes. No other thread has a lock
// meanwhile: that of a new process would never get free, for of the threads it has only the one that has forked.
func CdporForks() {
	lock(&sched.sysmonlock)
	lock(&sched.lock)
}

func CdporForked(child bool) {
	if !child {
		unlock(&sched.lock)
		unlock(&sched.sysmonlock)
		return
	}
	getg().m.procid = uint64(gettid())
	for mget() != nil {
		sched.nmfreed++
	}
	system := int32(1)                              // sysmon
	template := newmHandoff.haveTemplateThread != 0 // starts threads in place of those that are locked
	if template {
		newmHandoff.waiting = false
		system++
	}
	sched.nmsys, sched.nmfreed = sched.nmsys-system, sched.nmfreed+int64(system)
	unlock(&sched.lock)
	unlock(&sched.sysmonlock)
	if netpollInited.Load() != 0 { // what waits for files is not shared, and none of the other threads does any more
		netpollinit()
		netpollWakeSig.Store(0)
		sched.lastpoll.Store(nanotime())
	}
	systemstack(func() {
		newm(sysmon, nil, -1)
		if template {
			newm(templateThread, nil, -1)
		}
		cdporRelock()
	})
}

// cdporRelock starts threads for the goroutines that are locked to one, as that which waits for signals: who wakes such
// a goroutine hands its processor to a thread that there is not.
func cdporRelock() {
	for _, gp := range allgs {
		gone := gp.lockedm.ptr()
		status := readgstatus(gp)
		if gone == nil || gone == getg().m || status != _Gwaiting && status != _Grunnable {
			continue
		}
		mp := allocm(nil, schedule, -1)
		mp.sigmask = initSigmask
		mp.lockedExt, mp.lockedInt = gone.lockedExt, gone.lockedInt
		mp.lockedg.set(gp)
		gp.lockedm.set(mp)
		gone.lockedg = 0
		newm1(mp)
	}
}

// Made reports whether a channel was made in a bubble, Counts whether a WaitGroup is of it.
func (b *CdporBubble) Made(c unsafe.Pointer) bool { return c == nil || (*hchan)(c).cdporBubble == b.id }
func (b *CdporBubble) Counts(wg unsafe.Pointer) bool {
	return getOrSetBubbleSpecial(wg, b.id, false) == bubbleAssocCurrentBubble
}

// cdporForeign ends the program if a channel of another bubble is used.
func cdporForeign(c *hchan, what string) {
	if cdporAnyBubble && c != nil && c.cdporBubble != 0 && c.cdporBubble != cdporID(0) && CdporControls() {
		fatal(what + " on synctest channel from outside bubble")
	}
}

func cdporForeignCases(cases *scase, n int) {
	if cdporAnyBubble {
		for i := range n {
			cdporForeign((*[1 << 16]scase)(unsafe.Pointer(cases))[i].c, "select")
		}
	}
}

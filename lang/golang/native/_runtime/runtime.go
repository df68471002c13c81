package runtime

import "unsafe"

// KINDS

var cdporHook func(kind int, p unsafe.Pointer, n, m int)

// CdporHook sets what is called at each gate, nil: nothing.
func CdporHook(f func(kind int, p unsafe.Pointer, n, m int)) { cdporHook = f }

// CdporRun runs a function in a bubble of testing/synctest; CdporWait waits until all others in it are at rest.
func CdporRun(f func()) { synctestRun(f) }
func CdporWait()        { synctestWait() }

// CdporGate is a gate: the goroutine is about to do an operation. Nobody stops while the runtime holds something.
func CdporGate(kind int, p unsafe.Pointer, n, m int) {
	gp := getg()
	if cdporHook != nil && gp.bubble != nil && gp.cdporOff == 0 && gp.m.locks == 0 && gp.m.curg == gp {
		cdporHook(kind, p, n, m)
	}
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
	newg.cdporOff, newg.cdporRand = 0, 0
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
	x = gp.cdporRand * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31, true
}

// A CdporNote is where a goroutine is parked.
type CdporNote struct{ gp *g }

func CdporPark(n *CdporNote) {
	n.gp = getg()
	gopark(nil, nil, waitReasonSynctestChanReceive, traceBlockSynctest, 1)
}
func CdporReady(n *CdporNote) { gp := n.gp; n.gp = nil; goready(gp, 1) }

// CdporChan is what a channel is like; of one of a timer, when that is due, 0: never.
func CdporChan(p unsafe.Pointer) (n, size int, closed, timer bool, when int64) {
	c := (*hchan)(p)
	if c.timer != nil {
		timer = true
		c.timer.maybeRunChan(c)
		c.timer.lock()
		if when = c.timer.when; c.timer.isSending.Load() < 0 {
			when = 0
		}
		c.timer.unlock()
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

var cdporTimers int

// CdporTimers is how many timers have been made.
func CdporTimers() int { return cdporTimers }

// CdporSleep lets the clock of the bubble go on.
func CdporSleep(ns int64) { timeSleep(ns) }

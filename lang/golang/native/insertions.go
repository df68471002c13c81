package native

import "strings"

// What is put into files of the installed Go. Everything that synchronises calls runtime.CdporGate before it does: with
// a kind (operations.go), an address, and two numbers.

// An insertion changes a function, or with no name any text of a file: text is put right behind the opening brace of
// the function, or with old in place of that, which must be there exactly once.
type insertion struct {
	file string // below GOROOT/src
	in   string // name, or (receiver) and name
	old  string
	text string
}

func gateOf(kind Kind, object string) string {
	return " runtime.CdporGate(" + number(kind) + ", unsafe.Pointer(" + object + "), 0, 0);"
}

func ownGate(kind Kind, args string) string { return " CdporGate(" + number(kind) + ", " + args + ");" }

// foreign is where a channel of a bubble of testing/synctest is used outside of that.
func foreign(what string) string { return " cdporForeign(c, \"" + what + "\");" }

// keyGate is a gate at a key of a sync.Map.
func keyGate(kind Kind) string {
	return " runtime.CdporGate(" + number(kind) + ", unsafe.Pointer(m), runtime.CdporKey(key), 0);"
}

// state is a case that says how a goroutine waits at a gate.
func state(text string, kinds ...Kind) string {
	var list []string
	for _, k := range kinds {
		list = append(list, number(k))
	}
	return " case " + strings.Join(list, ", ") + ": status = \"" + text + "\";"
}

const asNumber = "func() int { if block { return 1 }; return 0 }()"

// timerGate is a gate at the channel of a timer, or at the timer of a function; fires is how often it may then fire.
func timerGate(kind Kind, fires string) string {
	return " { p, isChan := unsafe.Pointer(t), 0; if t.C != nil { p, isChan = *(*unsafe.Pointer)" +
		"(unsafe.Pointer(&t.C)), 1 }; runtime.CdporGate(" + number(kind) + ", p, " + fires + ", isChan) };"
}

// armGate is a gate where a timer is made, that may fire so often.
func armGate(fires string) string {
	return " runtime.CdporGate(" + number(opArm) + ", nil, " + fires + ", 0);"
}

const ungated = " runtime.CdporOff(1); defer runtime.CdporOff(-1);"

// tickerFires is how often a ticker ticks although somebody can go on.
const tickerFires = "3"

// insertions are all of them. Lines keep their numbers.
var insertions = []insertion{
	{"runtime/chan.go", "chansend", "", foreign("send") + ownGate(opSend, "unsafe.Pointer(c), "+asNumber+", 0")},
	{"runtime/chan.go", "chanrecv", "", foreign("receive") + ownGate(opReceive, "unsafe.Pointer(c), "+asNumber+", 0")},
	{"runtime/chan.go", "closechan", "", foreign("close") + ownGate(opClose, "unsafe.Pointer(c), 1, 0")},
	// The compiler makes a call of this of len; cap never changes.
	{"runtime/chan.go", "chanlen", "", " if c != nil && c.dataqsiz > 0 && c.timer == nil {" +
		ownGate(opLength, "unsafe.Pointer(c), 0, 1") + " };"},
	{"runtime/chan.go", "", "//go:nosplit\nfunc chansend1(", "//\nfunc chansend1("},
	{"runtime/chan.go", "", "//go:nosplit\nfunc chanrecv1(", "//\nfunc chanrecv1("},
	{"runtime/chan.go", "", "//go:nosplit\nfunc chanrecv2(", "//\nfunc chanrecv2("},
	{"runtime/select.go", "selectgo", "", " cdporForeignCases(cas0, nsends+nrecvs);" +
		ownGate(opSelect, "unsafe.Pointer(cas0), nsends<<16|nrecvs, "+asNumber)},
	{"runtime/proc.go", "newproc", "", ownGate(opGo, "nil, 0, 0")},
	{"runtime/proc.go", "newproc1", "newg.bubble = callergp.bubble",
		"newg.bubble = callergp.bubble; cdporSpawn(callergp, newg)"},
	// There is one processor, which another thread cannot help, and nobody is preempted.
	{"runtime/proc.go", "wakep", "", " if cdporHook != nil { return };"},
	{"runtime/proc.go", "sysmon", "usleep(delay)", "if cdporHook != nil { delay = 10*1000 }; usleep(delay)"},
	{"runtime/proc.go", "goexit1", "", ownGate(opExit, "nil, 0, 0")},
	{"runtime/coro.go", "coroexit", "", ownGate(opExit, "nil, 0, 0")}, // of an iterator
	{"runtime/runtime2.go", "", "bubble  *synctestBubble\n",
		"bubble  *synctestBubble; cdporSelf, cdporParent unsafe.Pointer; cdporChildren, cdporIndex uint32; " +
			"cdporOff, cdporGate int32; cdporGates, cdporCall, cdporEpoch uint32; " +
			"cdporRand, cdporAsk, cdporSeed uint64; cdporLate int64; cdporBubble *CdporBubble\n"},
	{"runtime/synctest.go", "", "active  int // other", "cdporParked int; cdporNext *g; active  int // other"},
	{"runtime/synctest.go", "(*synctestBubble) maybeWakeLocked", "bubble.running > 0",
		"bubble.running > bubble.cdporParked"},
	// That it is in a bubble is not told by the stack of a goroutine.
	{"runtime/traceback.go", "goroutineheader", "if bubble := gp.bubble; bubble != nil {",
		"if bubble := gp.bubble; bubble != nil && (cdporHook == nil || gp.cdporBubble != nil) {"},
	// Stacks of goroutines that are none of the test's are not told either, nor what controls the others.
	{"runtime/mprof.go", "Stack", "", " if all && CdporControls() { cdporAsked = true };"},
	{"runtime/traceback.go", "tracebacksomeothers", "if isSystemGoroutine(gp, false) && level < 2 {",
		"if (isSystemGoroutine(gp, false) || cdporHides(gp)) && level < 2 {"},
	{"runtime/traceback.go", "showfuncinfo", "\tname := sf.name()\n",
		"\tname := sf.name(); if cdporControl(name) { return false }\n"},
	{"runtime/traceback.go", "goroutineheader", "var waitfor int64", "switch gp.cdporGate {" +
		state("chan send", opSend) + state("chan receive", opReceive) + state("select", opSelect, opEnter) +
		state("sync.Mutex.Lock", opLock) + state("sync.RWMutex.RLock", opReadLock) +
		state("sync.RWMutex.Lock", opAnnounce, opWriteLock) + state("sync.WaitGroup.Wait", opWait) +
		state("sync.Cond.Wait", opCondPark) + " }; var waitfor int64"},
	// The bubbles of a test are parts of the one in which all is run.
	{"runtime/synctest.go", "synctestRun", "", " if CdporControls() { cdporBubbled(f, " + number(opBubble) + ", " +
		number(opBubbled) + ", " + number(opBubbleEnd) + "); return };"},
	{"runtime/synctest.go", "synctestWait", "", " if CdporControls() { cdporQuiet(" + number(opQuiet) + "); return };"},
	{"runtime/synctest.go", "synctest_associate", "getg().bubble.id", "cdporID(getg().bubble.id)"},
	{"runtime/synctest.go", "synctest_isAssociated", "getg().bubble.id", "cdporID(getg().bubble.id)"},
	{"runtime/chan.go", "", "bubble   *synctestBubble\n", "bubble   *synctestBubble; cdporBubble uint64\n"},
	{"runtime/chan.go", "makechan", "c.bubble = b\n", "c.bubble, c.cdporBubble = b, cdporID(0)\n"},
	{"runtime/time.go", "", "period int64\n\tf      func(", "period int64; cdporBubble *CdporBubble\n\tf      func("},
	{"runtime/time.go", "newTimer", "t.isFake = true\n", "t.isFake, t.cdporBubble = true, getg().cdporBubble\n"},
	{"runtime/time.go", "(*timer) unlockAndRun", "gp.bubble = bubble\n",
		"gp.bubble, gp.cdporBubble = bubble, t.cdporBubble\n"},
	{"runtime/time.go", "(*timer) unlockAndRun", "gp.bubble = nil\n", "gp.bubble, gp.cdporBubble = nil, nil\n"},
	{"runtime/time.go", "(*timer) unlockAndRun", "\tf(arg, seq, delay)\n",
		"\tif t.cdporBubble == nil || !t.cdporBubble.over { f(arg, seq, delay) }\n"},
	{"runtime/time.go", "time_runtimeNow", "", " if sec, nsec, yes := cdporTime(); yes { return sec, nsec, 0 };"},
	{"runtime/rand.go", "randinit", "globalRand.state.Init(*seed)", // so that maps are alike in each process
		"for i := range seed { seed[i] = byte(i) }; globalRand.state.Init(*seed)"},
	{"runtime/rand.go", "rand", "", " if x, yes := cdporRandom(); yes { return x };"},
	// Apart from what the library asks for on the way, which depends on what its caches have.
	{"math/rand/rand.go", "", "runtime_rand runtime.rand\n", "runtime_rand runtime.cdporProgramRandom\n"},
	{"math/rand/v2/rand.go", "", "runtime_rand runtime.rand\n", "runtime_rand runtime.cdporProgramRandom\n"},
	// What an execution leaves in folders for temporary files is not in the way of the next one.
	{"os/tempfile.go", "nextRandom", "",
		" if n, yes := runtime.CdporUnique(); yes { return strconv.FormatUint(n, 10) };"},
	{"crypto/internal/sysrand/rand.go", "Read", "", " if runtime.CdporFill(b) { return };"},
	{"runtime/debug.go", "GOMAXPROCS", "", " if CdporControls() { return cdporProcessors(n) };"},
	{"runtime/debug.go", "NumCPU", "", " if CdporControls() { return cdporProcessor };"},
	{"runtime/debug.go", "NumGoroutine", "", " if CdporControls() { cdporAsked = true };"},
	// Those that wait for signals are none of the test's.
	{"runtime/signal_unix.go", "sigenable", "", " defer cdporBack(cdporApart());"},
	{"runtime/signal_unix.go", "sigdisable", "", " defer cdporBack(cdporApart());"},
	{"os/signal/signal.go", "Notify", "go watchSignalLoop()", "runtime.CdporApart(watchSignalLoop)"},
	{"os/signal/signal.go", "process", "", " runtime.CdporSignalled();"},
	{"runtime/netpoll.go", "poll_runtime_pollWait", "", " cdporPolls(pd, mode);"},
	{"runtime/time.go", "timeSleep", "", " cdporTimers++;" + ownGate(opSleep, "nil, 0, 0")},
	{"runtime/time.go", "newTimer", "", " cdporMade(unsafe.Pointer(c));"},

	{"time/sleep.go", "NewTimer", "", armGate("1")},
	{"time/sleep.go", "AfterFunc", "", armGate("1")},
	{"time/tick.go", "NewTicker", "", armGate(tickerFires)},
	{"time/sleep.go", "(*Timer) Stop", "", timerGate(opStop, "0")},
	{"time/sleep.go", "(*Timer) Reset", "", timerGate(opReset, "1")},
	{"time/tick.go", "(*Ticker) Stop", "", timerGate(opStop, "0")},
	{"time/tick.go", "(*Ticker) Reset", "", timerGate(opReset, tickerFires)},
	{"time/time.go", "Now", "", " runtime.CdporGate(" + number(opNow) + ", nil, 0, 0);"},
	// A setting is read once.
	{"internal/godebug/godebug.go", "(*Setting) Value", "", ungated},
	// How long a test has taken is not asked by the program.
	{"testing/testing_other.go", "highPrecisionTimeNow", "", ungated},
	{"testing/testing_other.go", "highPrecisionTimeSince", "", ungated},

	{"sync/mutex.go", "(*Mutex) Lock", "", gateOf(opLock, "m")},
	{"sync/mutex.go", "(*Mutex) TryLock", "", gateOf(opTryLock, "m")},
	{"sync/mutex.go", "(*Mutex) Unlock", "", gateOf(opUnlock, "m")},
	{"sync/rwmutex.go", "(*RWMutex) RLock", "", gateOf(opReadLock, "rw")},
	{"sync/rwmutex.go", "(*RWMutex) TryRLock", "", gateOf(opTryReadLock, "rw")},
	{"sync/rwmutex.go", "(*RWMutex) RUnlock", "", gateOf(opReadUnlock, "rw")},
	{"sync/rwmutex.go", "(*RWMutex) Lock", "", gateOf(opAnnounce, "rw") + gateOf(opWriteLock, "rw")},
	{"sync/rwmutex.go", "(*RWMutex) TryLock", "", gateOf(opTryWriteLock, "rw")},
	{"sync/rwmutex.go", "(*RWMutex) Unlock", "", gateOf(opWriteUnlock, "rw")},
	{"sync/rwmutex.go", "(*RWMutex) Lock", "rw.w.Lock()", "rw.w.mu.Lock()"},
	{"sync/rwmutex.go", "(*RWMutex) TryLock", "rw.w.TryLock()", "rw.w.mu.TryLock()"},
	{"sync/rwmutex.go", "(*RWMutex) TryLock", "rw.w.Unlock()", "rw.w.mu.Unlock()"},
	{"sync/rwmutex.go", "(*RWMutex) Unlock", "rw.w.Unlock()", "rw.w.mu.Unlock()"},
	{"sync/waitgroup.go", "(*WaitGroup) Add", "",
		" runtime.CdporGate(" + number(opAdd) + ", unsafe.Pointer(wg), delta, 0);"},
	{"sync/waitgroup.go", "(*WaitGroup) Wait", "", gateOf(opWait, "wg")},
	{"sync/once.go", "(*Once) Do", "", gateOf(opOnce, "o")},
	{"sync/once.go", "(*Once) doSlow", "o.m.Lock()", "o.m.mu.Lock()"},
	{"sync/once.go", "(*Once) doSlow", "o.m.Unlock()", "o.m.mu.Unlock()"},
	{"sync/once.go", "(*Once) doSlow", "defer o.done.Store(true)",
		"defer o.done.Store(true); defer runtime.CdporGate(" + number(opOnceEnd) + ", unsafe.Pointer(o), 0, 0)"},
	{"runtime/sema.go", "semacquire1", "s := acquireSudog()", "cdporWaits(gp); s := acquireSudog()"},
	{"sync/cond.go", "(*Cond) Wait", "c.checker.check()", "c.checker.check(); if runtime.CdporControls() {" +
		gateOf(opCondWait, "c") + " c.L.Unlock();" + gateOf(opCondPark, "c") + " c.L.Lock(); return }"},
	{"sync/cond.go", "(*Cond) Signal", "", gateOf(opSignal, "c")},
	{"sync/cond.go", "(*Cond) Broadcast", "", gateOf(opBroadcast, "c")},
	{"sync/pool.go", "(*Pool) pinSlow", "allPoolsMu.Lock()", "allPoolsMu.mu.Lock()"},
	{"sync/pool.go", "(*Pool) pinSlow", "allPoolsMu.Unlock()", "allPoolsMu.mu.Unlock()"},
	{"sync/pool.go", "", "New func() any\n", "New func() any; cdporExecution uint32\n"},
	{"sync/pool.go", "(*Pool) Get", "", " p.cdporGate(" + number(opStore) + ");"},
	{"sync/pool.go", "(*Pool) Put", "", " p.cdporGate(" + number(opStore) + ");"},
	{"sync/pool.go", "(*Pool) Put", "runtime_randn(4) == 0", "runtime_randn(4) == 0 && !runtime.CdporControls()"},
	{"sync/map.go", "(*Map) Load", "", keyGate(opKeyLoad)},
	{"sync/map.go", "(*Map) Store", "", keyGate(opKeyStore)},
	{"sync/map.go", "(*Map) Swap", "", keyGate(opKeyStore)},
	{"sync/map.go", "(*Map) LoadOrStore", "return m.m.LoadOrStore(key, value)", keyGate(opKeyChange) +
		" if actual, loaded = m.m.LoadOrStore(key, value); loaded { runtime.CdporKeeps() }; return"},
	{"sync/map.go", "(*Map) LoadAndDelete", "return m.m.LoadAndDelete(key)", keyGate(opKeyChange) +
		" if value, loaded = m.m.LoadAndDelete(key); !loaded { runtime.CdporKeeps() }; return"},
	{"sync/map.go", "(*Map) Delete", "m.m.Delete(key)", keyGate(opKeyChange) +
		" if _, had := m.m.LoadAndDelete(key); !had { runtime.CdporKeeps() }"},
	{"sync/map.go", "(*Map) CompareAndSwap", "return m.m.CompareAndSwap(key, old, new)", keyGate(opKeyChange) +
		" if swapped = m.m.CompareAndSwap(key, old, new); !swapped { runtime.CdporKeeps() }; return"},
	{"sync/map.go", "(*Map) CompareAndDelete", "return m.m.CompareAndDelete(key, old)", keyGate(opKeyChange) +
		" if deleted = m.m.CompareAndDelete(key, old); !deleted { runtime.CdporKeeps() }; return"},
	{"sync/map.go", "(*Map) Clear", "", gateOf(opClear, "m")},
	// What comes behind something that others may have gone on beside is read anew.
	{"sync/map.go", "(*Map) Range", "m.m.Range(f)", gateOf(opKeys, "m") + " m.m.Range(func(key, value any) bool {" +
		" gates := runtime.CdporGates(); if !f(key, value) { return false }; if runtime.CdporGates() != gates {" +
		gateOf(opKeys, "m") + " }; return true })"},

	// The flag that Err reads is written under the mutex, behind the gate of that.
	{"context/context.go", "(*cancelCtx) Err", "", gateOf(opLoad, "&c.mu")},

	// The locks of a test have no gates, but that it is over, and has failed, is seen by others.
	{"testing/testing.go", "", "mu          sync.RWMutex ", "mu          cdporRWMutex "},
	{"testing/testing.go", "", "running sync.Map ", "running cdporMap "},
	{"testing/testing.go", "(*common) log", "", gateOf(opLoad, "c")},
	{"testing/testing.go", "(*common) Fail", "", " cdpor.Failing();" + gateOf(opLoad, "c")},
	// The detector reports a race once.
	{"testing/testing.go", "(*common) checkRaces", "", ungated},
	{"testing/testing.go", "(*common) Failed", "", gateOf(opStore, "c")},
	{"testing/testing.go", "tRunner", "callerName(0)", `"testing.tRunner"`}, // which takes long to find out
	{"testing/testing.go", "(*T) report", "fmtDuration(t.duration)", "t.cdporDuration()"},
	{"testing/testing.go", "tRunner", "\t\tt.done = true\n",
		"\t\t" + gateOf(opStore, "&t.common") + " t.done = true\n"},
	{"testing/testing.go", "(*M) Run", "\t\tdeadline := m.startAlarm()\n",
		"\t\tif cdporExplored(m) { return }; deadline := m.startAlarm()\n"},
	// A benchmark is run once, and where it goes on beside itself once by each goroutine.
	{"testing/benchmark.go", "", "var benchmarkLock sync.Mutex", "var benchmarkLock cdporRWMutex"},
	{"testing/benchmark.go", "(*B) runN", "\truntime.GC()\n", "\tif !runtime.CdporControls() { runtime.GC() }\n"},
	{"testing/benchmark.go", "(*B) Run", "if sub.run1() {", "if sub.run1() && !runtime.CdporControls() {"},
	{"testing/benchmark.go", "(*B) RunParallel", "\twg.Add(numProcs)\n",
		"\tif runtime.CdporControls() { b.N = numProcs }; wg.Add(numProcs)\n"},
	{"testing/benchmark.go", "(*PB) Next", "", gateOf(opStore, "pb.globalN")},
}

// imports are what the files need for that.
var imports = map[string][]string{
	"crypto/internal/sysrand/rand.go": {"runtime"}, "os/tempfile.go": {"runtime"}, "os/signal/signal.go": {"runtime"},
	"time/sleep.go": {"runtime"}, "time/tick.go": {"runtime"}, "time/time.go": {"runtime"},
	"testing/testing_other.go": {"runtime"}, "internal/godebug/godebug.go": {"runtime"},
	"sync/mutex.go": {"runtime", "unsafe"}, "sync/rwmutex.go": {"runtime"}, "sync/waitgroup.go": {"runtime"},
	"sync/once.go": {"runtime", "unsafe"}, "sync/cond.go": {"runtime"}, "sync/map.go": {"runtime", "unsafe"},
	"context/context.go": {"runtime", "unsafe"}, "testing/testing.go": {"internal/cdpor", "unsafe"},
	"testing/benchmark.go": {"unsafe"},
}

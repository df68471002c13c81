// Package cdpor runs a test again and again under control: one goroutine at a time, the one that it is told. It is
// compiled without the race detector, and so imports nothing that has methods of generic types, as sync and os do: a
// program may get its copies of them.
package cdpor

import (
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// A goroutine is one that is under control.
type goroutine struct {
	parent  *goroutine
	index   uint32
	id      int // -1: not named yet
	epoch   int
	note    runtime.CdporNote
	kind    Kind
	p       unsafe.Pointer
	n, m    int
	pcs     [24]uintptr
	depth   int
	op      Operation
	one     [1]int32         // the object of an operation that has one
	cases   []unsafe.Pointer // the channels of a select: what p points to is on a stack, which may move
	at      bool             // at a gate
	known   bool             // it has been said that it is there
	over    bool
	waiting bool // for somebody who does its operation with it
	entered bool
	woken   bool // at a condition variable
	wokenBy int
	wokenAt int32
	events  int32
	choice  int
	bubble  *runtime.CdporBubble // of testing/synctest, nil: none
	hosts   bool                 // it has begun a bubble, which lasts
	late    int                  // nanoseconds that it is ahead of the clock
	queued  int                  // in its bubble it waits since the clock has gone on so often; 0: not yet
}

type name struct {
	parent int
	index  uint32
}

// An end is how an execution has ended.
const (
	ended    = 0 // all goroutines have come to their end
	stuck    = 1 // some wait for good
	cut      = 2
	diverged = 3
	dropped  = 5 // the last event is none that Go takes
)

var (
	controller *goroutine
	epoch      int
	tracing    bool // where operations are
	fresh      []*goroutine
	procs      []*goroutine // by id; 0 is the clock
	names      = map[name]int{{-1, 0}: 1}
	objects    = map[unsafe.Pointer]int32{}
	channels   []unsafe.Pointer            // by object
	clocked    []int32                     // objects that are channels of timers
	looked     int                         // so many of them have been looked at since the clock has gone on
	touched    []int32                     // of these, by the operation under way
	inside     = map[unsafe.Pointer]bool{} // used by calls that are taken for one step
	now        World
	queues     bool // somebody waits at a channel longer than who comes there later
	timed      int  // goroutines that timers have started
	clock      Clock
	ticks      int
	beside     bool    // others go on beside a bubble of testing/synctest
	ticking    bool    // what comes to a gate comes behind the clock
	region     []int32 // a record: the number of words written down, and these
	words      []int32 // a command
	used       int
	actions    []int32
	root       string
	wide       bool // a select has more cases than there are actions
	failing    bool // the test has been marked as failed
	followed   int  // events of the execution
	races      int  // reported before the execution
	raced      bool // it has been said that there is one more
)

// Failing is called when a test is marked as failed, before the gate there.
//
//go:norace
func Failing() { failing = true }

//go:norace
func gate(k Kind, p unsafe.Pointer, n, m int) {
	at, parent, index := runtime.CdporSelf()
	g := (*goroutine)(*at)
	if g == nil {
		g = &goroutine{parent: (*goroutine)(parent), index: index, id: -1, epoch: epoch,
			bubble: runtime.CdporOwnBubble()}
		*at = unsafe.Pointer(g)
		fresh = append(fresh, g)
	}
	if g == controller {
		return
	}
	if k == opExit {
		g.over = true
		return
	}
	if g.epoch != epoch {
		runtime.CdporPark(&g.note)
	}
	switch k {
	case opGo:
		n = int(runtime.CdporChildren())
	case opSelect:
		g.cases = g.cases[:0]
		for i := range n>>16 + n&0xffff {
			g.cases = append(g.cases, runtime.CdporCase(p, i))
		}
	}
	if tracing {
		g.depth = runtime.Callers(3, g.pcs[:])
	}
	g.kind, g.p, g.n, g.m, g.known, g.entered, g.choice = k, p, n, m, false, false, 0
	g.at = true
	runtime.CdporPark(&g.note)
	if k == opNow {
		runtime.CdporLate(g.late)
	}
	if k == opSelect {
		cases := n>>16 + n&0xffff
		if g.choice >= cases {
			g.choice = -1
		}
		runtime.CdporKeep(p, cases, g.choice)
	}
}

// put writes words down. What has been written outlasts the process.
func put(words ...int32) {
	if used+len(words)+1 >= len(region)-textWords {
		panic("cdpor: an execution of too many events")
	}
	used += copy(region[used+1:], words)
	region[0] = int32(used)
}

func putText(s string) {
	s = s[:min(len(s), 4*textWords-8)]
	put(int32(len(s)))
	room := unsafe.Slice((*byte)(unsafe.Pointer(&region[used+1])), len(s))
	copy(room, s)
	used += (len(s) + 3) / 4
	region[0] = int32(used)
}

const textWords = 1 << 14

// named is the id of a goroutine by who has started it and as which one.
func named(parent int, index uint32) int {
	id, ok := names[name{parent, index}]
	if !ok {
		id = len(names) + 1
		names[name{parent, index}] = id
		put('N', int32(parent), int32(index))
	}
	return id
}

// learn takes up names as others have given them: pairs of parent and index, of the goroutines behind the first.
func learn(known []int32) {
	clear(names)
	names[name{-1, 0}] = 1
	for i := 0; i+1 < len(known); i += 2 {
		names[name{int(known[i]), uint32(known[i+1])}] = i/2 + 2
	}
}

func (g *goroutine) name() bool {
	switch {
	case g.parent == controller:
		g.id = 1
	case g.parent == nil:
		g.id, g.late = named(0, uint32(timed)), latest
		timed++
	case g.parent.id < 0:
		return false
	default:
		g.id, g.late = named(g.parent.id, g.index), g.parent.late
	}
	for len(procs) <= g.id {
		procs = append(procs, nil)
	}
	procs[g.id] = g
	return true
}

// settle waits until all are at gates, and says what has changed.
func settle() {
	runtime.CdporWait()
	if failing {
		failing = false
		if raceErrors() == races { // else perhaps because of that
			put('F')
		}
	}
	for _, c := range runtime.CdporChannels() {
		channel(c)
	}
	for more := true; more; {
		more = false
		left := fresh[:0]
		for _, g := range fresh {
			if g.epoch == epoch && !g.name() {
				left = append(left, g)
			} else {
				more = true
			}
		}
		more = more && len(left) > 0
		fresh = left
	}
	for id, g := range procs {
		switch {
		case g == nil || g.known:
		case g.over:
			g.known = true
			put('A', int32(id), int32(opExit), 0, 0, 0, 0)
		case g.at && g.kind == opCondPark && g.woken:
			g.woken = false
			g.wake()
			settle()
			return
		case g.at:
			g.arrive()
		}
	}
}

// release lets a goroutine go on until all are at rest.
func (g *goroutine) release() {
	g.at = false
	runtime.CdporSwitch(&g.note)
}

// wake lets a goroutine go on that has waited for another one.
func (g *goroutine) wake() {
	put('J', int32(g.id), int32(g.wokenBy), g.wokenAt)
	g.waiting, g.known = false, false
	g.release()
}

// arrive says what a goroutine is about to do.
func (g *goroutine) arrive() {
	g.known = true
	if ticking {
		put('J', int32(g.id), 0, int32(ticks))
		g.late = latest
	}
	op := Operation{Kind: g.kind, Blocks: g.n != 0}
	switch g.kind {
	case opSend, opReceive, opClose:
		op.Objects = g.on(channel(g.p))
		if timer(op.Objects) {
			op.Kind = opEnter
		}
	case opSelect:
		op.Sends, op.Blocks = g.n>>16, g.m != 0
		for _, c := range g.cases {
			op.Objects = append(op.Objects, channel(c))
		}
		if timer(op.Objects) || op.Blocks && unbuffered(op.Objects) {
			op.Kind = opEnter
		}
	case opGo:
		op.Number = named(g.id, uint32(g.n))
	case opNow, opBubble, opQuiet, opBubbled, opBubbleEnd:
	case opSleep:
		op.Number = 1
	case opCall: // the receiver may stand where its first field does
		op.Objects, op.Blocks, op.Sends, op.Number = g.on(thing(unsafe.Add(g.p, 1), g.kind)), false, g.n, g.m
	case opArm:
		op.Number = g.n
	case opCondPark:
		g.waiting, op.Kind = true, opNone
	case opAdd:
		op.Number = g.n
		op.Objects = g.on(thing(g.p, g.kind))
	default:
		switch g.kind {
		case opReset, opKeyLoad, opKeyStore, opKeyChange:
			op.Number = g.n
		}
		if op.Blocks = true; g.m != 0 {
			op.Objects = g.on(channel(g.p))
		} else {
			op.Objects = g.on(thing(g.p, g.kind))
		}
	}
	g.op = op
	g.say()
}

func timer(objects []int32) bool {
	for _, id := range objects {
		if id >= 0 && now.At(id).timer {
			return true
		}
	}
	return false
}

func unbuffered(objects []int32) bool {
	for _, id := range objects {
		if id >= 0 && now.At(id).size == 0 && !now.At(id).timer {
			return true
		}
	}
	return false
}

func (g *goroutine) on(object int32) []int32 {
	g.one[0] = object
	return g.one[:]
}

func (g *goroutine) say() {
	op := &g.op
	put('A', int32(g.id), int32(op.Kind), asNumber(op.Blocks), int32(op.Sends), int32(op.Number),
		int32(len(op.Objects)))
	put(op.Objects...)
	if tracing {
		put('S', int32(g.id))
		putText(g.place())
	}
}

func asNumber(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// place is where a goroutine stands in the program, innermost first: what of the library is above is left out.
func (g *goroutine) place() string {
	var b strings.Builder
	frames := runtime.CallersFrames(g.pcs[:g.depth])
	for {
		f, more := frames.Next()
		if b.Len() == 0 && strings.HasPrefix(f.File, root) && !primitive(f.Function) {
			b.WriteByte('~')
		}
		if f.File != "" && !strings.HasPrefix(f.File, root) {
			b.WriteString(f.File)
			b.WriteByte(':')
			b.WriteString(decimal(f.Line))
			b.WriteByte(' ')
			b.WriteString(f.Function)
			b.WriteByte('\n')
		}
		if !more {
			return b.String()
		}
	}
}

// primitive reports whether a function of the library is a primitive, and not something that uses some. A context makes
// its channel when it is first asked for.
func primitive(name string) bool {
	if name == "context.(*cancelCtx).Done" {
		return false
	}
	for _, p := range []string{"runtime.", "sync.", "sync/", "internal/", "testing.", "time.", "context."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

// channel is the object of a channel, thing that of anything else; -1 is that of a nil channel.
func channel(p unsafe.Pointer) int32 {
	if p == nil {
		return -1
	}
	if id, ok := objects[p]; ok {
		return id
	}
	n, size, closed, timer, _ := runtime.CdporChan(p)
	return add(p, p, Object{size: size, length: n, closed: closed, timer: timer})
}

func thing(p unsafe.Pointer, k Kind) int32 {
	if id, ok := objects[p]; ok {
		return id
	}
	var o Object
	switch k {
	case opLock, opTryLock, opUnlock:
		o.held = word(p, 0)&1 != 0
	case opReadLock, opTryReadLock, opReadUnlock, opAnnounce, opWriteLock, opTryWriteLock, opWriteUnlock:
		const readerCount = 16 // behind a Mutex and two words
		o.readers = int(word(p, readerCount))
		if o.readers < 0 {
			o.readers, o.held, o.announced = 0, true, true
		}
	case opAdd, opWait:
		o.count = int(word(p, 4))
	case opOnce:
		o.done = word(p, 0)&0xff != 0
	}
	return add(p, nil, o)
}

//go:norace
func word(p unsafe.Pointer, off uintptr) int32 { return *(*int32)(unsafe.Add(p, off)) }

func add(p, c unsafe.Pointer, o Object) int32 {
	if inside[p] {
		refuse("what a call that is taken for one step uses is used elsewhere, too")
	}
	id := int32(now.Len())
	objects[p] = id
	now.Add(o)
	channels = append(channels, c)
	if o.timer {
		clocked = append(clocked, id)
	}
	put('O', int32(o.size), int32(o.length), asNumber(o.closed), asNumber(o.timer), asNumber(o.held), int32(o.count),
		asNumber(o.done), int32(o.readers))
	return id
}

// A command is an execution that is asked for: a prefix of actions with a plan behind it, what sleeps before the last
// one of the prefix, and a policy for the rest.
type command struct {
	events   int
	lines    bool
	policy   int // as Policy of the package that starts the process
	seed     uint64
	width    int
	prefix   []int32 // and the plan
	sure     int     // so much of it is no plan
	sleeping []int32
	last     int  // who has gone on last, behind the prefix unless by turns
	row      int  // and how often in a row
	turns    bool // all have turns
	line     []int32
}

// inTime are the actions without that of the clock, if it is to go on only when nobody else can.
func (c *command) inTime(actions []int32) []int32 {
	if n := len(actions) - 1; c.policy&late != 0 && n > 0 && actions[n] == 0 {
		return actions[:n]
	}
	return actions
}

// follows reports whether an action is possible, of the prefix; of the plan what is not is dropped with all behind it.
func (c *command) follows(depth int, actions []int32) bool {
	if depth >= len(c.prefix) || contains(actions, c.prefix[depth]) {
		return true
	}
	sure := depth < c.sure
	c.prefix = c.prefix[:depth]
	return !sure
}

// begin begins an execution of body.
func begin(c *command, body func()) {
	epoch++
	runtime.CdporBegin()
	tracing, procs, used, timed, raced = c.lines, procs[:0], 0, 0, false
	clock, ticks, beside, latest = Clock{}, 0, false, 0
	clear(moments)
	clear(objects)
	clear(inside)
	channels, clocked, looked, touched, queues = channels[:0], clocked[:0], 0, touched[:0], false
	now.Reset()
	region[0] = 0
	control()
	go body()
	settle()
}

// execution runs body once.
func execution(c *command, body func()) (end int) {
	begin(c, body)
	random := c.seed
	blocked := false
	for depth := 0; ; depth++ {
		followed = depth
		actions := enabled(c.width)
		if wide {
			wide = false
			return cut
		}
		if len(actions) == 0 {
			g, passes := quiet()
			if g == nil && !(passes && timePasses()) {
				return ending()
			}
			if !c.follows(depth, []int32{0}) {
				return diverged
			}
			queue(g)
			tick(g)
			c.sleeping = nil
			continue
		}
		if depth >= c.events || used > len(region)-4*textWords {
			return cut
		}
		if !c.follows(depth, actions) {
			return diverged
		}
		if depth >= len(c.prefix) {
			actions = c.inTime(inLine(actions, c.width))
		}
		var a int32
		switch {
		case depth < len(c.prefix):
			if a = c.prefix[depth]; c.policy == byTurns {
				c.went(a, actions)
			}
			if depth >= c.sure-1 {
				c.wake(a)
			}
		case c.policy == byTurns:
			a = c.onward(actions)
			c.went(a, actions)
		default:
			if a = c.choose(actions, &random, depth); a < 0 {
				if !blocked {
					put('B')
				}
				blocked, a = true, actions[0]
			}
			c.wake(a)
		}
		if a == 0 {
			tick(nil)
			continue
		}
		put('E', a)
		g := procs[int(a)/c.width]
		if g.jumps(int(a) % c.width) {
			return dropped
		}
		g.perform(int(a) % c.width)
		if tracing && !raced && raceErrors() > races {
			put('R')
			raced = true
		}
	}
}

// When time passes in a bubble of testing/synctest, or Wait returns there, all of it wait where they are, and whoever
// comes to a channel with a buffer later waits behind them. Elsewhere somebody may always be on the way there.

// queue notes who waits now; g is who goes on in place of the clock, nil: nobody.
func queue(g *goroutine) {
	for _, h := range procs {
		if h == nil || !h.at || h.waiting || h.bubble == nil || h.queued > 0 || g != nil && h.bubble != g.bubble {
			continue
		}
		switch h.op.Kind {
		case opSend, opReceive, opSelect:
			h.queued, queues = ticks+1, true
		}
	}
}

// passes is the channel that a goroutine is about to send to or to receive from, with a choice, -1 if there is none.
func (g *goroutine) passes(choice int) (id int32, sends bool) {
	op := &g.op
	switch {
	case op.Kind == opSend || op.Kind == opReceive:
		return op.Objects[0], op.Kind == opSend
	case op.Kind == opSelect && choice < len(op.Objects):
		return op.Objects[choice], choice < op.Sends
	}
	return -1, false
}

// jumps reports whether a goroutine would be served before another one that waits longer at the same channel.
func (g *goroutine) jumps(choice int) bool {
	id, sends := g.passes(choice)
	if id < 0 || now.At(id).size == 0 {
		return false
	}
	for _, h := range procs {
		if h == nil || h == g || h.queued == 0 || g.queued > 0 && g.queued <= h.queued {
			continue
		}
		for i, other := range h.op.Objects {
			if other == id && (h.op.Kind == opSend || h.op.Kind == opSelect && i < h.op.Sends) == sends {
				return true
			}
		}
	}
	return false
}

// inLine are the actions by which nobody is served before another one that waits longer.
func inLine(actions []int32, width int) []int32 {
	if !queues {
		return actions
	}
	left := actions[:0]
	for _, a := range actions {
		if a == 0 || !procs[int(a)/width].jumps(int(a)%width) {
			left = append(left, a)
		}
	}
	return left
}

func contains(list []int32, a int32) bool {
	for _, b := range list {
		if b == a {
			return true
		}
	}
	return false
}

// enabled are the actions that are possible, that of the clock last, until it is called again.
func enabled(width int) []int32 {
	list := actions[:0]
	for id, g := range procs {
		if g != nil && g.at && !g.waiting {
			g.op.Alternatives(&now, id, func(choice int) {
				if choice >= width {
					put('W', int32(choice)+1)
					wide = true
					return
				}
				list = append(list, int32(id*width+choice))
			})
		}
	}
	if clock.MayFire() {
		list = append(list, 0)
	}
	actions = list
	return list
}

// Policies behind a prefix; 0 is the first that is awake.
const (
	atRandom     = 1
	byPriorities = 2 // that change (PCT)
	byTurns      = 3 // who has gone on goes on until it waits, and then the next one does
	late         = 8 // with any of them: the clock goes on only when nobody else can
)

// choose chooses an action behind the prefix, -1 if all sleep.
func (c *command) choose(actions []int32, random *uint64, depth int) int32 {
	switch c.policy &^ late {
	case atRandom:
		*random = *random*6364136223846793005 + 1442695040888963407
		return actions[int(*random>>33)%len(actions)]
	case byPriorities:
		best, high := int32(-1), uint64(0)
		for _, a := range actions {
			x := (c.seed + uint64(int(a)/c.width)*0x9e3779b97f4a7c15 + uint64(a)) * 0xbf58476d1ce4e5b9
			x ^= x >> 29
			x |= 1 << 63
			if lowered := (c.seed*31 + uint64(int(a)/c.width)) % 97; int(lowered) < depth {
				x &^= 1 << 63
			}
			if x >= high {
				best, high = a, x
			}
		}
		return best
	}
	return c.inTurn(actions)
}

// inTurn is the first action that is awake, -1 if none is; when somebody has gone on for long, all have turns from then
// on.
func (c *command) inTurn(actions []int32) int32 {
	first, next := int32(-1), int32(-1)
	for _, a := range actions {
		if contains(c.sleeping, a) {
			continue
		}
		proc := int(a) / c.width
		if first < 0 {
			first = a
		}
		if proc == c.last && c.row < MostInRow && c.turns {
			next = a
			break
		}
		if proc > c.last && next < 0 {
			next = a
		}
	}
	if next >= 0 && c.turns {
		first = next
	}
	switch {
	case first < 0:
	case int(first)/c.width == c.last:
		if c.row++; c.row >= MostInRow {
			c.turns = true
		}
	default:
		c.last, c.row = int(first)/c.width, 1
	}
	return first
}

// onward is the action of whose turn it is, and writes down those that come after it, as many as the seed says: the
// clock is the last one.
func (c *command) onward(actions []int32) int32 {
	goroutines := actions
	if last := len(actions) - 1; actions[last] == 0 {
		goroutines = actions[:last]
	}
	next := c.turn(goroutines)
	line := append(append(c.line[:0], goroutines[next:]...), goroutines[:next]...)
	line = append(line, actions[len(goroutines):]...)
	if others := line[1:min(len(line), int(c.seed)+1)]; len(others) > 0 {
		put('C', int32(len(others)))
		put(others...)
	}
	c.line = line
	return line[0]
}

// turn is the number of the action of whose turn it is, apart from the clock.
func (c *command) turn(goroutines []int32) int {
	for i, a := range goroutines {
		if proc := int(a) / c.width; proc == c.last && c.row < MostInRow || proc > c.last {
			return i
		}
	}
	return 0
}

// went notes who has gone on. Where the clock goes on in place of whose turn it is, that stays.
func (c *command) went(a int32, actions []int32) {
	proc, events := int(a)/c.width, 1
	if a == 0 {
		proc, events = int(actions[c.turn(actions)])/c.width, 0
	}
	switch {
	case proc == 0:
	case proc == c.last:
		c.row += events
	default:
		c.last, c.row = proc, events
	}
}

// wake wakes up what is not plainly independent of an action.
func (c *command) wake(a int32) {
	op := operation(int(a) / c.width)
	left := c.sleeping[:0]
	for _, b := range c.sleeping {
		q := int(b) / c.width
		if q == int(a)/c.width || q >= len(procs) || q > 0 && procs[q] == nil {
			continue
		}
		other := operation(q)
		shared := (op.Kind == opTick || other.Kind == opTick) && op.TellsTime(&now) && other.TellsTime(&now)
		for _, id := range other.Objects {
			shared = shared || contains(op.Objects, id)
		}
		if !shared || op.Kind == other.Kind && (op.Kind == opBump || !op.writes()) {
			left = append(left, b)
		}
	}
	c.sleeping = left
}

// operation is what a process is about to do, the clock among them.
func operation(proc int) *Operation {
	if proc == 0 {
		return &Tick
	}
	return &procs[proc].op
}

// perform lets a goroutine do its operation.
func (g *goroutine) perform(choice int) {
	g.queued = 0
	g.events++
	beside = beside || clock.Disturbed(&g.op, g.bubble == nil && !g.hosts)
	clock.Do(&g.op)
	if g.op.Kind == opBubble || g.op.Kind == opBubbleEnd {
		g.hosts = g.op.Kind == opBubble
	}
	g.looks()
	same := g.op.Refinable() && g.op.Unchanged(&now)
	out := g.op.Apply(&now, g.id, choice)
	switch {
	case g.op.Kind == opEnter:
		g.leaves(same)
		g.op.Kind, g.entered = g.kind, true
		g.say()
		return
	case out.queued:
		g.leaves(same)
		g.waiting = true
		put('A', int32(g.id), int32(opNone), 0, 0, 0, 0)
		return
	}
	touches(&g.op)
	g.choice = choice
	meets := g.op.Kind == opSend || g.op.Kind == opReceive || g.op.Kind == opSelect
	if meets {
		for _, q := range out.frees { // it goes in first, and waits there
			h := procs[q.proc]
			put('J', int32(q.proc), int32(g.id), g.events, 'J', int32(g.id), int32(q.proc), h.events)
			h.late = max(h.late, g.late)
			g.late = h.late
			h.waiting, h.choice, h.known = false, q.at, false
			h.release()
		}
	}
	g.known = false
	g.release()
	if runtime.CdporKept() {
		put('U')
		same = true
	}
	g.leaves(same)
	if !meets {
		for _, q := range out.frees {
			h := procs[q.proc]
			h.late = max(h.late, g.late)
			h.wokenBy, h.wokenAt = g.id, g.events
			if g.op.Kind != opClose && !(h.at && h.kind == opCondPark) {
				h.woken = true
				continue
			}
			h.wake()
		}
	}
	settle()
	timers()
	if g.kind == opCall && !g.at && !g.over {
		refuse("a call that is taken for one step waits")
	}
}

// The clock stands still while anybody goes on, but each look at it is a nanosecond later than what comes before it: a
// program that compares two times expects that. How late it is for a goroutine depends on what it has done and on what
// that comes behind, as operations depend on each other, and not on who else goes on.

// A moment is how late it is behind the last operation that has written a place, and behind those that have read it.
type moment struct{ written, read int }

// A mark is a place of an operation: Place, or Slot of the object if Place is that of a slot.
type mark struct {
	place Place
	slot  int
	write bool
}

var (
	moments = map[mark]moment{} // write is not set
	marks   []mark              // of the operation under way
	latest  int                 // of all
)

// looks finds out how late it is for a goroutine that does its operation.
func (g *goroutine) looks() {
	marks = marks[:0]
	if g.op.Kind == opNow && g.bubble == nil {
		g.late++
		latest = max(latest, g.late)
	}
	if latest == 0 || g.op.Kind == opCall {
		return
	}
	g.op.Accesses(&now, g.id, func(p Place, write bool) { marks = append(marks, mark{p, -1, write}) },
		func(k int, write bool) { marks = append(marks, mark{Place(g.op.Objects[0]), k, write}) }, true)
	for _, m := range marks {
		at := moments[mark{m.place, m.slot, false}]
		g.late = max(g.late, at.written)
		if m.write && !(g.op.Refinable() && g.op.Unchanged(&now)) {
			g.late = max(g.late, at.read)
		}
	}
}

// leaves tells it to who comes behind the operation, which has left its object as it was (same) or not.
func (g *goroutine) leaves(same bool) {
	for _, m := range marks {
		key := mark{m.place, m.slot, false}
		at := moments[key]
		if m.write && !same {
			at.written = max(at.written, g.late)
		} else {
			at.read = max(at.read, g.late)
		}
		moments[key] = at
	}
}

// within is called at each gate in a call that is taken for one step.
func within(k Kind, p unsafe.Pointer) {
	_, known := objects[p]
	switch {
	case k == opGo:
		refuse("a call that is taken for one step starts a goroutine")
	case known:
		refuse("what a call that is taken for one step uses is used elsewhere, too")
	case p != nil:
		inside[p] = true
	}
}

// foreign is how many seconds a goroutine waits for a socket, at which another process may answer: a goroutine of the
// program that is to do so waits for its turn.
const foreign = 1

// polls waits for a socket.
//
//go:norace
func polls(file uintptr, mode int) {
	var status syscall.Stat_t
	if syscall.Fstat(int(file), &status) != nil || status.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return
	}
	const in, out = 1, 4 // POLLIN, POLLOUT
	poll := struct {
		file         int32
		events, came int16
	}{file: int32(file), events: in}
	if mode == 'w' {
		poll.events = out
	}
	for {
		limit := syscall.Timespec{Sec: foreign}
		n, _, err := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1,
			uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
		if err == 0 && n == 0 {
			waiter := goroutine{}
			waiter.depth = runtime.Callers(3, waiter.pcs[:])
			at, _, _ := strings.Cut(strings.TrimPrefix(waiter.place(), "~"), " ")
			refuse("the test waits for the network at " + at + ", which is not under control: net.Pipe, or " +
				"a listener in memory, would be")
		}
		if err != syscall.EINTR {
			return
		}
	}
}

// refuse ends the process: the test cannot be run so.
func refuse(why string) {
	say(2, "panic: cdpor: "+why+"\n")
	syscall.Exit(2)
}

// timers says which channels of timers are not what they were: all of them behind the clock, else those that are new
// and those of the operation.
func timers() {
	for _, id := range touched {
		lengthOf(id)
	}
	for _, id := range clocked[looked:] {
		lengthOf(id)
	}
	touched, looked = touched[:0], len(clocked)
}

func lengthOf(id int32) {
	if n, _, _, _, _ := runtime.CdporChan(channels[id]); n != now.At(id).length {
		now.SetLength(id, n)
		put('L', id, int32(n))
	}
}

// touches notes the channels of timers that an operation may change; what a call does that is taken for one step is not
// known.
func touches(op *Operation) {
	if op.Kind == opCall || op.Kind == opTick {
		looked = 0
		return
	}
	for _, id := range op.Objects {
		if id >= 0 && now.At(id).timer {
			touched = append(touched, id)
		}
	}
}

// timePasses reports whether anybody waits for time, though nobody else can go on.
func timePasses() bool {
	_, next := due()
	return next != 0
}

// due is the time, and when the next timer is due that is waited for.
func due() (t, next int64) {
	t, next = runtime.CdporTime()
	for _, g := range procs {
		if g == nil || !g.at || !g.entered {
			continue
		}
		for _, id := range g.op.Objects {
			if id >= 0 && now.At(id).timer {
				if _, _, _, _, when := runtime.CdporChan(channels[id]); when != 0 && (next == 0 || when < next) {
					next = when
				}
			}
		}
	}
	return t, next
}

// tick lets the clock go on to when the next timer is due that is waited for, if there is one, or in place of it a
// goroutine.
func tick(g *goroutine) {
	put('E', 0)
	ticks++
	clock.Fire()
	ticking = true
	if g != nil {
		g.waiting, g.known = false, false
		g.release()
		settle()
	} else if t, next := due(); next != 0 {
		runtime.CdporSleep(max(next-t, 1))
		settle()
	}
	ticking = false
	touches(&Tick)
	timers()
}

// quiet is who goes on, nobody else being able to, because all others of its bubble of testing/synctest wait for each
// other or for time to pass, or are over; nil: there is nobody. passes says whether time may pass otherwise.
func quiet() (next *goroutine, passes bool) {
	passes = true
	for _, host := range procs {
		if host == nil || !host.waiting || host.kind != opBubbled {
			continue
		}
		b := (*runtime.CdporBubble)(host.p)
		var waiter *goroutine
		empty, idle, lasts := true, true, false
		for _, g := range procs {
			if g == nil || g.over || g.bubble != b {
				continue
			}
			empty, lasts = false, lasts || g.parent == host
			if g.at && g.kind == opQuiet {
				waiter = g
			} else if !g.idle() {
				idle = false
			}
		}
		switch {
		case empty:
			return host, false
		case !idle && beside:
			panic("cdpor: a bubble of testing/synctest waits for what is outside of it")
		case !idle || waiter == nil && !lasts: // its first goroutine is over
			passes = false
		case waiter != nil:
			return waiter, false
		}
	}
	return nil, passes
}

// idle reports whether a goroutine that cannot go on counts as one that waits in its bubble: at channels of that, but
// not for a mutex.
func (g *goroutine) idle() bool {
	if !g.at { // it sleeps
		return true
	}
	switch g.kind {
	case opSend, opReceive:
		return g.bubble.Made(g.p)
	case opSelect:
		for _, c := range g.cases {
			if !g.bubble.Made(c) {
				return false
			}
		}
		return true
	case opWait:
		return g.bubble.Counts(g.p)
	}
	return g.kind == opCondPark
}

func ending() int {
	for _, g := range procs {
		if g != nil && !g.over {
			return stuck
		}
	}
	return ended
}

// drain lets the timers run out that an execution has left behind. Its goroutines stay where they wait: what they would
// do when they were ended is no part of the program.
func drain() {
	for range 1000 {
		t, next := runtime.CdporTime()
		if next == 0 {
			return
		}
		runtime.CdporSleep(max(next-t, 1))
		runtime.CdporWait()
	}
}

// Explored runs the test of which the environment says that it is to be explored, as often as whoever has started the
// process says, and reports whether there is one. body makes a function that runs it once, and tells what it has said
// and whether it has failed. args are those of the process, and file reads a file.
func Explored(args []string, file func(path string) ([]byte, error),
	body func(name string) (run func(), said func() (text string, failed bool))) bool {
	if path, _ := syscall.Getenv("CDPOR_REPLAY"); path != "" {
		text, err := file(path)
		if err != nil {
			panic(err)
		}
		replays(path, string(text), args, body)
		return true
	}
	test, _ := syscall.Getenv("CDPOR_TEST")
	if test == "" {
		return false
	}
	syscall.Unsetenv("CDPOR_TEST") // a process that the test starts is none of ours
	for file := 3; file < 6; file++ {
		syscall.CloseOnExec(file)
	}
	root, _ = syscall.Getenv("CDPOR_GOROOT")
	runtime.CdporLibrary(root + "/src/")
	shared, err := syscall.Mmap(5, 0, regionBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	region = unsafe.Slice((*int32)(unsafe.Pointer(&shared[0])), recordWords)
	words = unsafe.Slice((*int32)(unsafe.Pointer(&shared[4*recordWords])), commandWords)
	result = words[:1]
	controlled(func() {
		for {
			words := read()
			if words == nil {
				syscall.Exit(0)
			}
			c := &command{events: int(words[0]), lines: words[1] != 0, policy: int(words[2]), seed: uint64(words[3]),
				width: int(words[4])}
			apart := words[7] != 0
			if apart && !fork() {
				answer()
				continue
			}
			rest, behind := words[9:], words[5]+words[8]
			c.prefix, c.sure, rest = rest[:behind], int(words[5]), rest[behind:]
			if n := words[6]; n >= 0 {
				learn(rest[:n])
				rest = rest[n:]
			}
			c.sleeping = rest
			made := runtime.CdporTimers()
			races, failing = raceErrors(), false
			runtime.CdporRewind()
			run, said := body(test)
			end := execution(c, run)
			if runtime.CdporTimers() != made {
				put('T')
			}
			if runtime.CdporAsked() {
				put('G')
			}
			if beside {
				put('V')
			}
			text, failed := said()
			put('Z', int32(end), asNumber(failed), int32(raceErrors()-races))
			putText(text)
			if raceErrors() > races {
				endOutput()
			}
			if apart {
				result[0] = done
				syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
			}
			tidy()
			answer()
			if epoch%1024 == 0 {
				runtime.GC()
			}
		}
	})
	return true
}

// controlled runs a function in a goroutine that controls those which it starts.
func controlled(f func()) {
	runtime.GOMAXPROCS(1)
	runtime.CdporPolls(polls)
	runtime.CdporCalls(func(k int, p unsafe.Pointer) { within(Kind(k), p) })
	runtime.CdporHook(func(k int, p unsafe.Pointer, n, m int) { gate(Kind(k), p, n, m) })
	runtime.CdporRun(func() {
		control()
		f()
	})
}

// control makes the goroutine that calls it the one that controls others.
func control() {
	at, _, _ := runtime.CdporSelf()
	controller = &goroutine{id: -2}
	*at = unsafe.Pointer(controller)
}

// tidy comes between two executions.
func tidy() {
	epoch++ // who comes to a gate now stays there
	drain()
	runtime.Gosched()
	fresh = fresh[:0]
}

const (
	recordWords  = 1 << 21
	commandWords = 1 << 20
	regionBytes  = 4 * (recordWords + commandWords)
)

// read waits for words, which are in place until the next call; nil: there will be none. Nobody of the program can go
// on meanwhile.
func read() []int32 {
	var one [1]byte
	for {
		switch n, _, err := syscall.RawSyscall(syscall.SYS_READ, 3, uintptr(unsafe.Pointer(&one[0])), 1); {
		case err == syscall.EINTR:
		case err != 0 || n == 0:
			return nil
		default:
			return words[1 : 1+words[0]]
		}
	}
}

// Where each execution is to be the first one of a process, this one executes nothing, and forks for each of them.
// result is how a process has come to its end: done, or else its wait status.
var result []int32

const done = -1

// fork reports whether it returns in the new process; in the old one it does so when that is over.
func fork() (child bool) {
	const dieWithParent, kill = 1, 9 // PR_SET_PDEATHSIG, SIGKILL
	self, _, _ := syscall.RawSyscall(syscall.SYS_GETPID, 0, 0, 0)
	runtime.CdporForks()
	pid, _, err := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	runtime.CdporForked(err == 0 && pid == 0)
	switch {
	case err != 0:
		panic("cdpor: fork: " + err.Error())
	case pid == 0:
		syscall.RawSyscall(syscall.SYS_PRCTL, dieWithParent, kill, 0)
		if parent, _, _ := syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0); parent != self {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 1, 0, 0)
		}
		return true
	}
	var status int32
	for err = syscall.EINTR; err == syscall.EINTR; {
		_, _, err = syscall.RawSyscall6(syscall.SYS_WAIT4, pid, uintptr(unsafe.Pointer(&status)), 0, 0, 0, 0)
	}
	if result[0] != done {
		result[0] = status
		endOutput()
	}
	return false
}

// endOutput says that what has been written so far is all that an execution has, which comes by another way.
func endOutput() { say(2, "\ncdpor: this is all\n") } // as in ../process.go

func say(file int, text string) {
	syscall.Write(file, unsafe.Slice(unsafe.StringData(text), len(text)))
}

// answer says that the words have been read, and what they ask for has been done.
func answer() {
	var one byte
	syscall.RawSyscall(syscall.SYS_WRITE, 4, uintptr(unsafe.Pointer(&one)), 1)
}

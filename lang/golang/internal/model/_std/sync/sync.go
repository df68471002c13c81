// Package sync stands in for Go's: the bodyless functions are lowered by hand.
package sync

// A Locker can be locked and unlocked.
type Locker interface {
	Lock()
	Unlock()
}

// The words of Mutex, RWMutex, WaitGroup and tickets are those of their steps, and no Go code sees them.
type Mutex struct{ _ int }

func (m *Mutex) Lock()
func (m *Mutex) TryLock() bool
func (m *Mutex) Unlock()

type RWMutex struct{ _ int }

func (rw *RWMutex) Lock()
func (rw *RWMutex) TryLock() bool
func (rw *RWMutex) Unlock()
func (rw *RWMutex) RLock()
func (rw *RWMutex) TryRLock() bool
func (rw *RWMutex) RUnlock()

type rlocker struct{ rw *RWMutex }

func (r *rlocker) Lock()   { r.rw.RLock() }
func (r *rlocker) Unlock() { r.rw.RUnlock() }

func (rw *RWMutex) RLocker() Locker { return &rlocker{rw} }

type WaitGroup struct{ _ int }

func (wg *WaitGroup) Add(delta int)
func (wg *WaitGroup) Wait()
func (wg *WaitGroup) Done() { wg.Add(-1) }

func (wg *WaitGroup) Go(f func()) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		f()
	}()
}

// tickets are given out in order, and served in that order: a list of those who wait, as in the runtime.
type tickets struct{ _ int }

func (t *tickets) draw() int        // the next one
func (t *tickets) await(ticket int) // until it has been served
func (t *tickets) serve()           // the oldest that waits, if there is one
func (t *tickets) serveAll()

type Cond struct {
	L       Locker
	waiting tickets
}

func NewCond(l Locker) *Cond { return &Cond{L: l} }

func (c *Cond) Wait() {
	t := c.waiting.draw()
	c.L.Unlock()
	c.waiting.await(t)
	c.L.Lock()
}

func (c *Cond) Signal()    { c.waiting.serve() }
func (c *Cond) Broadcast() { c.waiting.serveAll() }

type Once struct {
	m    Mutex
	done bool
}

func (o *Once) Do(f func()) {
	o.m.Lock()
	defer o.m.Unlock()
	if !o.done {
		defer o.finish()
		f()
	}
}

func (o *Once) finish() { o.done = true }

func OnceFunc(f func()) func() {
	var once Once
	return func() { once.Do(f) }
}

func OnceValue[T any](f func() T) func() T {
	var once Once
	var result T
	return func() T {
		once.Do(func() { result = f() })
		return result
	}
}

func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var once Once
	var r1 T1
	var r2 T2
	return func() (T1, T2) {
		once.Do(func() { r1, r2 = f() })
		return r1, r2
	}
}

// A Pool may give away whatever it keeps, and may have dropped it: Get chooses among that and what New makes.
type Pool struct {
	New  func() any
	kept []any
}

func choose(n int) int

func (p *Pool) Get() (x any) {
	enter()
	n := len(p.kept)
	leave()
	if n > 0 {
		x = p.take(choose(n + 1)) // nothing, too, if others were quicker
	}
	if x == nil && p.New != nil {
		x = p.New()
	}
	return x
}

// take takes what is kept at a place away, if there is something.
func (p *Pool) take(k int) (x any) {
	enter()
	if n := len(p.kept); k < n {
		x = p.kept[k]
		p.kept[k] = p.kept[n-1]
		p.kept[n-1] = nil
		p.kept = p.kept[:n-1]
	}
	leave()
	return x
}

func (p *Pool) Put(x any) {
	if x == nil {
		return
	}
	enter()
	p.kept = append(p.kept, x)
	leave()
}

// A Map is a map whose operations are atomic.
type Map struct{ m map[any]any }

func enter()
func leave()

func (m *Map) Load(key any) (value any, ok bool) {
	enter()
	value, ok = m.m[key]
	leave()
	return value, ok
}

func (m *Map) Store(key, value any) {
	enter()
	m.put(key, value)
	leave()
}

func (m *Map) put(key, value any) {
	if m.m == nil {
		m.m = map[any]any{}
	}
	m.m[key] = value
}

func (m *Map) Clear() {
	enter()
	m.m = nil
	leave()
}

func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	enter()
	if actual, loaded = m.m[key]; !loaded {
		m.put(key, value)
		actual = value
	}
	leave()
	return actual, loaded
}

func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	enter()
	value, loaded = m.m[key]
	delete(m.m, key)
	leave()
	return value, loaded
}

func (m *Map) Delete(key any) { m.LoadAndDelete(key) }

func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	enter()
	previous, loaded = m.m[key]
	m.put(key, value)
	leave()
	return previous, loaded
}

func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	enter()
	if v, ok := m.m[key]; ok && v == old {
		m.put(key, new)
		swapped = true
	}
	leave()
	return swapped
}

func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	enter()
	if v, ok := m.m[key]; ok && v == old {
		delete(m.m, key)
		deleted = true
	}
	leave()
	return deleted
}

func (m *Map) Range(f func(key, value any) bool) {
	var keys []any
	enter()
	for k := range m.m {
		keys = append(keys, k)
	}
	leave()
	for _, k := range keys {
		if v, ok := m.Load(k); ok && !f(k, v) {
			break
		}
	}
}

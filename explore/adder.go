package explore

import "sync"

// An adder is what one worker has of a treeSet. While it adds, it holds a lock that is its own, so it waits for nobody: keys are inserted with
// a compare-and-swap, and a chunk is looked up without a lock. Whoever must replace a table or change the widths of numbers takes the
// locks of all. A single adder needs no lock.
type adder struct {
	set      *treeSet
	mu       sync.Mutex
	room     [manyTables]int // per table, how many keys it may insert before it must ask for more room
	inserted [manyTables]int // keys that the table does not know of yet

	changed []change // chunks of the vector that is being added

	_ [64]byte // neighbours in memory do not disturb each other
}

// adder makes an adder. All must be made before the first one adds.
func (t *treeSet) adder() *adder {
	a := &adder{set: t}
	t.adders = append(t.adders, a)
	return a
}

func (a *adder) lock() {
	if len(a.set.adders) > 1 {
		a.mu.Lock()
	}
}

func (a *adder) unlock() {
	if len(a.set.adders) > 1 {
		a.mu.Unlock()
	}
}

// alone calls f while nobody adds. The lock is held, but not from beginning to end.
func (a *adder) alone(f func()) {
	a.unlock()
	for _, b := range a.set.adders {
		b.lock()
	}
	f()
	for _, b := range a.set.adders {
		b.unlock()
	}
	a.lock()
}

// add puts a vector v into the set and reports whether it was not there. It fills to.
func (a *adder) add(to *packed, v []int64) bool {
	a.lock()
	defer a.unlock()
	a.set.pack(to, v)
	return a.insert(nil, to, v)
}

// addChanged is add for a vector that differs from that of from at most in some words, in ascending order. before is what was there. It does
// not fill to unless the vector is new.
func (a *adder) addChanged(from *packed, words []int32, before []int64, to *packed, v []int64) bool {
	t := a.set
	a.lock()
	defer a.unlock()
	var large int
	a.changed, large = t.changes(a.changed[:0], words, before, v)
	if from.version == t.version && large == 0 {
		if key, fits := a.key(from); fits {
			added, done := a.put(compact, key)
			if added {
				from.change(a.changed, 0, to)
				for i := range a.changed {
					to.numbers[a.changed[i].chunk] = a.changed[i].number
				}
				to.key, to.version, to.inner = key, t.version, false
			}
			if done {
				return added
			}
		}
	}
	from.change(a.changed, large, to)
	return a.insert(from, to, v)
}

// key is the compact key of a vector that has one, after some chunks have changed. It numbers these.
func (a *adder) key(from *packed) (key uint64, fits bool) {
	t := a.set
	key = from.key
	if t.chunks == 1 {
		for _, c := range a.changed {
			key ^= c.bits
		}
		return key, true
	}
	for i := range a.changed {
		c := &a.changed[i]
		c.number = t.leaves[c.chunk].number(from.chunks[c.chunk] ^ c.bits)
		if c.number>>t.widths[c.chunk] != 0 {
			return 0, false
		}
		key ^= uint64(from.numbers[c.chunk]^c.number) << t.shifts[c.chunk]
	}
	return key, true
}

// insert puts a vector v into the set whose chunks are in to, and fills the rest of that, with the help of from if it is not nil.
func (a *adder) insert(from, to *packed, v []int64) bool {
	t := a.set
	t.number(from, to)
	for {
		version := t.version
		table, key, fits := t.place(from, to, v)
		if !fits {
			a.alone(func() {
				if t.version == version && !t.settled {
					t.widen()
				}
			})
			continue
		}
		if to.version = 0; table == compact {
			to.key, to.version = key, version
		}
		if added, done := a.put(table, key); done {
			return added
		}
		a.alone(func() {
			if a.room[table] == 0 {
				t.extend(table)
			}
		})
	}
}

// put inserts a key into a table, unless there is no room.
func (a *adder) put(table int, key uint64) (added, done bool) {
	added, done = a.set.tables[table].insert(key, &a.room[table])
	if added {
		a.inserted[table]++
	}
	return added, done
}

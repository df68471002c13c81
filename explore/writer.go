package explore

import "sync"

// A writer is what one worker has of a treeSet. While it adds, it holds a lock that is its own, so it waits for
// nobody: keys are inserted with a compare-and-swap, and a chunk is looked up without a lock. Whoever must replace a
// table or change the widths of numbers takes the locks of all. A single writer needs no lock.
type writer struct {
	set      *treeSet
	mu       sync.Mutex
	reserves [manyTables]reserve

	_ [64]byte // neighbours in memory do not disturb each other
}

// newWriter makes an writer. All must be made before the first one adds.
func (t *treeSet) newWriter() *writer {
	a := &writer{set: t}
	t.writers = append(t.writers, a)
	for i := range t.tables {
		t.tables[i].shared = len(t.writers) > 1
	}
	return a
}

func (a *writer) lock() {
	if len(a.set.writers) > 1 {
		a.mu.Lock()
	}
}

func (a *writer) unlock() {
	if len(a.set.writers) > 1 {
		a.mu.Unlock()
	}
}

// alone calls f while nobody adds. The lock is held, but not from beginning to end.
func (a *writer) alone(f func()) {
	a.unlock()
	for _, b := range a.set.writers {
		b.lock()
	}
	f()
	for _, b := range a.set.writers {
		b.unlock()
	}
	a.lock()
}

// growth is how many bytes the set will take at once before long.
func (a *writer) growth() (bytes int64) {
	a.lock()
	defer a.unlock()
	a.alone(func() { bytes = a.set.growth() })
	return bytes
}

// add puts a vector v into the set and reports whether it was not there. It fills to.
func (a *writer) add(to *packed, v []int64) bool {
	a.lock()
	defer a.unlock()
	a.set.pack(to, v)
	return a.insert(nil, to, v)
}

// try is add for a vector that differs from that of from, if all goes well: if it need not be looked at itself. It
// fills to only if the vector was not there.
func (a *writer) try(from *packed, d *difference, to *packed) (added, done bool) {
	t := a.set
	a.lock()
	defer a.unlock()
	if from.version != t.version || d.large != 0 {
		return false, false
	}
	key, fits := t.keyPlus(from, d)
	if !fits {
		return false, false
	}
	if added, done = a.put(compact, key); added {
		a.follow(from, d, to, key)
	}
	return added, done
}

// addKey is add for a vector with a compact key that belongs to a version of the widths. The lock is held.
func (a *writer) addKey(key uint64, version int) (added, done bool) {
	if version != a.set.version {
		return false, false
	}
	return a.put(compact, key)
}

// follow fills to for a vector with a compact key that differs from that of from. The chunks of the difference are
// numbered.
func (a *writer) follow(from *packed, d *difference, to *packed, key uint64) {
	from.plus(d, to)
	for i := range d.chunks {
		to.numbers[d.chunks[i].chunk] = d.chunks[i].number
	}
	to.key, to.version, to.inner = key, a.set.version, false
}

// touch has the processor fetch the places of some successors. The lock is held.
func (a *writer) touch(list []successor) {
	t, sum := &a.set.tables[compact], uint64(0)
	for i := range list {
		sum += t.touch(list[i].key)
	}
	a.reserves[compact].fetched += sum
}

// addPlus is add for a vector v that differs from that of from.
func (a *writer) addPlus(from *packed, d *difference, to *packed, v []int64) bool {
	a.lock()
	defer a.unlock()
	from.plus(d, to)
	return a.insert(from, to, v)
}

// insert puts a vector v into the set whose chunks are in to, and fills the rest of that, with the help of from if it
// is not nil.
func (a *writer) insert(from, to *packed, v []int64) bool {
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
			if a.reserves[table].room == 0 {
				t.extend(table)
			}
		})
	}
}

// put inserts a key into a table, unless there is no room.
func (a *writer) put(table int, key uint64) (added, done bool) {
	return a.set.tables[table].insert(key, &a.reserves[table])
}

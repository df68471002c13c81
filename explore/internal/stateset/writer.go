package stateset

import "sync"

// A Writer is the access of one worker to a TreeSet. While it adds, it holds a lock of its own and waits for no other
// worker: keys are inserted with a compare-and-swap, and a chunk is looked up without a lock. Replacing a table or
// changing the widths of numbers takes the locks of all. A single writer needs no lock.
type Writer struct {
	Set      *TreeSet
	mu       sync.Mutex
	reserves [ManyTables]reserve
	Last     Place // of the vector that was looked for last

	_ [64]byte // neighbours in memory do not disturb each other
}

// NewWriter makes an writer. All must be made before the first one adds.
func (t *TreeSet) NewWriter() *Writer {
	a := &Writer{Set: t}
	t.writers = append(t.writers, a)
	for i := range t.tables {
		t.tables[i].shared = len(t.writers) > 1
	}
	return a
}

func (a *Writer) Lock() {
	if len(a.Set.writers) > 1 {
		a.mu.Lock()
	}
}

func (a *Writer) Unlock() {
	if len(a.Set.writers) > 1 {
		a.mu.Unlock()
	}
}

// alone calls f while no worker adds. The lock is held, but not from beginning to end.
func (a *Writer) alone(f func()) {
	a.Unlock()
	for _, b := range a.Set.writers {
		b.Lock()
	}
	f()
	for _, b := range a.Set.writers {
		b.Unlock()
	}
	a.Lock()
}

// Growth is how many bytes the set will take at once before long.
func (a *Writer) Growth() (bytes int64) {
	a.Lock()
	defer a.Unlock()
	a.alone(func() { bytes = a.Set.growth() })
	return bytes
}

// Add puts a vector v into the set and reports whether it was not there. It fills to.
func (a *Writer) Add(to *Packed, v []int64) bool {
	a.Lock()
	defer a.Unlock()
	a.Set.Pack(to, v)
	return a.insert(nil, to, v)
}

// AddChunks is add for a vector whose words all have a code and whose chunks are in to, with the help of from, which
// was added before, if it is not nil.
func (a *Writer) AddChunks(from, to *Packed) bool {
	a.Lock()
	defer a.Unlock()
	to.Large = 0
	return a.insert(from, to, nil)
}

// Try is add for a vector that differs from that of from, if all goes well: if it need not be looked at itself. It
// fills to only if the vector was not there.
func (a *Writer) Try(from *Packed, d *Difference, to *Packed) (added, done bool) {
	t := a.Set
	a.Lock()
	defer a.Unlock()
	if from.Version != t.Version || d.Large != 0 {
		return false, false
	}
	key, fits := t.KeyPlus(from, d.Chunks, nil)
	if !fits {
		return false, false
	}
	if added, done = a.put(Compact, key); added {
		a.Follow(from, d, to, key)
	}
	return added, done
}

// AddKey is add for a vector with a compact key that belongs to a version of the widths. The lock is held.
func (a *Writer) AddKey(key uint64, version int) (added, done bool) {
	if version != a.Set.Version {
		return false, false
	}
	return a.put(Compact, key)
}

// HasKey reports whether a vector with a compact key that belongs to the present version of the widths is in the set.
// There must be a single writer.
func (a *Writer) HasKey(key uint64) bool { return a.Set.tables[Compact].has(key) }

// Follow fills to for a vector with a compact key that differs from that of from. The chunks of the difference are
// numbered.
func (a *Writer) Follow(from *Packed, d *Difference, to *Packed, key uint64) {
	from.Plus(d, to)
	for i := range d.Chunks {
		to.numbers[d.Chunks[i].chunk] = d.Chunks[i].number
	}
	to.key, to.Version, to.inner = key, a.Set.Version, false
}

// A Toucher has the processor fetch the places of keys, many at a time. The lock of the writer is held while it is in
// use.
type Toucher struct {
	table   *keyTable
	fetched *uint64
	sum     uint64 // of what was read, so that it is
}

// Toucher is for compact keys.
func (a *Writer) Toucher() Toucher {
	return Toucher{table: &a.Set.tables[Compact], fetched: &a.reserves[Compact].fetched}
}

// Touch fetches the place of a key.
func (t *Toucher) Touch(key uint64) { t.sum += t.table.touch(key) }

// Done is called behind the last key.
func (t *Toucher) Done() { *t.fetched += t.sum }

// AddPlus is add for a vector v that differs from that of from.
func (a *Writer) AddPlus(from *Packed, d *Difference, to *Packed, v []int64) bool {
	a.Lock()
	defer a.Unlock()
	from.Plus(d, to)
	return a.insert(from, to, v)
}

// insert puts a vector v into the set whose chunks are in to, and fills the rest of that, with the help of from if it
// is not nil.
func (a *Writer) insert(from, to *Packed, v []int64) bool {
	t := a.Set
	t.Number(from, to)
	for {
		version := t.Version
		table, key, fits := t.Place(from, to, v)
		if !fits {
			a.alone(func() {
				if t.Version == version && !t.settled {
					t.Widen()
				}
			})
			continue
		}
		if to.Version = 0; table == Compact {
			to.key, to.Version = key, version
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
func (a *Writer) put(table int, key uint64) (added, done bool) {
	a.Last = Place{table, key}
	return a.Set.tables[table].insert(key, &a.reserves[table])
}

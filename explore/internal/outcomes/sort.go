package outcomes

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
)

// fewSorted is how many ends are sorted by whole values, manySorted from how many on several goroutines do.
const fewSorted, manySorted = 8, 1 << 14

// Sort puts the ends into the order of their values, and takes the memory of the entries for that (Growth).
func (e *Set) Sort() {
	if e.sorted {
		return
	}
	e.slots = nil
	var parts sync.WaitGroup
	e.sortFrom(e.entries.joined(), 0, &parts)
	parts.Wait()
	e.sorted = true
}

// sortFrom sorts ends whose values are the same up to a place. The next 8 bytes are put in place of the hashes, so that
// records, which lie anywhere in memory, are seldom looked at. Some parts may still be under way when it returns.
func (e *Set) sortFrom(list []endEntry, at int, parts *sync.WaitGroup) {
	if len(list) <= fewSorted || e.over(list, at) { // in the latter case they differ in how many zeros they end with
		slices.SortFunc(list, func(a, b endEntry) int {
			first, _ := e.record(&a)
			second, _ := e.record(&b)
			return bytes.Compare(first, second)
		})
		return
	}
	e.sortNext(list, at, parts)
}

// over puts the 8 bytes of values from a place on in place of the hashes. It reports whether there are none.
func (e *Set) over(list []endEntry, at int) bool {
	if half := len(list) / 2; half >= manySorted/2 {
		var other bool
		var others sync.WaitGroup
		others.Go(func() { other = e.over(list[:half], at) })
		over := e.over(list[half:], at)
		others.Wait()
		return over && other
	}
	over := true
	for i := range list {
		var next [8]byte
		if values, _ := e.record(&list[i]); at < len(values) {
			copy(next[:], values[at:])
			over = false
		}
		list[i].hash = binary.BigEndian.Uint64(next[:])
	}
	return over
}

// sortNext sorts ends by the 8 bytes in place of the hashes, which are those from a place on, and by what follows.
func (e *Set) sortNext(list []endEntry, at int, parts *sync.WaitGroup) {
	for len(list) >= manySorted {
		less, more := divide(list)
		first, same := list[:less], list[less:more]
		parts.Go(func() { e.sortNext(first, at, parts) })
		parts.Go(func() { e.sortFrom(same, at+8, parts) })
		list = list[more:]
	}
	slices.SortFunc(list, func(a, b endEntry) int { return cmp.Compare(a.hash, b.hash) })
	for len(list) > 0 {
		same := 1
		for same < len(list) && list[same].hash == list[0].hash {
			same++
		}
		if same > 1 {
			e.sortFrom(list[:same], at+8, parts)
		}
		list = list[same:]
	}
}

// divide puts the ends of a long list that are less than one from its middle first, and those that are more last. It
// returns where those begin that are the same, and where those that are more.
func divide(list []endEntry) (less, more int) {
	const samples = 31
	var sample [samples]uint64
	for i := range sample {
		sample[i] = list[len(list)/samples*i].hash
	}
	slices.Sort(sample[:])
	pivot := sample[samples/2]
	more = len(list)
	for i := 0; i < more; {
		switch h := list[i].hash; {
		case h < pivot:
			list[i], list[less] = list[less], list[i]
			i, less = i+1, less+1
		case h > pivot:
			more--
			list[i], list[more] = list[more], list[i]
		default:
			i++
		}
	}
	return less, more
}

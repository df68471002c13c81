package native

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What is possible for one behind what another one has done.
func TestOperations(t *testing.T) {
	const p, q = 2, 3
	of := func(k Kind, blocks bool) *Operation { return &Operation{Kind: k, Blocks: blocks, Objects: []int32{0}} }
	selects := func(sends int) *Operation {
		return &Operation{Kind: opSelect, Blocks: true, Sends: sends, Objects: []int32{0}}
	}
	enters := func(sends int) *Operation {
		return &Operation{Kind: opEnter, Blocks: true, Sends: sends, Objects: []int32{0}}
	}
	for _, c := range []struct {
		what   string
		object Object
		done   []*Operation // by p
		then   *Operation   // by q
		want   string       // choices
	}{
		{"a mutex that is held", Object{}, []*Operation{of(opLock, true)}, of(opLock, true), ""},
		{"and given back", Object{}, []*Operation{of(opLock, true), of(opUnlock, true)}, of(opLock, true), "0"},
		{"a writer", Object{}, []*Operation{of(opReadLock, true), of(opAnnounce, true)}, of(opReadLock, true), ""},
		{"for readers", Object{}, []*Operation{of(opReadLock, true), of(opAnnounce, true)}, of(opWriteLock, true), ""},
		{"an empty buffer", Object{size: 1}, nil, of(opReceive, true), ""},
		{"a full one", Object{size: 1}, []*Operation{of(opSend, true)}, of(opSend, true), ""},
		{"a closed one", Object{size: 1}, []*Operation{of(opClose, true)}, of(opReceive, true), "0"},
		{"nobody sends", Object{}, nil, selects(0), ""},
		{"somebody does", Object{}, []*Operation{of(opSend, true)}, selects(0), "0"},
		{"two selects: who sends begins", Object{}, []*Operation{enters(0)}, selects(1), "0"},
		{"and not who receives", Object{}, []*Operation{enters(1)}, selects(0), ""},
		{"a default", Object{}, nil, &Operation{Kind: opSelect, Objects: []int32{0}}, "1"},
		{"a wait group", Object{}, []*Operation{{Kind: opAdd, Number: 1, Objects: []int32{0}}}, of(opWait, true), ""},
		{"sync.Once under way", Object{}, []*Operation{of(opOnce, true)}, of(opOnce, true), ""},
		{"done", Object{}, []*Operation{of(opOnce, true), of(opOnceEnd, true)}, of(opOnce, true), "0"},
	} {
		w := worldOf(c.object)
		for _, op := range c.done {
			op.Apply(w, p, 0)
		}
		var got []string
		c.then.Alternatives(w, q, func(choice int) { got = append(got, fmt.Sprint(choice)) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// Who has waited goes on.
func TestFrees(t *testing.T) {
	on := []int32{0}
	w := worldOf(Object{})
	for p := range 2 {
		if out := (&Operation{Kind: opSend, Blocks: true, Objects: on}).Apply(w, p, 0); !out.queued {
			t.Errorf("%d does not wait", p)
		}
	}
	if out := (&Operation{Kind: opReceive, Blocks: true, Objects: on}).Apply(w, 5, 0); !slices.Equal(out.frees,
		[]party{{0, -1}}) {
		t.Errorf("the first one is not free: %v", out)
	}
	if out := (&Operation{Kind: opClose, Objects: on}).Apply(w, 5, 0); !slices.Equal(out.frees, []party{{1, -1}}) {
		t.Errorf("close does not free who is left: %v", out)
	}
	w = worldOf(Object{})
	(&Operation{Kind: opCondWait, Objects: on}).Apply(w, 1, 0)
	(&Operation{Kind: opCondWait, Objects: on}).Apply(w, 2, 0)
	if out := (&Operation{Kind: opSignal, Objects: on}).Apply(w, 3, 0); !slices.Equal(out.frees, []party{{1, -1}}) {
		t.Errorf("Signal frees %v", out.frees)
	}
}

func TestDecodeDamaged(t *testing.T) {
	for _, words := range [][]int32{{'A', 1}, {99}, {'Z', 0, 0, 0, 4000}} {
		if _, err := decode(words, 0, strings.NewReplacer()); err == nil {
			t.Errorf("%v is read", words)
		}
	}
}

// Worlds that share pages are worlds of their own.
func TestSharedPages(t *testing.T) {
	const many = 3 * fewObjects
	w := &World{}
	for range many {
		w.Add(Object{})
	}
	other := &World{}
	other.Copy(w)
	lock := func(id int32) *Operation { return &Operation{Kind: opLock, Objects: []int32{id}} }
	for id := range int32(many) {
		lock(id).Apply([]*World{w, other}[id%2], 1, 0)
	}
	w.Add(Object{size: 1})
	other.Add(Object{size: 2})
	for id := range int32(many) {
		if w.At(id).held != (id%2 == 0) || other.At(id).held != (id%2 == 1) {
			t.Errorf("object %d: %t, %t", id, w.At(id).held, other.At(id).held)
		}
	}
	if a, b := w.At(many).size, other.At(many).size; a != 1 || b != 2 || w.Len() != many+1 {
		t.Errorf("sizes %d and %d of %d objects", a, b, w.Len())
	}
}

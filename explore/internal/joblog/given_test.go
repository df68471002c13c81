package joblog

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// keeping is the fold of an empty log of an algorithm whose parcels keep their nodes.
func keeping() *Fold {
	f := NewFold(true)
	f.Keep()
	return f
}

// left makes the record of a parcel that is left with a stack of actions, of which own lie above it.
func left(id ID, number, own int, heard Heard, actions ...int32) *Record {
	return &Record{Parcel: id, Number: number, Heard: heard,
		Left: &Parcel{ID: id, Own: own, Begin: -1, Heard: heard, Levels: levels(append(actions, -1)...)}}
}

// words packs sequences.
func words(list ...[]int32) (p Packed) {
	var last []int32
	for _, w := range list {
		p = p.Add(w, last)
		last = w
	}
	return p
}

// TestFoldGiven goes through a search whose first parcel gives two branches away, one of them apart from what has come
// of it; it is told what they have for it, and that they have ended, and rests until then.
func TestFoldGiven(t *testing.T) {
	f, none := keeping(), Heard{}
	r := left(Root, 0, 0, none, 1, 2)
	r.Left.Levels[0].Sleep = []int32{7}
	r.Left.Trees = []Packed{Pack([]int32{1, 0}), Pack([]int32{2, 0}), nil}
	r.Give = []Gift{{Depth: 0, Action: 3, Sleep: []int32{7, 1}, Plans: Pack([]int32{4, 0})}}
	apply(t, f, r, true)
	first := ID{Node: 0}
	if got := f.Begun(); !slices.Equal(got, []ID{first}) {
		t.Fatalf("%v have begun", got)
	}
	p, next := f.Parcel(first)
	if next != 0 || !p.Fresh() || p.Own != 1 || p.Begin != 3 || p.Levels[0].Action != 3 ||
		!slices.Equal(p.Levels[0].Sleep, []int32{7, 1}) || !slices.Equal(p.Plans, Pack([]int32{4, 0})) {
		t.Fatalf("parcel %+v", p)
	}
	apply(t, f, &Record{Parcel: Root, Number: 1, Same: true, Give: []Gift{{Depth: 1, Action: 5, Sleep: []int32{2}}}},
		true)
	second := ID{Node: 1}
	if p, _ = f.Parcel(second); p.Begin != 5 || p.Own != 2 || p.Levels[0].Action != 1 || p.Levels[1].Action != 5 {
		t.Fatalf("parcel %+v", p)
	}
	if p, next = f.Parcel(Root); next != 2 || !slices.Equal(p.Levels[1].Sleep, []int32{5}) || p.Trees != nil ||
		!reflect.DeepEqual(p.Away, []Away{{1, []int32{5}}}) {
		t.Fatalf("of the first parcel, %+v is left", p)
	}
	// The second branch has something for both nodes, which the first parcel has.
	r = left(second, 0, 2, none, 1, 5, 6)
	r.Insert = []Insertion{{Depth: 0, Plans: words([]int32{8, 9})}, {Depth: 1, Actions: []int32{4}}}
	apply(t, f, r, true)
	told := f.Notices()
	if len(told) != 2 || told[0].Parcel != Root || told[1].From != 1 || told[1].Notices[0].Depth != 1 {
		t.Fatalf("told %+v", told)
	}
	heard := none.Add(&Notice{Insertion: r.Insert[0]})
	r = left(Root, 2, 0, heard, 1, 2)
	r.Rests = true
	apply(t, f, r, true)
	if got := f.Begun(); !slices.Equal(got, []ID{Root}) || f.Rests(Root) {
		t.Fatalf("it rests although there is a notice: %v", got)
	}
	if u := f.Unheard(Root); u == nil || u.From != 1 || len(u.Notices) != 1 || f.Queued(Root) != 3 {
		t.Fatalf("unheard: %+v, queued as %d", u, f.Queued(Root))
	}
	heard = heard.Add(&Notice{Insertion: Insertion{Depth: 1, Actions: []int32{4}}})
	r = left(Root, 3, 0, heard, 1, 2)
	r.Rests = true
	apply(t, f, r, true)
	if !f.Rests(Root) || f.Active() != 2 || f.Wake(9) != nil {
		t.Fatalf("%d parcels are active; the first one rests: %v", f.Active(), f.Rests(Root))
	}
	r = left(second, 1, 2, none, 1, 5, 6)
	r.Insert = []Insertion{{Depth: 1, Actions: []int32{6}}}
	apply(t, f, r, true)
	if len(f.Begun()) > 0 || len(f.Notices()) > 0 || !slices.Equal(f.Wake(9), []ID{Root}) || f.Active() != 3 {
		t.Fatal("what is to be planned wakes at once, or not when it is asked for")
	}
	heard = heard.Add(&Notice{Insertion: r.Insert[0]})
	r = left(Root, 4, 0, heard, 1, 2)
	r.Rests = true
	apply(t, f, r, true)
	apply(t, f, &Record{Parcel: second, Number: 2}, true)
	if !slices.Equal(f.Begun(), []ID{Root}) {
		t.Fatal("the end of what was given away does not wake")
	}
	heard = heard.Add(&Notice{Insertion{Depth: 1, Actions: []int32{5}}, true})
	apply(t, f, left(Root, 5, 0, heard, 1, 2), true)
	apply(t, f, &Record{Parcel: second, Number: 3}, false) // late
	apply(t, f, &Record{Parcel: first, Number: 0}, true)
	heard = heard.Add(&Notice{Insertion{Depth: 0, Actions: []int32{3}}, true})
	if f.Done() {
		t.Fatal("done although the first parcel is under way")
	}
	apply(t, f, &Record{Parcel: Root, Number: 6, Heard: heard}, true)
	if !f.Done() {
		t.Fatal("not done")
	}
}

// TestFoldGivenErrors is what no worker of the job can have written.
func TestFoldGivenErrors(t *testing.T) {
	give := func(depth int, sleep ...int32) []Gift { return []Gift{{Depth: depth, Action: 1, Sleep: sleep}} }
	for _, tt := range []struct {
		change func(r *Record)
		want   string
	}{
		{func(r *Record) { r.Heard.Count = 1 }, "notices are heard"},
		{func(r *Record) { r.Heard.Sum = 1 }, "not what the log has"},
		{func(r *Record) { r.Insert = []Insertion{{}} }, "an insertion at depth 0"},
		{func(r *Record) { r.Split = []Upper{{}} }, "splits"},
		{func(r *Record) { r.Give = give(2) }, "from depth 2"},
		{func(r *Record) { r.Give = give(0, 999) }, "action"},
		{func(r *Record) { r.Left.Own = 1 }, "should be"},
		{func(r *Record) { r.Left, r.Give = nil, give(0) }, "has come to its end"},
		{func(r *Record) { r.Same = true }, "only gives"},
		{func(r *Record) { r.Parcel = ID{Node: 4} }, "there is no parcel"},
	} {
		f := keeping()
		r := left(Root, 0, 0, Heard{}, 1, 2)
		tt.change(r)
		counts, err := f.Apply(r)
		if counts || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, %v; want an error with %q", r, counts, err, tt.want)
		}
	}
}

// TestWithout takes branches out of what is left of a parcel.
func TestWithout(t *testing.T) {
	p := left(Root, 0, 0, Heard{}, 1, 2).Left
	p.Away = []Away{{0, []int32{9}}}
	p.Trees = []Packed{{1}, {2}, {3}}
	got, err := p.Without([]Mark{{0, 3}, {1, 4}, {1, 5}}, func(tree Packed, action int32) (Packed, error) {
		return append(slices.Clone(tree), byte(action)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Away, []Away{{0, []int32{9, 3}}, {1, []int32{4, 5}}}) ||
		!reflect.DeepEqual(got.Trees, []Packed{{1, 3}, {2, 4, 5}, {3}}) ||
		!slices.Equal(got.Levels[1].Sleep, []int32{4, 5}) {
		t.Errorf("%+v", got)
	}
	if len(p.Away) != 1 || len(p.Away[0].Actions) != 1 || len(p.Trees[0]) != 1 || len(p.Levels[0].Sleep) > 0 {
		t.Errorf("the parcel itself has changed: %+v", p)
	}
}

// TestPacked packs lists and sequences, and refuses what has no end.
func TestPacked(t *testing.T) {
	long := []int32{0, 127, 128, 255, 1 << 20}
	if got, err := Pack(long).Unpack([]int32{7}); err != nil || !slices.Equal(got, append([]int32{7}, long...)) {
		t.Errorf("%v, %v", got, err)
	}
	var all [][]int32
	want := [][]int32{long, {}, {300}, {300, 7, 8}, {300, 7, 9}, {300}, {300}, {7}}
	packed := words(want...)
	err := packed.Each(func(w []int32) error {
		all = append(all, slices.Clone(w))
		return nil
	})
	if err != nil || !slices.EqualFunc(all, want, slices.Equal[[]int32]) {
		t.Errorf("%v, %v", all, err)
	}
	if n := len(packed) - len(words(want[:6]...)); n != 5 {
		t.Errorf("a sequence once more, and a short one, take %d bytes", n)
	}
	for _, bad := range []Packed{{0x80}, {2, 1}, {0xff, 0xff, 0xff, 0xff, 0xff, 1}} {
		if err := bad.Each(func([]int32) error { return nil }); err == nil {
			t.Errorf("% x are sequences", []byte(bad))
		}
	}
}

// TestRecordText: what has been found and the trees of what is left stand behind a record, and the trees are read only
// where they are wanted.
func TestRecordText(t *testing.T) {
	r := left(Root, 3, 0, Heard{2, 5}, 1)
	r.Found = []byte("a line\n\x00\x01")
	r.Left.Trees = []Packed{Pack([]int32{1, 0, 2, 1, 3, 0}), {}}
	text, err := r.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var with, without Record
	if err := with.Unmarshal(text, true); err != nil {
		t.Fatal(err)
	}
	if string(with.Found) != string(r.Found) || len(with.Left.Trees) != 2 ||
		!slices.Equal(with.Left.Trees[0], r.Left.Trees[0]) || with.Heard != r.Heard {
		t.Errorf("%+v", with.Left)
	}
	if err := without.Unmarshal(text, false); err != nil || without.Left.Trees != nil || without.Left.Own != 0 ||
		string(without.Found) != string(r.Found) {
		t.Errorf("%+v, %q, %v", without.Left, without.Found, err)
	}
	for cut := bytes.IndexByte(text, 0) + 1; cut < bytes.LastIndexByte(text, '\n')+3; cut++ {
		if err := new(Record).Unmarshal(text[:cut], false); err == nil {
			t.Errorf("what was found is read from %d bytes of %d", cut, len(text))
		}
	}
	last := Record{Parcel: Root, Number: 4, Found: []byte{0}}
	if text, err = last.Marshal(); err != nil {
		t.Fatal(err)
	}
	var read Record
	if err := read.Unmarshal(text, true); err != nil || string(read.Found) != "\x00" || read.Left != nil {
		t.Errorf("%+v, %v", read, err)
	}
	if err := read.Unmarshal(append(text, 0), true); err == nil {
		t.Error("a record has trees, and nothing is left")
	}
	text, err = r.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Record).Unmarshal(text[:len(text)-2], true); err == nil {
		t.Error("trees without an end are read")
	}
	if r.Left.Trees == nil {
		t.Error("the record has lost its trees")
	}
}

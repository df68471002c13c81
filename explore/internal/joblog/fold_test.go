package joblog

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/internal/checkpoint"
	"cdpor/lang/step"
)

// levels are a stack of some depth that follows the actions.
func levels(actions ...int32) (list []checkpoint.Level) {
	for _, a := range actions {
		list = append(list, checkpoint.Level{Action: a})
	}
	return list
}

func splitOff(action int32, backtrack, sleep, enabled []int32) Upper {
	return Upper{Level: checkpoint.Level{Action: action, Backtrack: backtrack, Sleep: sleep}, Enabled: enabled}
}

// apply folds a record and expects whether it counts.
func apply(t *testing.T, f *Fold, r *Record, want bool) {
	t.Helper()
	if counts, err := f.Apply(r); err != nil || counts != want {
		t.Fatalf("record %+v counts: %v, %v; want %v", r, counts, err, want)
	}
}

// TestFold goes through a search of two nodes that are split off, with a sibling at each, one of them inserted later.
func TestFold(t *testing.T) {
	f := NewFold(true)
	if f.Done() || f.Waiting() != nil {
		t.Fatal("a search that has not begun is done, or something waits")
	}
	apply(t, f, &Record{Task: Root, Number: 1}, false) // early
	apply(t, f, &Record{Task: Root, Split: []Upper{
		splitOff(1, []int32{1, 2}, []int32{1}, []int32{1, 2, 3}),
		splitOff(2, []int32{2}, []int32{2, 3}, []int32{2, 3, 4}),
	}, Left: &Task{ID: Root, Own: 2, Begin: -1, Levels: levels(1, 2, -1)}}, true)
	apply(t, f, &Record{Task: Root}, false) // twice
	take := f.Waiting()
	if take == nil || take.Node != 0 || take.Action != 2 {
		t.Fatalf("%v waits, not action 2 at node 0", take)
	}
	apply(t, f, &Record{Take: take}, true)
	apply(t, f, &Record{Take: take}, false) // by a second coordinator
	first := ID{0, 0}
	p, next := f.Task(first)
	if next != 0 || !p.Fresh() || p.Begin != 2 || len(p.Levels) != 1 || !slices.Equal(p.Levels[0].Sleep, []int32{1}) ||
		p.Levels[0].Action != 2 {
		t.Fatalf("task %+v, record %d", p, next)
	}
	if f.Waiting() != nil {
		t.Fatal("something waits although all that is in the backtrack sets has been taken or is asleep")
	}
	apply(t, f, &Record{Task: Root, Number: 1, Insert: []Insertion{
		{Depth: 0, Actions: []int32{3}}, {Depth: 1, Actions: []int32{3, 4}}}}, true)
	if f.Done() {
		t.Fatal("done although something waits")
	}
	apply(t, f, &Record{Take: f.Waiting()}, true)
	second := ID{0, 1}
	if p, _ := f.Task(second); p.Begin != 3 || !slices.Equal(p.Levels[0].Sleep, []int32{1, 2}) {
		t.Fatalf("task %+v: what was taken before must sleep", p)
	}
	apply(t, f, &Record{Take: f.Waiting()}, true)
	third := ID{1, 0}
	p, _ = f.Task(third)
	if p.Begin != 4 || len(p.Levels) != 2 || p.Levels[0].Action != 1 || p.Levels[1].Action != 4 {
		t.Fatalf("task %+v: the path leads over action 1 to action 4", p)
	}
	if f.Waiting() != nil {
		t.Fatal("action 3 sleeps at node 1")
	}
	if got := f.UnderWay(); !slices.Equal(got, []ID{first, second, third}) {
		t.Fatalf("under way are %v", got)
	}
	// A task splits below the node that it was taken from: the path goes over the action it began with.
	apply(t, f, &Record{Task: second, Split: []Upper{splitOff(7, []int32{7, 8}, []int32{7}, []int32{7, 8})},
		Left: &Task{ID: second, Own: 2, Begin: -1, Levels: levels(3, 7, -1)}}, true)
	apply(t, f, &Record{Take: f.Waiting()}, true)
	p, _ = f.Task(ID{2, 0})
	if p.Begin != 8 || p.Levels[0].Action != 3 || p.Levels[1].Action != 8 {
		t.Fatalf("task %+v: the path leads over action 3 to action 8", p)
	}
	for _, id := range []ID{first, third, {2, 0}} {
		apply(t, f, &Record{Task: id}, true)
	}
	apply(t, f, &Record{Task: second, Number: 0}, false) // late
	if f.Done() {
		t.Fatal("done although a task is under way")
	}
	apply(t, f, &Record{Task: second, Number: 1}, true)
	if !f.Done() {
		t.Fatal("not done")
	}
	apply(t, f, &Record{Task: second, Number: 2, Insert: []Insertion{{Actions: []int32{9}}}}, false)
}

// TestWaitingAll: what is taken together is what would have been taken one after the other.
func TestWaitingAll(t *testing.T) {
	f := NewFold(true)
	apply(t, f, &Record{Task: Root, Split: []Upper{
		splitOff(1, []int32{1, 4}, []int32{1}, []int32{1, 2, 3, 4}),
		splitOff(2, []int32{2, 5, 6}, []int32{2}, []int32{2, 5, 6}),
		splitOff(7, []int32{7, 8}, []int32{7}, []int32{7, 8}),
	}, Left: &Task{ID: Root, Own: 3, Begin: -1, Levels: levels(1, 2, 7, -1)}}, true)
	apply(t, f, &Record{Take: &Take{Action: 4}}, true) // so that node 0 is opened again, behind the others
	apply(t, f, &Record{Task: Root, Number: 1, Insert: []Insertion{{Actions: []int32{2, 3}}},
		Left: &Task{ID: Root, Own: 3, Begin: -1, Levels: levels(1, 2, 7, -1)}}, true)
	want := []Take{{Action: 2}, {Action: 3}, {Node: 1, Action: 5}, {Node: 1, Action: 6}, {Node: 2, Action: 8}}
	if got := f.WaitingAll(9); !reflect.DeepEqual(got, want) {
		t.Fatalf("%v wait, not %v", got, want)
	}
	if got := f.WaitingAll(3); !reflect.DeepEqual(got, want[:3]) {
		t.Fatalf("%v wait, not %v", got, want[:3])
	}
	for _, next := range want {
		if got := f.Waiting(); got == nil || !reflect.DeepEqual(*got, next) {
			t.Fatalf("%v waits, not %v", got, next)
		}
		apply(t, f, &Record{Take: &next}, true)
	}
	if f.WaitingAll(1) != nil {
		t.Fatal("something waits")
	}
}

// TestFoldWithoutSleep: without sleep sets nothing that has been taken sleeps, and nothing is taken twice.
func TestFoldWithoutSleep(t *testing.T) {
	f := NewFold(false)
	apply(t, f, &Record{Task: Root, Split: []Upper{splitOff(0, []int32{1, 2}, nil, []int32{0, 1, 2})},
		Left: &Task{ID: Root, Own: 1, Begin: -1, Levels: levels(0, -1)}}, true)
	for range 2 {
		take := f.Waiting()
		apply(t, f, &Record{Take: take}, true)
	}
	if p, _ := f.Task(ID{0, 1}); p.Begin != 2 || len(p.Levels[0].Sleep) > 0 {
		t.Fatalf("task %+v", p)
	}
	if f.Waiting() != nil {
		t.Fatal("something waits")
	}
}

// TestFoldErrors folds records that no worker of the job can have written.
func TestFoldErrors(t *testing.T) {
	for _, tt := range []struct {
		r    Record
		want string
	}{
		{Record{Task: ID{3, 0}}, "there is no task"},
		{Record{Take: &Take{Action: 1}}, "at an upper node 0"},
		{Record{Task: Root, Insert: []Insertion{{}}}, "an insertion at depth 0"},
		{Record{Task: Root, Split: []Upper{splitOff(0, []int32{-1}, nil, nil)}}, "action"},
		{Record{Task: Root, Left: &Task{ID: ID{1, 1}, Levels: levels(0)}}, "should be"},
		{Record{Task: Root, Left: &Task{ID: Root}}, "should be"},
	} {
		counts, err := NewFold(true).Apply(&tt.r)
		if counts || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, %v; want an error with %q", tt.r, counts, err, tt.want)
		}
	}
}

// TestEnd: what comes after the end does not count.
func TestEnd(t *testing.T) {
	f := NewFold(true)
	apply(t, f, &Record{Origins: [][]step.Origin{{}}}, false)
	if f.Ended() != "" || len(f.Begun()) > 0 {
		t.Fatal("names have ended the search, or taken something")
	}
	apply(t, f, &Record{End: "cancelled"}, false)
	apply(t, f, &Record{End: "again"}, false)
	apply(t, f, &Record{Task: Root}, false)
	if f.Ended() != "cancelled" || f.Done() {
		t.Errorf("ended: %q, done: %v", f.Ended(), f.Done())
	}
}

// TestTries: a record that says that a task is taken up again has its place in the chain, and changes nothing.
func TestTries(t *testing.T) {
	f := NewFold(true)
	apply(t, f, &Record{Task: Root, Tries: 1, Left: &Task{ID: Root, Begin: -1}}, false)
	apply(t, f, &Record{Task: Root, Left: nil}, false) // who has not heard of it
	apply(t, f, &Record{Task: Root, Number: 1, Tries: 2, Left: &Task{ID: Root, Begin: -1}}, false)
	if _, err := f.Apply(&Record{Task: Root, Number: 2, Tries: 3, Left: &Task{ID: Root, Begin: 5}}); err == nil {
		t.Error("something else is left when a task is taken up again")
	}
	if p, next := f.Task(Root); p == nil || !p.Fresh() || next != 2 {
		t.Fatalf("task %+v, record %d", p, next)
	}
	apply(t, f, &Record{Task: Root, Number: 2}, true)
	if !f.Done() {
		t.Fatal("not done")
	}
}

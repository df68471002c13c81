package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	"cdpor/explore/internal/outcomes"
	"cdpor/explore/internal/stateset"

	"pgregory.net/rapid"
)

// written is what write writes.
func written(t *testing.T, write func(*bufio.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if err := write(w); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	return b.Bytes()
}

func reader(text []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(text)) }

// TestStack reads levels of each kind as they were written, and refuses all that end too early.
func TestStack(t *testing.T) {
	levels := []Level{
		{Action: 3, Backtrack: []int32{0, 255}, Sleep: []int32{7}, Tried: 2, Begun: 1 << 40, Sibling: 5},
		{Action: 1, Backtrack: []int32{1}, Reordered: []int32{4, 5}},
		{Action: 2, Wakeup: []int32{1, 0}, Slept: []int32{9}, Visit: &Visit{Partial: true}, Shared: 3},
		{Begun: 1},
	}
	s := Stack{Count: len(levels), Level: func(d int) Level { return levels[d] }}
	text := written(t, s.Write)
	for n := range len(text) + 1 {
		got := Stack{Count: len(levels)}
		err := got.ReadFrom(reader(text[:n]))
		if n < len(text) && err == nil {
			t.Fatalf("%d of %d bytes are taken for all", n, len(text))
		}
		if n == len(text) && (err != nil || !reflect.DeepEqual(got.Read, levels)) {
			t.Fatalf("%v: %v, not %v", err, got.Read, levels)
		}
	}
	unknown := Stack{Count: 1}
	if err := unknown.ReadFrom(reader([]byte{disabledLevel + 1})); err == nil {
		t.Error("a level of an unknown kind is accepted")
	}
}

// TestEnds adds up what two workers have found, refuses what ends too early or says that more follows than there is,
// and tells what fits a program.
func TestEnds(t *testing.T) {
	var sets [2]outcomes.Set
	sets[0].Put(stateset.EncodeWords(nil, []int64{-1, 5}), []byte{1, 2, 9}, 2)
	sets[0].Put(stateset.EncodeWords(nil, []int64{0, 0}), []byte{3}, 1)
	sets[1].Put(stateset.EncodeWords(nil, []int64{-1, 5}), []byte{4, 2}, 3)
	var s Ends
	for i := range sets {
		s.Add(&sets[i])
	}
	text := written(t, s.Write)
	for n := range len(text) {
		if got := (Ends{Counts: s.Counts}); got.Read(reader(text[:n])) == nil {
			t.Fatalf("%d of %d bytes are taken for all", n, len(text))
		}
	}
	got := Ends{Counts: s.Counts}
	if err := got.Read(reader(text)); err != nil {
		t.Fatal(err)
	}
	want := map[int64]outcomes.Outcome{
		-1: {Words: []int64{-1, 5}, Count: 5, Schedule: []int32{4, 2}},
		0:  {Words: []int64{0, 0}, Count: 1, Schedule: []int32{3}},
	}
	if got.Found.Len() != len(want) {
		t.Fatalf("%d ends, not %d", got.Found.Len(), len(want))
	}
	for _, o := range got.Found.All() {
		if !reflect.DeepEqual(o, want[o.Words[0]]) {
			t.Errorf("%v, not %v", o, want[o.Words[0]])
		}
	}
	for _, fit := range []struct {
		words, actions int
		want           bool
	}{{2, 5, true}, {-1, 5, true}, {1, 5, false}, {3, 5, false}, {2, 4, false}} {
		if got.Fit(fit.words, fit.actions) != fit.want {
			t.Errorf("%d words and %d actions: %v", fit.words, fit.actions, !fit.want)
		}
	}
	long := binary.AppendUvarint([]byte{1, 0}, 1<<60)
	if err := (&Ends{Counts: []int{1}}).Read(reader(long)); err == nil {
		t.Error("a length beyond the end is accepted")
	}
	if err := (&Ends{Counts: []int{1}}).Read(reader([]byte{1, 1, 0, 0, 0})); err == nil {
		t.Error("the first outcome begins as one before it does")
	}
}

// TestEndsBuffers writes many ends and reads them through buffers of which each holds a few, byte by byte and all at
// once, with something behind them that is left to others.
func TestEndsBuffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var set outcomes.Set
		most := 0
		for n := range rapid.IntRange(0, 60).Draw(t, "ends") {
			words := []int64{int64(n / 7), int64(n), rapid.Int64().Draw(t, "word")}
			schedule := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "schedule")
			set.PutNew(stateset.EncodeWords(nil, words), schedule, rapid.Int64Range(1, 1<<40).Draw(t, "count"))
			for _, a := range schedule {
				most = max(most, int(a))
			}
		}
		var s Ends
		s.Add(&set)
		var text bytes.Buffer
		w := bufio.NewWriter(&text)
		if err := errors.Join(s.Write(w), w.Flush()); err != nil {
			t.Fatal(err)
		}
		text.WriteString("behind")
		var from io.Reader = &text
		if rapid.Bool().Draw(t, "byte by byte") {
			from = iotest.OneByteReader(from)
		}
		r := bufio.NewReaderSize(from, rapid.IntRange(16, 200).Draw(t, "buffer"))
		got := Ends{Counts: s.Counts}
		if err := got.Read(r); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(r); err != nil || string(rest) != "behind" {
			t.Fatalf("%q, %v, is left", rest, err)
		}
		for i := range set.Len() {
			if !reflect.DeepEqual(got.Found.At(i), set.At(i)) {
				t.Fatalf("end %d is %v, not %v", i, got.Found.At(i), set.At(i))
			}
		}
		if got.Found.Len() != set.Len() || !got.Fit(3, most+1) || most > 0 && got.Fit(3, most) {
			t.Fatalf("%d ends of %d, with actions up to %d", got.Found.Len(), set.Len(), most)
		}
	})
}

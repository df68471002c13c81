package stateset

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyWord draws words of all sizes, those at which the length of the bytes changes among them.
func anyWord() *rapid.Generator[int64] {
	edge := rapid.Custom(func(t *rapid.T) int64 {
		w := int64(1)<<rapid.IntRange(0, 62).Draw(t, "bit") + rapid.Int64Range(-1, 1).Draw(t, "beside")
		if rapid.Bool().Draw(t, "negative") {
			w = -w
		}
		return w
	})
	return rapid.OneOf(rapid.Int64(), edge, rapid.Int64Range(-2*smallWord, 2*smallWord),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}))
}

// TestWordBytes holds that words come back, and that vectors compare as their bytes do.
func TestWordBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "words")
		a := rapid.SliceOfN(anyWord(), n, n).Draw(t, "a")
		b := slices.Clone(a)
		for i := range b {
			if rapid.Bool().Draw(t, "other") {
				b[i] = anyWord().Draw(t, "b")
			}
		}
		one, other := EncodeWords(nil, a), EncodeWords(nil, b)
		if back := DecodeWords(one); !slices.Equal(back, a) {
			t.Errorf("%v came back as %v", a, back)
		}
		if words, ok := CountWords(one); !ok || words != n {
			t.Errorf("%v has %d words, not %d", one, words, n)
		}
		if got, want := bytes.Compare(one, other), slices.Compare(a, b); got != want {
			t.Errorf("the bytes of %v and %v compare as %d, not %d", a, b, got, want)
		}
	})
	if got := len(EncodeWords(nil, []int64{0, 111, -1, -112})); got != 4 {
		t.Errorf("four small words take %d bytes", got)
	}
}

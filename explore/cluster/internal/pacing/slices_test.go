package pacing

import (
	"testing"
	"time"
)

// TestDearRecords: what takes long to write down is written down less often.
func TestDearRecords(t *testing.T) {
	const slice = 10 * time.Millisecond
	s := NewSlices(slice)
	s.Recorded(true, dearRecord/2)
	if !s.Over(slice) || !s.MayGive(0) {
		t.Error("a record that takes no time keeps from the next one")
	}
	took := 2 * dearRecord
	s.Recorded(true, took)
	if s.Over(slice) || s.Over(dearSlice*took-1) || !s.Over(dearSlice*took) {
		t.Error("a slice after a record that has taken long is as short as others")
	}
	if s.Recorded(false, longestDear); !s.Over(longestDear) {
		t.Error("what is lost when a worker dies may be any amount")
	}
	s.Recorded(true, took)
	if s.MayGive(dearGift*took-1) || !s.MayGive(dearGift*took) {
		t.Error("something is given away at once after a record that has taken long")
	}
}

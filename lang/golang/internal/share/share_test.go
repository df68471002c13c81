package share

import "testing"

// TestOverlap: two paths name common memory if one of them begins with the other.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b []int
		want bool
	}{
		{nil, []int{1, 2}, true},
		{[]int{1}, []int{1, 2}, true},
		{[]int{1, 2}, []int{1, 3}, false},
		{[]int{0}, []int{1}, false},
	} {
		if Overlap(c.a, c.b) != c.want || Overlap(c.b, c.a) != c.want {
			t.Errorf("%v and %v: overlap %v", c.a, c.b, !c.want)
		}
	}
}

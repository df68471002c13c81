package slice_test

import (
	"testing"

	"cdpor/lang/slice"
)

// TestModes compares slices with and without contexts, of all shipped programs for all their criteria: each shared
// variable, each final property, each assertion. Counted are the lines that hold steps, before the slice is a text.
func TestModes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	var criteria, all int
	var total [2][2]int
	for _, path := range shipped(t) {
		p := load(t, path).Program
		list := topics(p)
		if len(list) == 0 {
			continue
		}
		code := map[int]bool{}
		for _, th := range p.Templates {
			for _, n := range th.Nodes {
				code[n.Pos.Line] = true
			}
		}
		var lines [2][2]int
		for _, preserve := range []slice.Preserve{slice.Deadlock, slice.Values} {
			g := slice.New(p, preserve)
			for _, c := range list {
				var of [2]int
				for _, mode := range []slice.Mode{slice.Context, slice.Insensitive} {
					r, err := g.Slice(c.c, mode, 0, nil)
					if err != nil {
						continue // an assertion that is never reached
					}
					of[mode] = len(r.Lines())
					lines[preserve][mode] += of[mode]
				}
				if of[slice.Context] > of[slice.Insensitive] {
					t.Errorf("%s for %s (preserve %d): %d lines with contexts, %d without", path, c.name,
						preserve, of[0], of[1])
				}
			}
		}
		criteria, all = criteria+len(list), all+len(code)*len(list)
		for i := range total {
			for j := range total[i] {
				total[i][j] += lines[i][j]
			}
		}
	}
	var want [2][2]int
	want[slice.Values][slice.Context], want[slice.Values][slice.Insensitive] = 3234, 3340
	want[slice.Deadlock][slice.Context], want[slice.Deadlock][slice.Insensitive] = 5463, 5474
	if total != want || criteria != 710 || all != 6334 {
		t.Errorf("%d criteria, %d lines, in slices %v, not %v", criteria, all, total, want)
	}
}

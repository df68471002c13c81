package slice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/lang/slice"
)

const modesPage = "../../testdata/tables/slices.md"

const modesHead = `# Slices with and without contexts

Lines of code of the slices of all shipped programs, summed over their criteria (each shared variable, each final
property, each assertion): exact slices, which follow calls and interference only where an execution can (*context*),
and slices that follow all of them (*insensitive*); "Modes" in lang/slice/README.md. ` + "`values`" + ` and ` + "`deadlock`" + ` are
what the slice preserves. Counted in the lines that hold steps, before the slice is made a text again. Listed are the
programs in which the modes differ. Written anew by: go test ./lang/slice -run TestModes -update

| program | criteria | lines | values: context | insensitive | deadlock: context | insensitive |
|---|---|---|---|---|---|---|
`

// TestModes compares slices with and without contexts, of all shipped programs for all their criteria.
func TestModes(t *testing.T) {
	var page strings.Builder
	page.WriteString(modesHead)
	row := func(name string, criteria, all int, lines [2][2]int) {
		v, d := lines[slice.Values], lines[slice.Deadlock]
		fmt.Fprintf(&page, "| %s | %d | %d | %d | %d | %d | %d |\n",
			name, criteria, all, v[slice.Context], v[slice.Insensitive], d[slice.Context], d[slice.Insensitive])
	}
	var criteria, all, smaller int
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
				if of[slice.Context] < of[slice.Insensitive] {
					smaller++
				}
			}
		}
		if differs := func(of [2]int) bool { return of[slice.Context] != of[slice.Insensitive] }; slices.ContainsFunc(
			lines[:], differs) {
			row(strings.TrimSuffix(filepath.Base(path), ".yaml"), len(list), len(code)*len(list), lines)
		}
		criteria, all = criteria+len(list), all+len(code)*len(list)
		for i := range total {
			for j := range total[i] {
				total[i][j] += lines[i][j]
			}
		}
	}
	row("**all**", criteria, all, total)
	if smaller == 0 {
		t.Error("no slice with contexts is smaller")
	}
	if *update {
		if err := os.WriteFile(modesPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(modesPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", modesPage, diff)
	}
}

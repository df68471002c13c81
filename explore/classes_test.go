package explore

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/step"
)

// classes counts the equivalence classes of the complete interleavings of a program under a relation in two ways that
// know nothing of the search: the distinct happens-before graphs, and the components under swapping adjacent
// independent steps. ok is false when there are more than limit interleavings. Dropped executions are left out.
func classes(m *step.Machine, rel relationAt, limit int) (graphs, components int, ok bool) {
	var words [][]int
	r := m.NewRunner()
	ends := 0 // dropped ones included
	var walk func(s step.State, word []int) bool
	walk = func(s step.State, word []int) bool {
		stuck := true
		for a := range m.NumActions() {
			if r.CanTake(s, a) {
				stuck = false
				next := slices.Clone(s)
				r.Take(next, a)
				if !walk(next, append(word, a)) {
					return false
				}
			}
		}
		if stuck && m.EndingOf(s) != step.Cut {
			words = append(words, slices.Clone(word))
		}
		if stuck {
			ends++
		}
		return len(words) <= limit && ends <= 20*limit
	}
	if !walk(m.Initial(), nil) {
		return 0, 0, false
	}
	seen := map[string]bool{}
	number := map[string]int{}
	for i, w := range words {
		seen[graph(m, rel, w)] = true
		number[fmt.Sprint(w)] = i
	}
	parent := make([]int, len(words))
	for i := range parent {
		parent[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if parent[i] != i {
			parent[i] = find(parent[i])
		}
		return parent[i]
	}
	components = len(words)
	for i, w := range words {
		s := m.Initial()
		for k := 0; k+1 < len(w); k++ {
			if p, q := m.ProcOf(w[k]), m.ProcOf(w[k+1]); p != q && !m.Asleep(s, q) && rel(s, p, q) {
				swapped := slices.Clone(w)
				swapped[k], swapped[k+1] = w[k+1], w[k]
				if j, ok := number[fmt.Sprint(swapped)]; ok && find(i) != find(j) {
					parent[find(i)] = find(j)
					components--
				}
			}
			r.Take(s, w[k])
		}
	}
	return len(seen), components, true
}

// graph computes the happens-before graph of an interleaving from its definition and prints it in a form that does not
// depend on the order of unrelated events.
func graph(m *step.Machine, rel relationAt, w []int) string {
	r := m.NewRunner()
	states := []step.State{m.Initial()}
	for _, a := range w {
		s := slices.Clone(states[len(states)-1])
		r.Take(s, a)
		states = append(states, s)
	}
	past := make([][]bool, len(w))
	var lines []string
	count := map[int]int{}
	names := make([]uint32, len(w))
	for n, a := range w {
		p := m.ProcOf(a)
		past[n] = make([]bool, len(w))
		take := func(e int) {
			past[n][e] = true
			for f, in := range past[e] {
				past[n][f] = past[n][f] || in
			}
		}
		for e := n - 1; e >= 0; e-- {
			if m.ProcOf(w[e]) == p {
				take(e)
			} else if !past[n][e] {
				s, possible := slices.Clone(states[e]), true
				for f := e + 1; f < n && possible; f++ {
					if past[n][f] {
						if possible = r.CanTake(s, w[f]); possible {
							r.Take(s, w[f])
						}
					}
				}
				if !possible || m.Asleep(s, p) || !rel(s, m.ProcOf(w[e]), p) {
					take(e)
				}
			}
		}
		count[p]++
		names[n] = uint32(a)<<16 | uint32(count[p])
		var before []uint32
		for e, in := range past[n] {
			if in {
				before = append(before, names[e])
			}
		}
		slices.Sort(before)
		line := binary.BigEndian.AppendUint32(nil, names[n])
		line = binary.BigEndian.AppendUint32(line, uint32(len(before)))
		for _, e := range before {
			line = binary.BigEndian.AppendUint32(line, e)
		}
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

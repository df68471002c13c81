package symmetry_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore/internal/symmetry"
	"cdpor/lang/langtest"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// ends are the different states in which nobody can go on, at most so many, of a search that visits at most so many.
func ends(m *step.Machine, most, visits int) (list []step.State) {
	r := m.NewRunner()
	seen := map[string]bool{}
	for todo := []step.State{m.Initial()}; len(todo) > 0 && len(list) < most && len(seen) < visits; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		end := true
		for a := range m.NumActions() {
			if !r.CanTake(s, a) {
				continue
			}
			next := slices.Clone(s)
			r.Take(next, a)
			if end = false; !seen[string(next.Bytes())] {
				seen[string(next.Bytes())] = true
				todo = append(todo, next)
			}
		}
		if end {
			list = append(list, s)
		}
	}
	return list
}

// places are where the threads stand, those of one template in ascending order.
func places(m *step.Machine, s step.State) string {
	at := map[string][]int64{}
	for i, p := range m.Program.Procs {
		at[p.Template.Name] = append(at[p.Template.Name], s[m.LocalBase(i)-1])
	}
	for _, list := range at {
		slices.Sort(list)
	}
	return fmt.Sprint(at)
}

// TestAtEnds counts what is the same but for which of the threads that were started is which.
func TestAtEnds(t *testing.T) {
	for _, c := range []struct {
		name          string
		text          string
		ends, classes int
	}{
		{"one of three is received from", `cdpor: 1
shared: {c: "chan[int]"}
bounds: {w: 3}
threads:
  main: |
    for i in 1..3 { spawn w() }
    let x = recv c
  w: {params: [], run: "send c, 1"}`, 6, 1},
		{"they send what tells them apart", `cdpor: 1
shared: {c: "chan[int]"}
bounds: {w: 3}
threads:
  main: |
    for i in 1..3 { spawn w(i) }
    let x = recv c
  w: {params: [k int], run: "send c, k"}`, 6, 6},
		{"the last holds the lock", `cdpor: 1
shared: {m: mutex, n: int}
bounds: {w: 3}
threads:
  main: for i in 1..3 { spawn w() }
  w: {params: [], run: "lock m; n += 1; if n < 2 { unlock m }"}`, 6, 1},
		{"one that has ended is joined, or one that waits", `cdpor: 1
shared: {c: "chan[int]"}
bounds: {w: 2}
threads:
  main: |
    let h = spawn w()
    spawn w()
    let x = recv c
    join h
  w: {params: [], run: "send c, 1"}`, 2, 2},
		{"one of them is joined", `cdpor: 1
shared: {a: bool}
bounds: {v: 1, w: 2}
threads:
  main: |
    spawn v()
    var hs list[tid, 2]
    for i in 1..2 { let h = spawn w(); hs.append(h) }
    let one = hs[any(0..1)]
    join one
  v: {params: [], run: await a}
  w: {params: [], run: await a}`, 2, 1},
		{"of two kinds", `cdpor: 1
shared: {c: "chan[int]", d: "chan[int]"}
bounds: {v: 2, w: 2}
threads:
  main: |
    for i in 1..2 { spawn v(); spawn w() }
    let x = recv c
    let y = recv d
  v: {params: [], run: "send c, 1"}
  w: {params: [], run: "send d, 1"}`, 4, 1},
	} {
		m := langtest.Machine(t, c.name, c.text, nil)
		list := ends(m, 100, 100_000)
		if n := 1 + slices.Max(symmetry.AtEnds(m).Classes(list)); len(list) != c.ends || n != c.classes {
			t.Errorf("%s: %d classes of %d ends, not %d of %d", c.name, n, len(list), c.classes, c.ends)
		}
	}
}

// TestAtEndsRandom: in what is called the same, threads stand at the same places.
func TestAtEndsRandom(t *testing.T) {
	merged := 0
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		m := langtest.Machine(t, "random", random.Program(r, random.Draw(r)), nil)
		list := ends(m, 60, 3000)
		of := map[int]string{}
		for i, class := range symmetry.AtEnds(m).Classes(list) {
			at := places(m, list[i])
			if first, known := of[class]; !known {
				of[class] = at
			} else if merged++; first != at {
				t.Errorf("seed %d: called the same: %s and %s", seed, first, at)
			}
		}
	}
	if merged == 0 {
		t.Error("nothing was called the same")
	}
}

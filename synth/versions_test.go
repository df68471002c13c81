//go:build cgo && !noz3

package synth

import (
	"context"
	"math/rand"
	"regexp"
	"strconv"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/random"
)

// TestVersionsAgainstInterpreter holds what DiffVersions says of a random program and of one in which a number is
// another one against the states of the latter: nowhere does a condition hold that is gone.
func TestVersionsAgainstInterpreter(t *testing.T) {
	session, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`(?m)[+-]?= \d\b|[<>=] \d\b`)
	seen := map[Change]int{}
	for i := 0; i < *flagN/3 || len(seen) < 4 && i < 2**flagN; i++ { // until there has been every change
		seed := *flagSeed + int64(i)
		r := rand.New(rand.NewSource(seed))
		before := random.Program(r, random.Draw(r))
		at := number.FindAllStringIndex(before, -1)
		if len(at) == 0 {
			continue
		}
		end := at[r.Intn(len(at))][1]
		after := before[:end-1] + strconv.Itoa(int(before[end-1]-'0')+1) + before[end:]
		if _, err := lang.Load("random.yaml", []byte(after), lang.Options{}); err != nil {
			continue // the number is beyond a range
		}
		var sets [2]*constraints.Set
		for k, text := range []string{before, after} {
			if sets[k], _, err = session.Synthesize(context.Background(), load(t, text)); err != nil {
				t.Fatal(err)
			}
		}
		list, err := DiffVersions(context.Background(), sets[0], sets[1], Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, after)
		}
		changes := map[[2]string]*Difference{}
		for _, d := range list {
			if d.New != nil {
				changes[[2]string{d.New.A.Name(), d.New.B.Name()}] = d
			}
			seen[d.Commute]++
		}
		c := newReachable(t, sets[1], r, seed, 60)
		old := constraints.Carry(sets[0], sets[1].Program).Set.Compile(c.m)
		for _, s := range c.states {
			for p := range c.m.NumProcs() {
				for q := range c.m.NumProcs() {
					a, b := c.m.StepOf(s, p), c.m.StepOf(s, q)
					if p == q || a == nil || b == nil {
						continue
					}
					d := changes[[2]string{a.Name(), b.Name()}]
					if d == nil {
						continue // the other way round, or without common data
					}
					was, is := c.holds(old.Commute(p, a, q, b), s), c.holds(c.c.Commute(p, a, q, b), s)
					if was && !is && (d.Commute == Equal || d.Commute == Weaker) ||
						is && !was && (d.Commute == Equal || d.Commute == Stronger) {
						t.Fatalf("seed %d: commute of %s and %s is said to be %s; before %t, now %t\n%s", seed,
							a.Name(), b.Name(), d.Commute, was, is, after)
					}
				}
			}
		}
	}
	t.Log(seen)
	for _, change := range []Change{Equal, Weaker, Stronger, Incomparable} {
		if seen[change] == 0 {
			t.Errorf("no pair is %s", change)
		}
	}
}

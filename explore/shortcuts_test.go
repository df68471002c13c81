package explore

import (
	"errors"
	"flag"
	"io/fs"
	"math/rand"
	"os"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/states"
	"cdpor/explore/oracle"
	"cdpor/lang/random"
)

var find = flag.Bool("find", false, "look for random programs that are traps")

// What a search that stops at visited states or has sleep sequences may not leave out, and the trap that loses
// something without it.
var leftOut = map[string]struct {
	shortcuts executions.Shortcuts
	traps     []string
}{
	"nothing is paid": {executions.Shortcuts{Unpaid: true}, []string{"trap12", "trap16"}},
	"paying with the process of the later step":    {executions.Shortcuts{OwnOnly: true}, []string{"trap13", "trap14"}},
	"stored sleep is ignored":                      {executions.Shortcuts{AnySleep: true}, []string{"trap15"}},
	"what follows state sleepers is left out":      {executions.Shortcuts{Unfollowed: true}, []string{"trap17"}},
	"what was explored earlier sleeps in children": {executions.Shortcuts{ExploredSleep: true}, []string{"trap18"}},
	"what slept is taken as races ask for": {executions.Shortcuts{Sparing: true},
		[]string{"slept-at-an-earlier-visit"}},
	"cycles are not widened": {executions.Shortcuts{NarrowCycles: true}, []string{"trap19"}},

	"sleepers are not compensated for": {executions.Shortcuts{LeftOut: dpor.LeftOut{Compensation: true}},
		[]string{"sleeper-in-a-sequence"}},
	"nothing is tried where a node is given up": {executions.Shortcuts{LeftOut: dpor.LeftOut{Cuts: true}},
		[]string{"relied-on-a-sleeper"}},
	"the order of a swap begins anywhere": {executions.Shortcuts{LeftOut: dpor.LeftOut{Explored: true}},
		[]string{"relied-on-a-sleeper"}},
	"all before a sequence is spared": {executions.Shortcuts{LeftOut: dpor.LeftOut{Relation: true}},
		[]string{"relied-on-a-sleeper"}},
}

// loses reports whether a search of a program with shortcuts finds something else than there is, in one of some ways
// to search.
func loses(text string, s executions.Shortcuts) (bool, error) {
	m, err := load(text)
	if err != nil {
		return false, err
	}
	g, err := oracle.Search(m, maxStates)
	if err != nil {
		return false, err
	}
	for _, a := range []*Algorithm{dpor.SourceAlgorithm, dpor.ClassicAlgorithm, dpor.ContextAlgorithm,
		dpor.ConstrainedAlgorithm} {
		for seed := range int64(80) {
			opt := Options{Visited: seed%2 == 1 || g.Cyclic, Seed: seed / 2, NoGuide: seed/2%2 == 1,
				NoAnticipate: seed/2%4 > 1, MaxExecutions: maxExecutions}
			if a == dpor.ConstrainedAlgorithm {
				opt.Conditions = &lazyTable{m: m, rng: rand.New(rand.NewSource(seed))}
			}
			tuned := &tuning{few: happens.Few, crowd: states.Crowd, shortcuts: s}
			err := compareVariant(m, g, variant{algorithm: a, opt: opt, tuning: tuned, cyclic: true})
			if err != nil {
				return !errors.Is(err, oracle.ErrLimit), nil
			}
		}
	}
	return false, nil
}

// TestShortcuts leaves out what makes cuts at visited states and sleep sequences sound, one thing after the other: a
// trap loses something then, and nothing otherwise.
func TestShortcuts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	for what, c := range leftOut {
		for _, trap := range c.traps {
			text, err := os.ReadFile("../testdata/traps/" + trap + ".yaml")
			for _, folder := range []string{"", "endless/"} { // these have executions without end
				if errors.Is(err, fs.ErrNotExist) {
					text, err = os.ReadFile("testdata/regressions/" + folder + trap + ".yaml")
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []executions.Shortcuts{{}, c.shortcuts} {
				lost, err := loses(string(text), s)
				if err != nil {
					t.Fatal(err)
				}
				if lost != (s != executions.Shortcuts{}) {
					t.Errorf("%s, shortcuts %+v (%s): something is lost: %t", trap, s, what, lost)
				}
			}
		}
	}
}

// TestFindShortcut looks for random programs that lose something when something is left out, and shows them: go test
// ./explore -run TestFindShortcut -v -args -find
func TestFindShortcut(t *testing.T) {
	if !*find {
		t.Skip("-find looks for more traps")
	}
	for what, c := range leftOut {
		if *only != "" && *only != what {
			continue
		}
		for i := range int64(*programs) {
			text := drawProgram(rand.New(rand.NewSource(*seed + i)))
			if lost, err := loses(text, c.shortcuts); err != nil && !errors.Is(err, oracle.ErrLimit) {
				t.Fatal(err)
			} else if !lost {
				continue
			}
			small := random.Shrink(text, func(text string) bool {
				lost, err := loses(text, c.shortcuts)
				return lost && err == nil
			})
			t.Logf("%s: seed %d, after %d programs\n%s", what, *seed+i, i+1, small)
			break
		}
	}
}

package explore

import (
	"context"
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/oracle"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

// An inspector is an observer that checks what it is told: against itself, and in the end against the result.
type inspector struct {
	stack     []*observed
	announced bool // a step has been announced and neither entered nor skipped
	action    int
	limit     int // steps it wants to hear of; 0: all
	steps     int
	after     int          // calls after it had enough
	back      map[int]bool // the nodes that ended at a visited state

	nodes, left, races, removed, sequences int64
	skipped                                map[Skipped]int64
	ended                                  map[LeafKind]int64
	inserted                               map[Reason]int64
	wrong                                  string
}

type observed struct {
	sleepers Sleepers
	planned  [][]int32
	taken    []int
	ends     []LeafKind
}

func newInspector() *inspector {
	return &inspector{back: map[int]bool{}, skipped: map[Skipped]int64{}, ended: map[LeafKind]int64{},
		inserted: map[Reason]int64{}}
}

func (i *inspector) expect(ok bool, format string, args ...any) {
	if i.limit > 0 && i.steps >= i.limit {
		i.after++
	}
	if !ok && i.wrong == "" {
		i.wrong = fmt.Sprintf(format, args...)
	}
}

func (i *inspector) top() *observed { return i.stack[len(i.stack)-1] }

func (i *inspector) Step(action int) bool {
	i.expect(len(i.stack) > 0 && !i.announced, "step %d is announced beside another", action)
	n := i.top()
	asleep := slices.Contains(n.sleepers.Explored, action) || slices.Contains(n.sleepers.SameState, action)
	i.expect(!asleep && !slices.Contains(n.taken, action),
		"action %d is taken although it is asleep or was taken before", action)
	n.taken = append(n.taken, action)
	i.announced, i.action = true, action
	i.steps++
	return i.limit == 0 || i.steps < i.limit
}

func (i *inspector) Race(r Race) {
	depth := len(i.stack) - 1
	ofStep := i.announced && r.Depth == depth && r.Action == i.action
	i.expect(r.With < r.Depth, "a race with step %d of a step taken at depth %d", r.With, r.Depth)
	i.expect(ofStep || !i.announced && r.Depth == depth || i.announced && r.Depth == depth+1,
		"a race at depth %d, at a node at depth %d", r.Depth, depth)
	switch {
	case r.Kind == engine.RemovedRace:
		i.removed++
	case ofStep:
		i.races++
	}
}

func (i *inspector) Insert(n Insertion) {
	i.expect(n.Depth < len(i.stack) && n.By <= len(i.stack),
		"an insertion at depth %d because of a step at %d, at a node at depth %d", n.Depth, n.By, len(i.stack)-1)
	at := i.stack[n.Depth]
	at.planned = append(at.planned, slices.Clone(n.Actions))
	i.inserted[n.Why]++
}

func (i *inspector) Sequence(depth int, actions []int32) {
	i.expect(i.announced && depth < len(i.stack) && len(actions) > 1, "a sleep sequence %v at depth %d", actions, depth)
	i.sequences++
}

func (i *inspector) Enter(asleep Sleepers, _ []int) {
	i.expect(i.announced == (len(i.stack) > 0), "a node is entered without a step")
	i.announced = false
	i.stack = append(i.stack,
		&observed{sleepers: Sleepers{Explored: slices.Clone(asleep.Explored),
			SameState: slices.Clone(asleep.SameState)}})
	i.nodes++
}

func (i *inspector) Skip(why Skipped, asleep Sleepers) {
	i.expect(i.announced, "a child is skipped without a step")
	i.expect(why != SkippedAsleep || len(asleep.Explored)+len(asleep.SameState) > 0,
		"a child is skipped although nothing sleeps there")
	i.announced = false
	i.skipped[why]++
}

func (i *inspector) Known(node int) {
	i.expect(!i.announced && node >= 0 && node < i.steps, "node %d goes back to %d", i.steps, node)
	i.expect(!i.back[node], "node %d goes back to %d, which goes back as well", i.steps, node)
	i.back[i.steps] = true
}

func (i *inspector) End(why LeafKind) {
	n := i.top()
	i.expect(why != EndsVisited || i.back[i.steps], "a node goes back to nowhere")
	i.expect(!i.announced && len(n.taken) == 0, "a node from which something was taken ends %s", why)
	n.ends = append(n.ends, why)
	i.ended[why]++
}

func (i *inspector) Leave(done bool) {
	n := i.top()
	i.expect(!done || len(n.ends) > 0 || len(n.taken) > 0, "a node is done without a reason")
	for _, a := range n.taken {
		planned := slices.ContainsFunc(n.planned, func(s []int32) bool { return int(s[0]) == a })
		i.expect(planned || len(n.planned) == 0 && i.inserted[dpor.Begins] == 0,
			"action %d is taken, and nobody said that it would be: %v", a, n.planned)
	}
	i.stack = i.stack[:len(i.stack)-1]
	i.left++
}

// disagrees says what the result of a search has otherwise than the observer was told.
func (i *inspector) disagrees(r *Result) string {
	if i.wrong != "" {
		return i.wrong
	}
	if len(i.stack) > 0 || i.nodes != i.left {
		return fmt.Sprintf("%d nodes were entered and %d left", i.nodes, i.left)
	}
	races := i.races
	told := []int64{i.nodes, i.removed, i.sequences, i.skipped[SkippedAsleep], races, i.ended[EndsNormally],
		i.ended[EndsDeadlock], i.ended[EndsFailed], i.ended[EndsDropped], i.ended[EndsCut], i.ended[EndsBlocked],
		i.ended[EndsVisited]}
	counted := []int64{r.Nodes, r.Constraints.Removed, r.Sequences, r.Virtual, r.Races, r.Ended, r.Deadlocked,
		r.Failed, r.Dropped, r.Cut, r.Blocked, r.Revisits + r.Cycles}
	if !slices.Equal(told, counted) {
		return fmt.Sprintf("told of %v, counted %v (nodes, removed races, sequences, virtual cuts, races, endings)",
			told, counted)
	}
	return ""
}

// TestObserver explores programs with an observer and without: the results must be the same, and what the observer was
// told must agree with them.
func TestObserver(t *testing.T) {
	files, err := filepath.Glob("testdata/regressions/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no regressions", err)
	}
	machines := map[string]*step.Machine{}
	for _, path := range files {
		machines[filepath.Base(path)] = loadFile(t, path, nil)
	}
	for _, name := range []string{
		"producer-consumer", "dining-philosophers", "check-then-act", "cas", "readers", "mailbox-ping-stop",
	} {
		machines[name] = shipped(t, name, nil)
	}
	seen := newInspector()
	for name, m := range machines {
		g, err := oracle.Search(m, maxStates)
		endless := err == nil && g.Cyclic
		conditions := []Conditions{nil}
		if table, err := newTable(m, rand.New(rand.NewSource(1)), maxStates); err == nil {
			conditions = append(conditions, table)
		}
		for _, a := range Algorithms() {
			for k, c := range conditions {
				for _, opt := range []Options{
					{}, {MaxDepth: 4}, {MaxExecutions: 3}, {Preempt: true, Preemptions: 1},
					{Visited: true},
				} {
					if opt.Visited && !a.Visits {
						continue
					}
					if endless && !opt.Visited && !a.Stateful { // what is cut does not count as an execution
						opt.MaxDepth = 5
					}
					if opt.MaxExecutions == 0 {
						opt.MaxExecutions = 300
					}
					opt.Conditions = c
					want, err := Run(context.Background(), m, a, opt)
					if err != nil {
						t.Fatal(err)
					}
					i := newInspector()
					opt.Observer = i
					got, err := Run(context.Background(), m, a, opt)
					if err != nil {
						t.Fatal(err)
					}
					at := fmt.Sprintf("%s, %s, conditions %d, %+v", name, a.Name, k, opt)
					if diff := cmp.Diff(want, got, byIdentity); diff != "" {
						t.Fatalf("%s: an observer makes a difference (-without +with):\n%s", at, diff)
					}
					if wrong := i.disagrees(got); wrong != "" {
						t.Fatalf("%s: %s", at, wrong)
					}
					for why, n := range i.ended {
						seen.ended[why] += n
					}
					for why, n := range i.skipped {
						seen.skipped[why] += n
					}
					for why, n := range i.inserted {
						seen.inserted[why] += n
					}
				}
			}
		}
	}
	for _, why := range []LeafKind{
		EndsNormally, EndsDeadlock, EndsFailed, EndsCut, EndsBlocked, EndsHopeless, EndsVisited,
	} {
		if seen.ended[why] == 0 {
			t.Errorf("no node ended %s", why)
		}
	}
	for _, why := range []Skipped{SkippedAsleep, SkippedSeen} {
		if seen.skipped[why] == 0 {
			t.Errorf("no child was skipped: %s", why)
		}
	}
	for _, why := range []Reason{dpor.Begins, dpor.Continues, dpor.Reverses, dpor.Places, dpor.Alternative,
		dpor.Compensation} {
		if seen.inserted[why] == 0 {
			t.Errorf("nothing was inserted: %s", why)
		}
	}
}

// TestObserverEnough checks that nothing is told to an observer that has seen enough, and that the search goes on.
func TestObserverEnough(t *testing.T) {
	m := shipped(t, "producer-consumer", nil)
	for _, a := range Algorithms() {
		i := newInspector()
		i.limit = 7
		got, err := Run(context.Background(), m, a, Options{Observer: i})
		if err != nil {
			t.Fatal(err)
		}
		if i.after != 0 || i.steps != i.limit || i.wrong != "" || got.Nodes < 10 {
			t.Errorf("%s: %d calls after %d steps, %d nodes %s", a.Name, i.after, i.steps, got.Nodes, i.wrong)
		}
	}
}

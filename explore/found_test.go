package explore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

// faulty are shipped programs with something wrong: failures in several threads, deadlocks, broken final conditions,
// invariants and transitions.
var faulty = []struct {
	name   string
	params map[string]string
}{
	{"check-then-act", map[string]string{"CONSUMERS": "4"}}, {"rwlock-upgrade", nil}, {"accounts-broken", nil},
	{"peterson-broken", nil}, {"semaphore-barrier-broken", nil}, {"seqlock-broken", nil}, {"mcs-lock-broken", nil},
}

// searches are all algorithms, with one worker and with several, and with visited states.
func searches() (all []Options, algorithms []*Algorithm) {
	for _, a := range Algorithms() {
		for _, workers := range []int{1, 3} {
			for _, visited := range []bool{false, true} {
				if visited && (!a.Visits || a.Chooses) || a.Alone && workers > 1 {
					continue
				}
				all = append(all, Options{Workers: workers, Visited: visited, MaxExecutions: 2000})
				algorithms = append(algorithms, a)
			}
		}
	}
	return all, algorithms
}

// TestFound: each distinct violation is told of once, while the search is under way, with a schedule that shows it; and
// whether anybody listens changes nothing.
func TestFound(t *testing.T) {
	told := 0
	for _, f := range faulty {
		m := shipped(t, f.name, f.params)
		options, algorithms := searches()
		for i, opt := range options {
			name := fmt.Sprintf("%s %s %d %v", f.name, algorithms[i].Name, opt.Workers, opt.Visited)
			plain, err := Run(context.Background(), m, algorithms[i], opt)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var found []*Violation
			var over atomic.Bool
			opt.Found = func(v *Violation) bool {
				if over.Load() {
					t.Errorf("%s: told of a violation after the search", name)
				}
				found = append(found, v)
				return true
			}
			res, err := Run(context.Background(), m, algorithms[i], opt)
			over.Store(true)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if opt.Workers == 1 && (res.Nodes != plain.Nodes || res.Events != plain.Events ||
				res.Executions != plain.Executions || len(res.Violations) != len(plain.Violations)) {
				t.Errorf("%s: another search because somebody listens", name)
			}
			told += len(found)
			more, less := Missing(found, res.Violations), Missing(res.Violations, found)
			if len(more) > 0 || len(less) > 0 {
				t.Errorf("%s: told of %d violations that are not in the result, not of %d that are",
					name, len(more), len(less))
			}
			for j, v := range found {
				if len(Missing(found[j:j+1], found[:j])) == 0 {
					t.Errorf("%s: told twice of %s", name, v.Kind)
				}
				if shown, err := Judge(m, v.Schedule); err != nil || len(Missing([]*Violation{v}, shown)) > 0 {
					t.Errorf("%s: schedule %v does not show the %s: %v", name, v.Schedule, v.Kind, err)
				}
			}
		}
	}
	if told < 100 {
		t.Errorf("told of only %d violations", told)
	}
}

// TestFoundEnough: who has heard enough is not told more, and outcomes that are not listed are told of as well.
func TestFoundEnough(t *testing.T) {
	m := loadText(t, `
cdpor: 1
shared: {x: int, got: "array[3] int"}
threads:
  P:
    count: 3
    run: |
      got[self] = x
      x = self + 1
observe: [got]
check: {outcomes: [[[0, 0, 0]]]}
`)
	a, err := Find("source")
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	res, err := Run(context.Background(), m, a, Options{Found: func(v *Violation) bool {
		if v.Kind != OutcomeExtra || v.Schedule == nil {
			t.Errorf("told of %s", v.Kind)
		}
		heard++
		return heard < 3
	}})
	if err != nil || heard != 3 || len(res.Violations) < 10 {
		t.Errorf("heard of %d of %d violations: %v", heard, len(res.Violations), err)
	}
}

// TestStopAtFirst: every search ends when the first violation is found, and can be gone on with.
func TestStopAtFirst(t *testing.T) {
	sooner := 0
	for _, f := range faulty {
		m := shipped(t, f.name, f.params)
		options, algorithms := searches()
		for i, opt := range options {
			name := fmt.Sprintf("%s %s %d %v", f.name, algorithms[i].Name, opt.Workers, opt.Visited)
			whole, err := Run(context.Background(), m, algorithms[i], opt)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var saved bytes.Buffer
			opt.StopAtFirst = true
			opt.Checkpoint = func(stopped string, save func() *Checkpoint) {
				if stopped != StoppedFirst {
					return
				}
				if err := save().Write(&saved); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			res, err := Run(context.Background(), m, algorithms[i], opt)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if res.Verdict != Violated || res.Stopped != StoppedFirst || len(res.Violations) == 0 ||
				res.Violations[0].Schedule == nil {
				t.Errorf("%s: verdict %s, stopped: %s, %d violations",
					name, res.Verdict, res.Stopped, len(res.Violations))
				continue
			}
			if res.Nodes < whole.Nodes {
				sooner++
			}
			if opt.Workers > 1 || whole.Stopped != StoppedComplete {
				continue
			}
			cp, err := ReadCheckpoint(&saved)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			again := shipped(t, f.name, f.params)
			rest, err := Resume(context.Background(), again, cp, Options{})
			if err != nil || rest.Stopped != StoppedComplete ||
				rest.Executions != whole.Executions && !algorithms[i].Chooses ||
				len(rest.Violations) != len(whole.Violations) {
				t.Errorf("%s: resumed: %v, %v", name, rest, err)
			}
		}
	}
	if sooner < 100 {
		t.Errorf("only %d searches ended sooner than without", sooner)
	}
}

// TestStopAtFirstElsewhere: auto ends as well when another search finds it that it has begun.
func TestStopAtFirstElsewhere(t *testing.T) {
	m := shipped(t, "check-then-act", nil)
	x, err := auto.New(context.Background(), m, Options{StopAtFirst: true})
	if err != nil {
		t.Fatal(err)
	}
	v := &Violation{Kind: FailedStep, Node: m.Program.Procs[0].Template.Nodes[0], Schedule: []int32{}}
	for _, place := range []string{"states", "executions", "abandoned"} {
		other, err := results.NewCollector(m, auto.Algorithm, nil)
		if err != nil {
			t.Fatal(err)
		}
		other.Record(nowhere{}, *v)
		x.Abandoned, x.States, x.Executions = nil, nil, [2]*executions.Search{}
		switch place {
		case "states":
			x.States = &states.Exhaustive{Limits: engine.Limits{Results: other}}
		case "executions":
			x.Executions[auto.BySequences] = &executions.Search{Limits: engine.Limits{Results: other}}
		default:
			x.Abandoned = []*results.Collector{other}
		}
		if !x.ViolatedElsewhere() {
			t.Errorf("%s: not noticed", place)
		}
	}
	x.Abandoned = nil
	if x.States, x.Executions = nil, [2]*executions.Search{}; x.ViolatedElsewhere() {
		t.Error("noticed where there is nothing")
	}
}

type nowhere struct{}

func (nowhere) Schedule(list []int32) []int32 { return list }

// TestJudge: the schedule of every violation and outcome of a search is judged as the search did.
func TestJudge(t *testing.T) {
	for _, f := range faulty {
		m := shipped(t, f.name, f.params)
		a, err := Find("optimal")
		if err != nil {
			t.Fatal(err)
		}
		res, err := Run(context.Background(), m, a, Options{MaxExecutions: 500})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range res.Outcomes.All() {
			shown, err := Judge(m, o.Schedule)
			if err != nil {
				t.Fatal(err)
			}
			of := slices.DeleteFunc(slices.Clone(res.Violations), func(v *Violation) bool {
				return v.Kind == InvariantFalse
			})
			for _, v := range Missing(shown, of) {
				if v.Kind != InvariantFalse {
					t.Errorf("%s: %v shows %s, which the search did not see", f.name, o.Schedule, v.Kind)
				}
			}
		}
	}
	m := shipped(t, "check-then-act", nil)
	shown, err := Judge(m, []int32{int32(step.MaxAlternatives) % int32(m.NumActions())})
	if err != nil || len(shown) > 0 {
		t.Errorf("a schedule that is not over: %v, %v", shown, err)
	}
}

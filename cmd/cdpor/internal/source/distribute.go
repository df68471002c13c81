package source

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth"
)

// A synthesis whose pairs are worked on by other processes. Each finds what it finds for some pairs, and returns what a
// cache would keep of it. Then the synthesis takes place as it always does, with this as its cache: it charges what
// comes from there as if it had found it itself, and works on pairs that are missing. So the result is the same.

// A Distributor lets other processes do tasks on a program, and calls done with what came of each. That tasks are
// missing at the end is no error.
type Distributor func(ctx context.Context, prog *step.Program, tasks [][]byte, done func(task int, found []byte) error,
) error

// mostTasks is how many tasks a synthesis is cut into at most.
const mostTasks = 128

// A task is a piece of a synthesis: pairs of steps, each given by the number of its template and its own.
type task struct {
	Pairs      [][2][2]int
	RLimit     uint
	MaxQueries int
	MaxWork    int64
	Short      bool
	AnyState   bool
	MaxCells   int
}

// A kept is the result of a task in the cache.
type kept struct {
	Key   string
	Value []byte
}

// A recorder is a cache that keeps everything, for others.
type recorder struct{ all []kept }

func (r *recorder) Get(string) ([]byte, bool)    { return nil, false }
func (r *recorder) Put(key string, value []byte) { r.all = append(r.all, kept{key, value}) }

// A borrowed cache has, for one synthesis, what others have found; what the synthesis finds goes to the one behind.
// What is believed for a run need not be believed for ever.
type borrowed struct {
	found  synth.Memory
	behind synth.Cache // may be nil
}

func (b *borrowed) Get(key string) ([]byte, bool) {
	value, ok := b.found.Get(key)
	if !ok && b.behind != nil {
		value, ok = b.behind.Get(key)
	}
	return value, ok
}

func (b *borrowed) Put(key string, value []byte) {
	if b.behind != nil {
		b.behind.Put(key, value)
	}
}

// A readOnly is a cache that keeps nothing.
type readOnly struct{ synth.Cache }

func (readOnly) Put(string, []byte) {}

// distribute lets others work on the pairs that a cache does not have, and adds what they find to it. It returns how
// many pairs there were.
func distribute(ctx context.Context, prog *step.Program, opt synth.Options, cache *borrowed, by Distributor) (
	pairs int, err error) {
	look := opt
	look.Cache, look.Resume, look.MaxQueries, look.MaxWork = readOnly{cache}, true, 1, 1
	_, report, err := synth.Synthesize(ctx, prog, look)
	if err != nil {
		return 0, err
	}
	var missing [][2][2]int
	at := func(s *step.Step) [2]int { return [2]int{slices.Index(prog.Templates, s.Template), s.Index} }
	for _, p := range report.Asked {
		if !p.Cached {
			missing = append(missing, [2][2]int{at(p.A), at(p.B)})
		}
	}
	if len(missing) == 0 {
		return 0, nil
	}
	var tasks [][]byte
	for i := range min(len(missing), mostTasks) {
		t := task{RLimit: opt.RLimit, MaxQueries: opt.MaxQueries, MaxWork: opt.MaxWork, Short: opt.Short,
			AnyState: opt.AnyState, MaxCells: opt.MaxCells}
		for k := i; k < len(missing); k += mostTasks {
			t.Pairs = append(t.Pairs, missing[k])
		}
		text, err := json.Marshal(&t)
		if err != nil {
			return 0, err
		}
		tasks = append(tasks, text)
	}
	return len(missing), by(ctx, prog, tasks, func(_ int, found []byte) error {
		var all []kept
		if json.Unmarshal(found, &all) != nil { // it is found again
			all = nil
		}
		for _, k := range all {
			cache.found.Put(k.Key, k.Value)
		}
		return nil
	})
}

// Do does a task of a synthesis that another process has distributed, with the solver of this one. sign is called now
// and then.
func (h *Host) Do(ctx context.Context, prog *step.Program, text []byte, sign func()) ([]byte, error) {
	var t task
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, err
	}
	wanted := map[[2]*step.Step]bool{}
	for _, pair := range t.Pairs {
		var two [2]*step.Step
		for i, at := range pair {
			if at[0] < 0 || at[0] >= len(prog.Templates) || at[1] < 0 || at[1] >= len(prog.Templates[at[0]].Steps) {
				return nil, fmt.Errorf("there is no pair of steps %v", pair)
			}
			two[i] = prog.Templates[at[0]].Steps[at[1]]
		}
		wanted[two], wanted[[2]*step.Step{two[1], two[0]}] = true, true
	}
	opt, found := h.Solver(), &recorder{}
	opt.RLimit, opt.MaxQueries, opt.MaxWork, opt.Short = t.RLimit, t.MaxQueries, t.MaxWork, t.Short
	opt.AnyState, opt.MaxCells = t.AnyState, t.MaxCells
	opt.Pairs = func(a, b *step.Step) bool { return wanted[[2]*step.Step{a, b}] }
	opt.Cache, opt.Progress = found, func(synth.Stage) { sign() }
	if _, _, err := synth.Synthesize(ctx, prog, opt); err != nil {
		return nil, err
	}
	return json.Marshal(found.all)
}

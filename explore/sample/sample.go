// Package sample estimates how large the tree of a search is without walking it.
//
// A probe goes through the tree level by level. It keeps one node of each class and the number of nodes that this node
// stands for: where several nodes fall into a class, one of them is drawn, with the weights as probabilities (Chen,
// Heterogeneous Sampling: A Method for Predicting the Performance of Tree Searching Programs, SIAM J. Comput. 21, 1992;
// with one class a level it is the probe of Knuth, Estimating the Efficiency of Backtrack Programs, Math. Comp. 29,
// 1975). So the weights of all levels together are the size on average, whatever the classes are. If no two different
// nodes fall into one class, they are the size itself.
//
// That works for trees whose nodes depend on nothing but the way to them: those of all interleavings, and of sleep
// sets, whose complete executions are the Mazurkiewicz traces.
package sample

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"cdpor/explore"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/meter"
	"cdpor/explore/internal/program"
	"cdpor/lang/step"
)

// Options say how to look at a tree.
type Options struct {
	Sleep    bool  // it is the tree of sleep sets, else that of all interleavings
	Probes   int   // where it is too large to be counted; 0: 100
	Budget   int64 // about how many steps all probes may take together; 0: 400,000
	MaxDepth int   // a tree that is deeper is not estimated; 0: 10,000
	Without  int   // a process that takes no step, counted from 1; 0: none
	Seed     int64
}

// A Number is an estimate, with the interval that has the right one with 95% confidence if the means of probes are
// distributed normally.
type Number struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Unknown is the error of an estimate that would say nothing.
type Unknown string

func (u Unknown) Error() string { return string(u) }

// A Size is the size of a tree.
type Size struct {
	Exact      bool // nothing was left to chance
	Probes     int  // else: how many
	Executions Number
	Blocked    Number // executions that end where all that is enabled sleeps
	Nodes      Number // root included
}

// Tree estimates the tree of a machine, or counts it if it has few different nodes. The error is Unknown, of the
// context, or an internal one.
func Tree(ctx context.Context, m *step.Machine, opt Options) (*Size, error) {
	opt.Probes, opt.Budget = cmp.Or(opt.Probes, 100), cmp.Or(opt.Budget, 400_000)
	opt.MaxDepth = cmp.Or(opt.MaxDepth, 10_000)
	if n := m.NumActions(); n > explore.MaxActions {
		return nil, Unknown(fmt.Sprintf("its threads have %d alternatives, more than a search takes", n))
	}
	p := newProber(ctx, m.Fresh(), opt) // a probe gives identities to processes that are started
	c, err := p.probe(math.MaxInt, opt.Budget/4)
	if err == nil {
		size := &Size{Exact: true}
		for i, n := range size.numbers() {
			*n = Number{c[i], c[i], c[i]}
		}
		return size, nil
	}
	if err != errTooMany {
		return nil, err
	}
	begun := p.steps
	if _, err := p.probe(1, math.MaxInt64); err != nil { // its cost, not its weights
		return nil, err
	}
	one := max(1, p.steps-begun)
	if int64(opt.Probes)*one > 4*opt.Budget {
		return nil, Unknown(fmt.Sprintf("a sample takes %d steps", one))
	}
	classes := max(1, int((opt.Budget-p.steps)/int64(opt.Probes)/one))
	all := make([]counts, opt.Probes)
	for i := range all {
		if all[i], err = p.probe(classes, math.MaxInt64); err != nil {
			return nil, err
		}
	}
	size := &Size{Probes: opt.Probes}
	for i, n := range size.numbers() {
		if err := n.set(all, i); err != nil {
			return nil, err
		}
	}
	return size, nil
}

// counts are the numbers of a Size as one probe weighs them.
type counts [3]float64

func (s *Size) numbers() [3]*Number { return [3]*Number{&s.Executions, &s.Blocked, &s.Nodes} }

// widest is how far an interval may reach from the mean, as a part of it, to say something.
const widest = 0.75

// set is the mean of a number of all probes, and its interval.
func (n *Number) set(all []counts, of int) error {
	mean, variance := 0.0, 0.0
	for _, c := range all {
		mean += c[of] / float64(len(all))
	}
	for _, c := range all {
		variance += (c[of]/mean - 1) * (c[of]/mean - 1) / float64(len(all)-1)
	}
	if mean == 0 { // if there are some, no probe has met them
		*n = Number{High: math.Inf(1)}
		return nil
	}
	if math.IsInf(mean, 0) || math.IsNaN(variance) {
		return Unknown("it has more than 1e308 nodes")
	}
	// Student's t for 20 probes and more is at most 2.1.
	reach := 2.1 * math.Sqrt(variance/float64(len(all)))
	if reach > widest && of != 1 {
		return Unknown("the probes differ too much: a few of them have nearly all of it")
	}
	*n = Number{mean, max(0, mean*(1-reach)), mean * (1 + reach)}
	return nil
}

// A prober walks down the tree.
type prober struct {
	program.Program
	ctx   context.Context
	m     *step.Machine
	opt   Options
	rng   *rand.Rand
	steps int64
}

// A place is a node that stands for some of its class.
type place struct {
	state   step.State
	asleep  actionset.Set
	enabled actionset.Set
	weight  float64
}

// A class of nodes of a level: how much is awake there, and a part of the hash of the node.
type class struct {
	awake int
	hash  uint64
}

func newProber(ctx context.Context, m *step.Machine, opt Options) *prober {
	p := &prober{ctx: ctx, m: m, opt: opt, rng: rand.New(rand.NewPCG(uint64(opt.Seed), 0))}
	p.Program.Init(m, nil, &meter.Meter{Ask: func(int64) {}})
	p.Extend(2, func(int) *happens.Level { return &happens.Level{} })
	return p
}

const errTooMany = Unknown("it has too many different nodes to be counted")

// probe goes through the tree once, with so many classes a level for each number of actions that are awake.
func (p *prober) probe(classes int, most int64) (c counts, err error) {
	root := &place{state: slices.Clone(p.m.Initial()), weight: 1}
	p.enable(root)
	before := p.steps
	for depth, level := 0, []*place{root}; len(level) > 0; depth++ {
		if depth > p.opt.MaxDepth {
			return c, Unknown(fmt.Sprintf("it has executions of more than %d steps", p.opt.MaxDepth))
		}
		next, known := []*place(nil), map[class]*place{}
		for _, at := range level {
			c[2] += at.weight
			awake := at.enabled.Minus(&at.asleep)
			switch {
			case awake.Empty() && !at.enabled.Empty():
				c[1] += at.weight
			case awake.Empty() && p.m.EndingOf(at.state) != step.Cut:
				c[0] += at.weight
			}
			for a := awake.Next(0); a >= 0; a = awake.Next(a + 1) {
				if p.steps++; p.steps-before > most {
					return c, errTooMany
				}
				if next = p.join(next, known, p.child(at, a), classes); next == nil {
					return c, errTooMany
				}
				if p.opt.Sleep {
					at.asleep.Add(a)
				}
			}
		}
		if level = next; p.ctx.Err() != nil {
			return c, p.ctx.Err()
		}
	}
	return c, nil
}

// child is the node to which an action leads.
func (p *prober) child(at *place, action int) *place {
	copy(p.Levels[0].State, at.state)
	e := p.Suppose(action)
	p.Refine(&e.Transition, p.Levels[0].State, p.Levels[1].State, e.FootBuf)
	c := &place{state: slices.Clone(p.Levels[1].State), weight: at.weight}
	p.StillAsleep(&at.asleep, &c.asleep)
	p.enable(c)
	return c
}

// enable finds out what is possible at a node.
func (p *prober) enable(c *place) {
	program.FindEnabled(p.m, p.Run, c.state, &c.enabled, &actionset.Set{})
	for a := c.enabled.Next(0); a >= 0; a = c.enabled.Next(a + 1) {
		if p.m.ProcOf(a) == p.opt.Without-1 {
			c.enabled.Remove(a)
		}
	}
}

// join adds a node to those of its level, or puts it into its class. It returns nil if there are to be enough classes
// for all nodes, and are not.
func (p *prober) join(level []*place, known map[class]*place, c *place, classes int) []*place {
	awake := c.enabled.Minus(&c.asleep)
	k := class{awake.Len(), hash(c) % uint64(classes)}
	old := known[k]
	if old == nil {
		known[k] = c
		return append(level, c)
	}
	if classes == math.MaxInt && (old.asleep != c.asleep || !slices.Equal(old.state, c.state)) {
		return nil
	}
	all := old.weight + c.weight
	if p.rng.Float64()*all < c.weight {
		*old = *c
	}
	old.weight = all
	return level
}

// A Loop is a step that executions take again and again.
type Loop struct {
	Step   *step.Step
	Rounds float64 // of one thread in an execution, on average
	Share  float64 // of the steps of an execution
}

// Rounds is the step that is taken most often by one process in executions along random schedules, nil if none is taken
// three times.
func Rounds(m *step.Machine) *Loop {
	const executions, mostSteps = 20, 1000
	p := newProber(context.Background(), m.Fresh(), Options{})
	taken, steps := map[int]float64{}, 0.0
	for range executions {
		now := &place{state: slices.Clone(p.m.Initial())}
		p.enable(now)
		for n := 0; !now.enabled.Empty() && n < mostSteps; n++ {
			a := now.enabled.Next(0)
			for range p.rng.IntN(now.enabled.Len()) {
				a = now.enabled.Next(a + 1)
			}
			taken[p.m.StepID(now.state, p.m.ProcOf(a))]++
			steps++
			now = p.child(now, a)
		}
	}
	var most *Loop
	all := map[*step.Step]float64{}
	for _, id := range slices.Sorted(maps.Keys(taken)) {
		_, s := p.m.StepAt(id)
		all[s] += taken[id]
		if rounds := taken[id] / executions; rounds >= 3 && (most == nil || rounds > most.Rounds) {
			most = &Loop{Step: s, Rounds: rounds}
		}
	}
	if most != nil {
		most.Share = all[most.Step] / steps
	}
	return most
}

// hash is that of the state of a node and what sleeps there.
func hash(c *place) uint64 {
	h := uint64(14695981039346656037)
	mix := func(w uint64) { h = (h ^ w) * 0x9e3779b97f4a7c15; h ^= h >> 29 }
	for _, w := range c.state {
		mix(uint64(w))
	}
	for _, w := range c.asleep {
		mix(w)
	}
	return h
}

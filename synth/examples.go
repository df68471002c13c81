package synth

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cdpor/constraints"
	"cdpor/lang/step"
)

// Examples are reachable states that show what the condition of an entry means.
type Examples struct {
	Set    *constraints.Set
	Pair   *constraints.Pair
	Looked int  // how many reachable states were looked at
	Whole  bool // these are all
	Holds  *Finding
	Fails  *Finding
	Apart  bool     // in the state of Fails both orders differ; else the condition is stronger than need be there
	Breaks *Finding // what a third step would break if commute were uniform; nil: nothing was found
}

// ExamplesOf looks for states that show what the condition of an entry means, among the first that can be reached. It
// proves nothing.
func ExamplesOf(ctx context.Context, set *constraints.Set, pair *constraints.Pair, opt Options) (x *Examples,
	err error) {
	defer internal(&err)
	s, err := NewSession(opt)
	if err != nil {
		return nil, err
	}
	e, err := s.engine(ctx, set.Program)
	if err != nil {
		return nil, err
	}
	x = &Examples{Set: set, Pair: pair}
	g := reach(ctx, set.Program, mostReached)
	if g == nil {
		return nil, fmt.Errorf("the program cannot be run")
	}
	x.Looked, x.Whole = len(g.states), g.whole
	compiled := set.Compile(g.m)
	holds, fails, apart := g.examples(compiled, pair)
	x.Apart = apart
	shown := func(at *scene, f *Finding) *Finding {
		if at == nil {
			return nil
		}
		w, steps := g.world(e, at), []*step.Step{pair.A, pair.B}
		show := w.showPair
		if f.Third != nil {
			steps, show = append(steps, f.Third), w.showTriple
		}
		if !show(steps, f) {
			return nil
		}
		f.Reach, f.Schedule = Reachable, g.schedule(at.state)
		return f
	}
	x.Holds, x.Fails = shown(holds, &Finding{Pair: pair}), shown(fails, &Finding{Pair: pair})
	bold := *pair // uniform wherever it commutes
	bold.Uniform = pair.Commute
	all := constraints.Set{Program: set.Program, Pairs: slices.Clone(set.Pairs)}
	all.Pairs[slices.Index(all.Pairs, pair)] = &bold
	compiled = all.Compile(g.m)
	for _, claim := range []Claim{Forward, Backward} {
		for _, third := range e.TakenSteps() {
			f := &Finding{Pair: pair, Claim: claim, Third: third}
			if x.Breaks == nil && e.ThreeProcesses(pair.A, pair.B, third) {
				x.Breaks = shown(g.triple(compiled, f), f)
			}
		}
	}
	return x, ctx.Err()
}

// examples are a state in which the condition of a pair holds and one in which it does not; if there is one, one in
// which the steps do not commute.
func (g *reached) examples(set *constraints.Compiled, pair *constraints.Pair) (holds, fails *scene, apart bool) {
	for i, s := range g.states {
		for _, p := range g.stands(s, pair.A) {
			for _, q := range g.stands(s, pair.B) {
				switch {
				case p == q:
				case g.holds(set.Commute(p, pair.A, q, pair.B), s):
					if holds == nil && g.r.Enabled(s, p) && g.r.Enabled(s, q) {
						holds = &scene{i, []int{p, q}, []int{0, 0}}
					}
				case !apart:
					choice, differ := g.apart(s, p, q)
					if differ || fails == nil {
						fails, apart = &scene{i, []int{p, q}, choice[:]}, differ
					}
				}
			}
		}
		if holds != nil && apart {
			break
		}
	}
	return holds, fails, apart
}

// Text renders examples for people.
func (x *Examples) Text() []string {
	p := x.Pair
	commute := x.Set.Text(p, p.Commute)
	lines := []string{p.A.Name() + ", " + p.B.Name(), "commute: " + commute, "uniform: " + x.Set.Text(p, p.Uniform)}
	some := fmt.Sprintf("of the first %d reachable states", x.Looked)
	if x.Whole {
		some = fmt.Sprintf("of the %d reachable states", x.Looked)
	}
	if x.Holds == nil && x.Fails == nil {
		return append(lines, "Both steps are next in none "+some+".")
	}
	add := func(f *Finding, what string) {
		if f == nil {
			lines = append(lines, fmt.Sprintf("It %s in none %s where both are next.", what, some))
			return
		}
		lines = append(lines, fmt.Sprintf("It %s: %s", what, bindings(f.relevant(commute))), "  "+f.reachText())
		lines = append(lines, f.changes()...)
	}
	add(x.Holds, "holds")
	add(x.Fails, "is false")
	if x.Fails != nil && !x.Apart {
		lines = append(lines, "  They commute here as well: the condition is stronger than need be.")
	}
	if f := x.Breaks; f != nil {
		what := "ends with it"
		if f.Claim == Backward {
			what = "begins with it"
		}
		lines = append(lines, fmt.Sprintf("If all of commute were uniform, %s would break it, as what commute says "+
			"%s: %s", f.Third.Name(), what, bindings(f.relevant(commute))), "  "+f.reachText())
		lines = append(lines, f.changes()...)
	}
	return lines
}

// changed are the values of a run that are not those of the state.
func (f *Finding) changed(r Run) (list []Binding) {
	for _, b := range r.Result {
		if !slices.Contains(f.State, b) {
			list = append(list, b)
		}
	}
	return list
}

// relevant are the values of the state that a run changes or a condition mentions.
func (f *Finding) relevant(cond string) (list []Binding) {
	for _, b := range f.State {
		mentioned := regexp.MustCompile(`(^|[^\w.])`+regexp.QuoteMeta(b.Name)+`($|\W)`).MatchString(cond) ||
			regexp.MustCompile(`(^|[^\w.])`+regexp.QuoteMeta(b.Name[strings.Index(b.Name, ".")+1:])+`($|\W)`).
				MatchString(cond)
		if mentioned || slices.ContainsFunc(f.Runs, func(r Run) bool {
			return slices.ContainsFunc(r.Result, func(c Binding) bool { return c.Name == b.Name && c != b })
		}) {
			list = append(list, b)
		}
	}
	if len(list) == 0 {
		return f.State
	}
	return list
}

// changes are the runs, a line each, or one if they lead to the same, and what they change.
func (f *Finding) changes() (lines []string) {
	show := func(r Run) string {
		if list := f.changed(r); len(list) > 0 {
			return bindings(list)
		}
		return "nothing changes"
	}
	if len(f.Runs) == 2 && slices.Equal(f.Runs[0].Result, f.Runs[1].Result) &&
		!slices.ContainsFunc(f.Runs, func(r Run) bool {
			return slices.ContainsFunc(r.Ends, func(end string) bool { return end != "done" })
		}) {
		return []string{"  both orders: " + show(f.Runs[0])}
	}
	for _, r := range f.Runs {
		lines = append(lines, "  "+r.path()+": "+show(r))
	}
	return lines
}

// runTexts are the runs of a finding, a line each.
func (f *Finding) runTexts() (lines []string) {
	for _, r := range f.Runs {
		lines = append(lines, r.path()+": "+bindings(r.Result))
	}
	return lines
}

// path is the steps of a run, with how they end if not well.
func (r Run) path() string {
	var path []string
	for i, s := range r.Steps {
		if r.Ends[i] != "done" {
			s += " (" + r.Ends[i] + ")"
		}
		path = append(path, s)
	}
	return strings.Join(path, "; ")
}

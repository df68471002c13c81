package report

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/page"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/step"
)

// How much the page shows; it says so when there is more.
const (
	pageOutcomes  = 200    // and deadlocks, and violations
	pageScheduled = 20_000 // steps of their schedules together
)

// WritePage writes the page to a file.
func (r *Report) WritePage(path string) error {
	p, err := r.page()
	if err != nil {
		return err
	}
	return p.Write(path)
}

// A pageOf fills in the page of a report.
type pageOf struct {
	*Report
	page     *page.Page
	expander *page.Expander
	room     int      // steps that schedules may still have
	left     []string // what is not shown
}

// page is the report as a page.
func (r *Report) page() (*page.Page, error) {
	prog, res := r.Machine.Program, r.Result
	p := &page.Page{Title: prog.Name + ": " + string(res.Verdict), Report: r.json(), Verdict: r.Verdict(),
		Kind: string(res.Verdict), Program: prog}
	w := &pageOf{Report: r, page: p, room: pageScheduled}
	var err error
	if p.Files, err = w.files(); err != nil {
		return nil, err
	}
	if c := r.coverage; c != nil {
		p.Coverage = c
		p.Covered = fmt.Sprintf("%d of %s executed; %s.", c.Taken, terminal.Plural(c.Statements, "statement"),
			c.basis())
	}
	p.Unchecked = UncheckedTexts(prog, res)
	if !prog.Native() || res.Verdict != explore.Violated { // else executions end where it shows
		p.Holds = claims.Held(prog, res.Held, claims.ScopeOf(res))
	}
	p.NeverRun = neverRunText(prog, res)
	for _, u := range res.Unreleased {
		p.Unchecked = append(p.Unchecked, r.unreleasedText(u))
	}
	if r.Atomicity != nil {
		text, replay := r.Atomicity.texts(prog)
		p.Closer = strings.TrimSpace(text + ". " + replay)
	}
	p.Figures, p.Numbers = w.figures(), w.numbers()
	if set := r.Knowledge.Set; set != nil {
		for _, d := range set.Definitions {
			if d.That != nil {
				p.Definitions = append(p.Definitions,
					page.Definition{Head: d.String(), Text: d.Format(set.Definitions)})
			}
		}
	}
	for _, o := range prog.Observe {
		p.Observed = append(p.Observed, o.Name)
	}
	var conditions explore.Conditions
	if set := r.Knowledge.Set; set != nil && r.Options.Constrained {
		conditions = set.Compile(r.Machine)
	}
	u, err := page.NewExpander(r.Player, conditions)
	if err != nil {
		return nil, err
	}
	p.Data = &page.Data{Run: "cdpor run " + r.Options.Arguments + " --schedule ",
		Who: strings.TrimSuffix(threadsOf(prog), "s"), Between: page.Between(prog), Nodes: []*page.Node{},
		Schedules: []page.Schedule{}}
	for _, proc := range prog.Procs {
		p.Data.Processes = append(p.Data.Processes, page.Near(prog, proc.Called()))
	}
	w.expander = u
	w.schedules()
	seen := newSights(r.Knowledge.Set, r.Machine)
	if r.Tree != nil {
		u.Look = seen.look
		if p.Data.Nodes, err = u.Nodes(r.Tree, res); err != nil {
			return nil, err
		}
		p.Tree, p.OtherTree = r.TreeExtent(), r.drawnText()
	}
	p.Pairs = seen.pairs(res)
	for a := range r.Machine.NumActions() {
		p.Data.Actions = append(p.Data.Actions, page.Action{Proc: r.Machine.ProcOf(a), Choice: r.Machine.ChoiceOf(a),
			Name: schedules.Format(r.Machine, []int32{int32(a)})})
	}
	u.Fill(p.Data)
	return p, nil
}

// drawnText says that the tree of the page is that of another search than the one whose numbers it has.
func (r *Report) drawnText() string {
	d := r.Drawn
	if d == nil || d.Stopped != explore.StoppedComplete ||
		d.States == r.Result.States && d.Executions == r.Result.Executions {
		return ""
	}
	return fmt.Sprintf("The numbers above are of a search that has tried several ways. "+
		"The tree is drawn from another one, which keeps to a single way: %s, %s.",
		terminal.Plural(int(d.States), "state"), terminal.Plural(int(d.Executions), "execution"))
}

// TreeExtent says how much of the exploration tree the page shows, empty if all.
func (r *Report) TreeExtent() string {
	switch d := r.Drawn; {
	case r.Tree == nil:
		return ""
	case d == nil:
		return r.Tree.Extent(r.Result)
	case d.Stopped == explore.StoppedComplete:
		return r.Tree.Extent(d)
	}
	return r.Tree.Beginning()
}

// files are the texts of the program: of a Go program those of the user's files that it has steps in.
func (r *pageOf) files() (list []page.File, err error) {
	lines := func(text []byte) []string {
		return strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	}
	for _, f := range r.Machine.Program.Files {
		if r.Source == nil {
			break
		}
		if text := r.Source(f.Path); text != nil {
			list = append(list, page.File{Name: f.Called, Path: f.Path, Lines: lines(text)})
		}
	}
	if r.Machine.Program.Native() {
		return list, nil
	}
	text, err := files.Read(r.Options.Program)
	return []page.File{{Lines: lines(text)}}, err
}

// schedules fills in how the search ended: violations, deadlocks, outcomes, each with a schedule as long as there is
// room.
func (r *pageOf) schedules() {
	prog, res, wrong := r.Machine.Program, r.Result, false // wrong: deadlocks are told of as violations
	for i, g := range r.Groups()[:r.most(len(r.Groups()), "violation")] {
		v := g.Shown
		kind := v.Kind
		if kind == explore.DeadlockFound {
			kind = explore.ViolationKind(replay.DeadlockName(r.Machine, v.Words)) // a leak is one
		}
		r.page.Violations = append(r.page.Violations, page.Violation{Number: i + 1, Kind: kind,
			Text: strings.TrimPrefix(g.Text(), string(kind)+": "), Count: v.Count, Shown: v.Schedule != nil,
			Same: g.same()})
		if h := historyOf(r.Player, v); h != nil {
			r.page.Violations[i].History, r.page.Violations[i].Reasons = h.Lanes, h.Reasons()
		}
		told := r.ViolationText(v)
		var why *deadlock.Explanation
		if v.Kind == explore.DeadlockFound {
			why = r.Player.Why(v.Words, r.schedule(v))
			told, r.page.Violations[i].Why, wrong = "", execution.WhyLines(prog, why), true
		}
		if v.Schedule != nil {
			r.add("violation", i+1, told, r.replayOf(v), r.LassoOf(v), why)
		}
	}
	for i := range r.most(res.Deadlocks.Len(), "deadlock") {
		o := res.Deadlocks.At(i)
		schedule := r.Simplify(o.Schedule)
		why := r.Player.Why(o.Words, schedule)
		if !wrong {
			r.page.Deadlocks = append(r.page.Deadlocks, page.End{Number: i + 1, Values: replay.Shared(prog, o.Words),
				Count: o.Count, Text: execution.WhyLines(prog, why)})
		}
		r.add("deadlock", i+1, strings.Join(why.Brief(), ", "), r.ReplayLine(schedule), &liveness.Lasso{Stem: schedule},
			why)
	}
	for i := range r.most(res.Outcomes.Len(), "outcome") {
		o := res.Outcomes.At(i)
		values := replay.Observed(prog, o.Words)
		r.page.Outcomes = append(r.page.Outcomes, page.End{Number: i + 1, Values: values, Count: o.Count})
		schedule := r.Simplify(o.Schedule)
		r.add("outcome", i+1, replay.Join(values), r.ReplayLine(schedule), &liveness.Lasso{Stem: schedule}, nil)
	}
	if r.room < 0 {
		r.left = append(r.left, fmt.Sprintf("schedules of %d steps together", pageScheduled))
	}
	r.page.More = strings.Join(r.left, ", ")
}

// add adds a schedule if there is room for it, with why it ends in a deadlock if it does.
func (r *pageOf) add(kind string, number int, text, command string, l *liveness.Lasso, why *deadlock.Explanation) {
	schedule := l.Actions()
	if r.room -= len(schedule) + 1; r.room < 0 {
		return
	}
	s := page.Schedule{Kind: kind, Number: number, Text: text, Replay: command}
	s.Moments, s.Cycle = r.expander.Schedule(schedule, len(l.Cycle), func(steps []replay.Step, stem int) ([]replay.Step,
		[]int, int) {
		return execution.RowsWithEnds(r.Machine.Program, steps, stem)
	})
	if why != nil && len(why.Cycle) > 0 {
		for _, name := range why.Cycle[:len(why.Cycle)-1] {
			s.Ring = append(s.Ring, slices.IndexFunc(r.Machine.Program.Procs,
				func(p *step.Proc) bool { return p.Name == name || p.Called() == name }))
		}
	}
	r.page.Data.Schedules = append(r.page.Data.Schedules, s)
}

// most is how many of a list are shown.
func (r *pageOf) most(all int, noun string) int {
	if all > pageOutcomes {
		r.left = append(r.left, fmt.Sprintf("%d of %s", pageOutcomes, terminal.Plural(all, noun)))
	}
	return min(pageOutcomes, all)
}

func (r *pageOf) figures() (list []page.Number) {
	add := func(n int64, noun string) {
		_, words, _ := strings.Cut(terminal.Plural(int(n), noun), " ")
		list = append(list, page.Number{Name: words, Value: n})
	}
	res := r.Result
	if res.States > 0 {
		add(res.States, "state")
	}
	add(res.Executions, "execution")
	if r.Knowledge.Set != nil {
		add(res.Constraints.Removed, "conflict")
		list[len(list)-1].Name += " removed by constraints"
	}
	add(int64(res.Outcomes.Len()), "outcome")
	return list
}

func (r *pageOf) numbers() []page.Number {
	list := []page.Number{{Name: "algorithm", Value: r.Result.Algorithm}, {Name: "stopped", Value: r.Result.Stopped}}
	for _, c := range searchCounts {
		if c.shown(r.Report) || c.when == onPage && c.of(r.Result) > 0 {
			list = append(list, page.Number{Name: c.name, Value: c.of(r.Result)})
		}
	}
	return list
}

package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang"
	"cdpor/lang/step"
)

// The report as one HTML file that needs nothing else, not even a network: page/page.html is its frame and says what there is to read,
// page/page.js draws the exploration tree and schedules from the data that is embedded as JSON.

// How much the page shows; it says so when there is more.
const (
	pageOutcomes  = 200    // and deadlocks, and violations
	pageScheduled = 20_000 // steps of their schedules together
)

var (
	//go:embed page/page.html
	pageFrame string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string

	pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageFrame)) })
)

// A page is what the frame shows.
type page struct {
	Title       string
	Report      *jsonReport
	Verdict     string
	Kind        string // of the verdict, as a style
	Program     *step.Program
	Figures     []pageNumber // the most important of them
	Numbers     []pageNumber
	Rival       bool // a second search was run
	Pairs       []pagePair
	Definitions []pageDefinition // that the conditions of the pairs use
	Observed    []string
	Outcomes    []pageEnd
	Deadlocks   []pageEnd
	Violations  []pageViolation
	Coverage    *coverage
	Covered     string   // what it is worth
	Unchecked   []string // what no execution came to
	More        string   // what is left out of these
	Lines       []string
	Tree        string // how much of the tree there is
	Style       template.CSS
	Script      template.JS
	ScriptHash  string
	Data        *pageData
	Drawn       json.RawMessage // the data, as the script reads it
}

// A pageNumber is a statistic, of a second search as well if there was one.
type pageNumber struct {
	Name  string
	Value any
	Other any
}

// A pageDefinition is a name that stands for a part of conditions.
type pageDefinition struct{ Head, Text string }

// A pagePair is what is known of a pair of steps, and what it was good for.
type pagePair struct {
	Steps            [2]string
	Uniform, Commute string
	Status           string
	Use              *output.Usage
}

type pageEnd struct {
	Number int
	Values []replay.Value
	Count  int64
	Text   []string
}

type pageViolation struct {
	Number int
	Kind   explore.ViolationKind
	Text   string // without the kind
	Count  int64
	Shown  bool   // there is a schedule
	Same   string // what else is one with it
	// History has the lanes of a history that is not linearizable, and the lines that say why.
	History []string
}

// writePage writes the page to a file.
func (r *report) writePage(path string) error {
	p, err := r.page()
	if err != nil {
		return err
	}
	if p.Drawn, err = terminal.VisibleJSON(p.Data); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := pageTemplate().Execute(&out, p); err != nil {
		return err
	}
	return files.Write(path, []byte(terminal.Visible(out.String())))
}

func (r *report) page() (*page, error) {
	prog, res := r.m.Program, r.result
	hash := sha256.Sum256([]byte(pageScript))
	p := &page{Title: prog.Name + ": " + string(res.Verdict), Report: r.json(), Verdict: r.verdict(), Kind: string(res.Verdict), Program: prog,
		Style: template.CSS(pageStyle), Script: template.JS(pageScript), ScriptHash: base64.StdEncoding.EncodeToString(hash[:])}
	text, err := files.Read(r.command.Program)
	if err != nil {
		return nil, err
	}
	p.Lines = strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	if p.Coverage = r.coverage; p.Coverage != nil {
		p.Covered = fmt.Sprintf("%d of %s executed; %s.", p.Coverage.Taken, terminal.Plural(p.Coverage.Statements, "statement"), p.Coverage.basis(res))
	}
	p.Unchecked = uncheckedTexts(prog, res)
	p.Rival = r.rival != nil
	p.Figures, p.Numbers = r.pageFigures(), r.pageNumbers()
	p.Pairs = pagePairs(r.knowledge.Set, res)
	if set := r.knowledge.Set; set != nil {
		for _, d := range set.Definitions {
			if d.That != nil {
				p.Definitions = append(p.Definitions, pageDefinition{d.String(), d.Format(set.Definitions)})
			}
		}
	}
	for _, o := range prog.Observe {
		p.Observed = append(p.Observed, o.Name)
	}
	var conditions explore.Conditions
	if set := r.knowledge.Set; set != nil && r.command.wanted(r.algorithm) {
		conditions = set.Compile(r.m)
	}
	u, err := newUnfolder(r.t, conditions)
	if err != nil {
		return nil, err
	}
	p.Data = &pageData{Run: "cdpor run " + r.command.arguments() + " --schedule ", Nodes: []pageNode{}, Schedules: []pageSchedule{}}
	for _, proc := range prog.Procs {
		p.Data.Processes = append(p.Data.Processes, proc.Name)
	}
	if err := p.schedules(r, u); err != nil {
		return nil, err
	}
	if r.tree != nil {
		if p.Data.Nodes, err = r.pageNodes(u); err != nil {
			return nil, err
		}
		p.Tree = r.tree.Extent(res, len(r.tree.Nodes))
	}
	for a := range r.m.NumActions() {
		p.Data.Actions = append(p.Data.Actions, pageAction{r.m.ProcOf(a), r.m.ChoiceOf(a), schedules.Format(r.m, []int32{int32(a)})})
	}
	p.Data.Steps, p.Data.Places, p.Data.Texts, p.Data.Variables = u.steps.list, u.places.list, u.texts.list, u.variables
	return p, nil
}

// schedules fills in how the search ended: outcomes, deadlocks, violations, each with a schedule as long as there is room.
func (p *page) schedules(r *report, u *unfolder) error {
	prog, res := r.m.Program, r.result
	room, left := pageScheduled, []string{}
	add := func(kind string, number int, text, command string, schedule []int32) error {
		if room -= len(schedule) + 1; room < 0 {
			return nil
		}
		s := pageSchedule{Kind: kind, Number: number, Text: text, Replay: command, Moments: []moment{u.begin()}}
		for _, a := range schedule {
			s.Moments = append(s.Moments, u.take(int(a)))
		}
		p.Data.Schedules = append(p.Data.Schedules, s)
		return nil
	}
	more := func(shown, all int, noun string) int {
		if all > shown {
			left = append(left, fmt.Sprintf("%d of %s", shown, terminal.Plural(all, noun)))
		}
		return min(shown, all)
	}
	for i, g := range r.groups()[:more(pageOutcomes, len(r.groups()), "violation")] {
		v := g.shown
		p.Violations = append(p.Violations, pageViolation{i + 1, v.Kind, strings.TrimPrefix(r.violationText(v), string(v.Kind)+": "), v.Count, v.Schedule != nil,
			r.groupText(&g), nil})
		if h := r.historyOf(v); h != nil {
			p.Violations[i].History = append(append(h.Lanes, ""), h.Reasons()...)
		}
		if v.Schedule == nil {
			continue
		}
		if err := add("violation", i+1, r.violationText(v), r.replayOf(v), r.lassoOf(v).Actions()); err != nil {
			return err
		}
	}
	for i := range more(pageOutcomes, res.Deadlocks.Len(), "deadlock") {
		o := res.Deadlocks.At(i)
		p.Deadlocks = append(p.Deadlocks, pageEnd{i + 1, replay.Shared(prog, o.Words), o.Count, nil})
		schedule := r.simplify(o.Schedule)
		why := r.t.Why(o.Words, schedule)
		p.Deadlocks[i].Text = why.Lines()
		if err := add("deadlock", i+1, strings.Join(why.Brief(), ", "), r.replayLine(schedule), schedule); err != nil {
			return err
		}
	}
	for i := range more(pageOutcomes, res.Outcomes.Len(), "outcome") {
		o := res.Outcomes.At(i)
		p.Outcomes = append(p.Outcomes, pageEnd{i + 1, replay.Observed(prog, o.Words), o.Count, nil})
		schedule := r.simplify(o.Schedule)
		if err := add("outcome", i+1, replay.Join(replay.Observed(prog, o.Words)), r.replayLine(schedule), schedule); err != nil {
			return err
		}
	}
	if room < 0 {
		left = append(left, fmt.Sprintf("schedules of %d steps together", pageScheduled))
	}
	p.More = strings.Join(left, ", ")
	return nil
}

func (r *report) pageFigures() (list []pageNumber) {
	add := func(n int64, noun string) {
		_, words, _ := strings.Cut(terminal.Plural(int(n), noun), " ")
		list = append(list, pageNumber{Name: words, Value: n})
	}
	res := r.result
	add(res.Executions, "execution")
	list = append(list, pageNumber{Name: "blocked", Value: res.Blocked})
	add(res.Nodes, "node")
	add(res.Races, "race")
	if r.knowledge.Set != nil {
		list = append(list, pageNumber{Name: "removed by constraints", Value: res.Constraints.Removed})
	}
	add(int64(res.Outcomes.Len()), "outcome")
	return list
}

func (r *report) pageNumbers() (list []pageNumber) {
	row := func(name string, of func(*explore.Result) any) {
		n := pageNumber{Name: name, Value: of(r.result)}
		if r.rival != nil {
			n.Other = of(r.rival)
		}
		list = append(list, n)
	}
	row("algorithm", func(c *explore.Result) any { return c.Algorithm })
	row("stopped", func(c *explore.Result) any { return c.Stopped })
	for _, c := range searchCounts {
		if c.shown(r) || c.when == onPage && c.any(r) {
			row(c.name, func(res *explore.Result) any { return c.of(res) })
		}
	}
	return list
}

// pagePairs lists the pairs of a set, those that were of most use first.
func pagePairs(set *constraints.Set, res *explore.Result) (list []pagePair) {
	if set == nil {
		return nil
	}
	used := map[[2]*step.Step]bool{}
	entry := func(pair *constraints.Pair, u *output.Usage) pagePair {
		out := pagePair{Steps: [2]string{pair.A.Name(), pair.B.Name()}, Uniform: lang.FormatCondition(pair.Uniform, pair.A.Template, pair.B.Template, set.Definitions),
			Commute: lang.FormatCondition(pair.Commute, pair.A.Template, pair.B.Template, set.Definitions), Status: string(pair.Status), Use: u}
		used[[2]*step.Step{pair.A, pair.B}] = true
		return out
	}
	for _, u := range output.Usages(res, set) {
		if pair, _ := set.Find(u.A, u.B); pair != nil {
			list = append(list, entry(pair, &u))
		}
	}
	for _, pair := range set.Pairs {
		if !used[[2]*step.Step{pair.A, pair.B}] {
			list = append(list, entry(pair, nil))
		}
	}
	return list
}

package deadlock

import (
	"fmt"
	"slices"
	"strings"
)

// Headline is the wait on one line: where, in what, and why it cannot go on.
func (w *Wait) Headline() string {
	if w.subject != "" {
		return w.subject + " waits at " + w.place + " " + w.brief()
	}
	return w.Step + " waits in " + w.Statement()
}

// Statement names the statement in which the process waits, and says why it cannot go on.
func (w *Wait) Statement() string {
	if w.subject != "" {
		return w.brief()
	}
	if state := w.State(); state != "" {
		return w.Text + " (" + state + ")"
	}
	return w.Text
}

// State says why the process cannot go on.
func (w *Wait) State() string {
	var list []string
	for _, n := range w.Needs {
		var any []string
		for _, c := range n.Any {
			if c.State != "" {
				any = append(any, c.State)
			}
		}
		if text := strings.Join(any, " and "); text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}

// Brief is the explanation in a few lines: a headline for each wait, and the cycle.
func (x *Explanation) Brief() (list []string) {
	for i := range x.Waits {
		list = append(list, x.Waits[i].Headline())
	}
	if x.Cycle != nil && !x.alone() {
		list = append(list, "each waits for the next: "+strings.Join(x.called(x.Cycle), " -> "))
	}
	return append(list, x.Crashed...)
}

// alone reports whether a goroutine waits for itself, which its sentence says.
func (x *Explanation) alone() bool {
	return len(x.Cycle) == 2 && len(x.Waits) > 0 && x.Waits[0].Goroutine != ""
}

// called names waiting processes as people do.
func (x *Explanation) called(names []string) []string {
	list := slices.Clone(names)
	for i := range list {
		for k := range x.Waits {
			if w := &x.Waits[k]; w.Process == list[i] && w.Goroutine != "" {
				list[i] = w.Goroutine
				break
			}
		}
	}
	return list
}

// Lines is the whole explanation in sentences, one a line; those about a wait stand behind it, indented by two spaces.
func (x *Explanation) Lines() []string {
	return append(slices.Concat(x.Paragraphs()...), x.Conclusion()...)
}

// Paragraphs are the lines about each wait.
func (x *Explanation) Paragraphs() (list [][]string) {
	for i := range x.Waits {
		w := &x.Waits[i]
		if w.subject != "" {
			list = append(list, []string{w.sentence()})
			continue
		}
		who := w.Step
		if label := strings.TrimPrefix(w.Step, w.Process+"."); label[0] >= '0' && label[0] <= '9' { // it has no name
			who = w.Process
		}
		lines := []string{fmt.Sprintf("%s (line %d) waits in %s", who, w.Line, w.Text)}
		for _, reason := range w.Reasons() {
			lines = append(lines, "  "+reason)
		}
		list = append(list, lines)
	}
	return list
}

// Conclusion are the lines about all waits together.
func (x *Explanation) Conclusion() (list []string) {
	switch {
	case x.alone():
	case x.Cycle != nil:
		list = append(list, "each waits for the next: "+strings.Join(x.called(x.Cycle), " -> "))
	case len(x.Knot) > 1:
		list = append(list, "none goes on before another of them does: "+strings.Join(x.called(x.Knot), ", "))
	}
	return append(list, x.Crashed...)
}

// Reasons are sentences that say of each need what its state is, who could make it true, and why that will not happen.
func (w *Wait) Reasons() (list []string) {
	for _, n := range w.Needs {
		for i := range n.Any {
			c := &n.Any[i]
			if c.Holder != nil && c.Kind != End {
				list = append(list, c.held(w))
			} else if c.State != "" {
				list = append(list, c.State+c.sinceWhen())
			}
			list = append(list, c.lost(w)...)
		}
		if text := n.outlook(); text != "" {
			list = append(list, text)
		}
	}
	return list
}

func (e *Event) at() string { return fmt.Sprintf("step %d (line %d: %s)", e.Number, e.Line, e.Text) }

// sinceWhen says when what a condition reads was changed last.
func (c *Condition) sinceWhen() string {
	if c.Last == nil {
		return ""
	}
	return fmt.Sprintf(" since step %d (%s, line %d: %s)", c.Last.Number, c.Last.Process, c.Last.Line, c.Last.Text)
}

// held says who has what is waited for.
func (c *Condition) held(w *Wait) string {
	text := c.State
	if c.Holder.Self {
		text = strings.ReplaceAll(text, " by "+w.Process, " by "+w.Process+" itself")
	}
	if c.Holder.Taken != nil {
		text += " since " + c.Holder.Taken.at()
	}
	if c.Holder.crashed {
		text += "; " + c.Holder.Process + " has crashed"
	} else if c.Holder.Ended > 0 {
		text += fmt.Sprintf("; %s ended with step %d", c.Holder.Process, c.Holder.Ended)
	}
	return text
}

// lost speaks of the signals that did not wake the process: the last three.
func (c *Condition) lost(w *Wait) (list []string) {
	const most = 3
	signals := c.Signals
	if len(signals) > most {
		signals = signals[len(signals)-most:]
		noun := "signals"
		if len(c.Signals) == most+1 {
			noun = "signal"
		}
		list = append(list, fmt.Sprintf("%d %s before these did not wake it either", len(c.Signals)-most, noun))
	}
	for _, e := range signals {
		text := fmt.Sprintf("%s signalled with %s, when nobody waited: %s began to wait with step %d",
			e.Process, e.at(), w.Process, c.Began)
		if e.Woke != "" {
			text = fmt.Sprintf("%s signalled with %s, which woke %s: that one had waited longer",
				e.Process, e.at(), e.Woke)
		}
		list = append(list, text)
	}
	return list
}

// outlook says who could make a need true, and why that will not happen.
func (n *Need) outlook() string {
	first, holder := n.Any[0], n.holder()
	switch {
	case len(n.Any) == 1 && first.Kind == Local:
		return ""
	case holder != nil && holder.Self:
		return holder.Process + " waits for itself"
	case holder != nil && first.Kind == End:
		return holder.Process + " waits itself"
	case holder != nil && n.Only == "": // it has ended
		return ""
	case holder != nil && len(n.Could) == 0:
		return fmt.Sprintf("%s waits itself, and nothing in its code from there on %s", holder.Process, n.deed())
	case len(n.Could) == 0:
		text := "no process that is left " + n.deed()
		for i, a := range n.Ended {
			if i == 3 {
				return text + fmt.Sprintf("; so have %d more", len(n.Ended)-i)
			}
			text += "; " + a.ended()
		}
		return text
	case holder != nil:
		verb := map[Kind]string{Lock: "free", Reader: "leave", Once: "finish", Actor: "free"}[first.Kind]
		return fmt.Sprintf("%s could %s it, but waits itself", n.Could[0], verb)
	case len(n.Could) == 1:
		return fmt.Sprintf("only %s may still, but it waits itself", n.Could[0])
	}
	list := someOf(n.Could, 4, " more", Action.String)
	last := len(list) - 1
	return fmt.Sprintf("%s and %s may still, but they wait themselves", strings.Join(list[:last], ", "), list[last])
}

// someOf has the texts of the first so many actions, and how many more there are.
func someOf(list []Action, most int, more string, text func(Action) string) (texts []string) {
	for _, a := range list[:min(most, len(list))] {
		texts = append(texts, text(a))
	}
	if len(list) > most {
		texts = append(texts, fmt.Sprint(len(list)-most)+more)
	}
	return texts
}

func (a Action) String() string {
	if a.Started != "" {
		return fmt.Sprintf("%s (by starting %s, line %d: %s)", a.Process, a.Started, a.Line, a.Text)
	}
	return fmt.Sprintf("%s (line %d: %s)", a.Process, a.Line, a.Text)
}

func (a Action) ended() string {
	if a.crashed {
		return fmt.Sprintf("%s (line %d: %s) has crashed", a.Process, a.Line, a.Text)
	}
	text := fmt.Sprintf("%s (line %d: %s) has ended", a.Process, a.Line, a.Text)
	if a.Ended > 0 {
		text += fmt.Sprintf(" with step %d", a.Ended)
	}
	return text
}

// verbs say what is done to make a condition true.
var verbs = map[Kind]string{Lock: "frees", Reader: "leaves", Signal: "signals at", Semaphore: "releases",
	Barrier: "comes to", Group: "counts down", Once: "finishes", Receive: "sends to", Send: "receives from",
	Taken: "receives from", Actor: "frees"}

// deed names what another process would do to make a need true.
func (n *Need) deed() string {
	var list []string
	for _, c := range n.Any {
		text := verbs[c.Kind] + " " + c.What
		switch c.Kind {
		case Message:
			text = "sends it a message"
		case Data:
			var names []string
			for _, v := range c.roots {
				if !v.Temp {
					names = append(names, v.Name)
				}
			}
			text = "changes " + strings.Join(names, " or ") + " so that it could hold"
			if len(names) == 0 {
				text = "changes that"
			}
		case Receive, Send, Taken:
			text += " or closes it"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", or ")
}

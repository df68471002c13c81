package execution

import (
	"slices"
	"strings"

	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// Rows are the steps of a schedule as people read them: of a Go program, what a goroutine does in one line of its text
// is one row, and what changes nothing that has a name is none. A cycle that begins behind a stem begins behind rows,
// too. Other programs are made of the steps that they name.
func Rows(prog *step.Program, steps []replay.Step, stem int) (rows []replay.Step, before int) {
	rows, _, before = RowsWithEnds(prog, steps, stem)
	return rows, before
}

// RowsWithEnds are Rows with the number of steps up to the end of each. Steps of no row belong to the next one, or at
// the end to the last.
func RowsWithEnds(prog *step.Program, steps []replay.Step, stem int) (rows []replay.Step, ends []int, before int) {
	if !prog.Native() {
		for i := range steps {
			ends = append(ends, i+1)
		}
		return steps, ends, stem
	}
	for i := 0; i < len(steps); {
		if i == stem {
			before = len(rows)
		}
		last := i + 1
		for last < len(steps) && last != stem && steps[last].Proc == steps[i].Proc {
			last++
		}
		more, until := turn(steps[i:last])
		rows = append(rows, more...)
		for _, n := range until {
			ends = append(ends, i+n)
		}
		i = last
	}
	if stem >= len(steps) {
		before = len(rows)
	}
	return rows, ends, before
}

// turn is Rows of what one goroutine does without another one in between.
func turn(steps []replay.Step) (rows []replay.Step, ends []int) {
	for i := range steps {
		s := steps[i]
		last := len(rows) - 1
		if last >= 0 && rows[last].Line == s.Line && rows[last].File == s.File && rows[last].Label != startLabel {
			rows[last], ends[last] = joined(&rows[last], &s), i+1
		} else {
			rows, ends = append(rows, s), append(ends, i+1)
		}
	}
	then, kept := rows[len(rows)-1].Then, 0
	for i := range rows {
		if !idle(rows[i]) {
			rows[kept], ends[kept] = rows[i], ends[i]
			kept++
		}
	}
	switch {
	case kept > 0:
		rows[kept-1].Then, ends[kept-1] = then, len(steps)
	case then != "": // it must be said where it waits or ends
		return steps[len(steps)-1:], []int{len(steps)}
	}
	return rows[:kept], ends[:kept]
}

// joined is two steps as one.
func joined(a, b *replay.Step) replay.Step {
	out := *a
	out.Takes, out.Prints = slices.Concat(a.Takes, b.Takes), slices.Concat(a.Prints, b.Prints)
	out.Starts, out.Reads, out.Writes = slices.Concat(a.Starts, b.Starts), slices.Clone(a.Reads), slices.Clone(a.Writes)
	for _, v := range b.Reads {
		written := slices.ContainsFunc(out.Writes, func(c replay.Change) bool { return c.Name == v.Name })
		if !written && !slices.Contains(out.Reads, v) {
			out.Reads = append(out.Reads, v)
		}
	}
	for _, c := range b.Writes {
		if k := slices.IndexFunc(out.Writes, func(o replay.Change) bool { return o.Name == c.Name }); k >= 0 {
			c.Before, c.Was = out.Writes[k].Before, out.Writes[k].Was
			out.Writes = slices.Delete(out.Writes, k, k+1)
			if c.Before == c.Text {
				continue
			}
		}
		out.Writes = append(out.Writes, c)
	}
	out.Acts = a.Acts || b.Acts
	if out.Fails, out.Then = b.Fails, b.Then; a.Fails != "" {
		out.Fails = a.Fails
	}
	return out
}

// idle reports whether a row says nothing.
func idle(s replay.Step) bool {
	return len(s.Takes)+len(s.Reads)+len(s.Writes)+len(s.Prints)+len(s.Starts) == 0 && s.Fails == "" && !s.Acts
}

// Switches counts how often rows go on with another process than the one before.
func Switches(rows []replay.Step) (count int) {
	for i := 1; i < len(rows); i++ {
		if rows[i].Proc != rows[i-1].Proc {
			count++
		}
	}
	return count
}

// goEffects describes a row of a Go program in the words of Go; waited: the goroutine has waited in the same line. A
// goroutine of the library has a task.
func goEffects(s *replay.Step, task string, waited bool) (list []string) {
	for _, way := range s.Takes {
		switch way = strings.TrimPrefix(way, "select "); {
		case way == "send" && task != "": // the library, which has no text
			list = append(list, "the timer fires")
		case way == "default" && task != "":
			list = append(list, "the timer fires, and the tick is lost: nobody has taken the one before")
		case way == "default":
			list = append(list, "goes on with default")
		default:
			list = append(list, "goes on with the case "+way)
		}
	}
	if s.Acts && idle(replay.Step{Takes: s.Takes, Reads: s.Reads, Writes: s.Writes, Starts: s.Starts}) && waited {
		list = append(list, "goes on")
	}
	if len(s.Starts) > 0 {
		list = append(list, "starts "+strings.Join(s.Starts, ", "))
	}
	return list
}

// goChange is a change of a Go program in its words; empty if the text of the step says it.
func goChange(s *replay.Step, c *replay.Change) string {
	mine := "held by " + s.Goroutine
	value, from, offered := strings.Cut(c.Text, " from ")
	taken, of, was := strings.Cut(c.Before, " from ")
	say := func(text, call string) string {
		if strings.TrimPrefix(s.Text, "defer ") == c.Name+call {
			return ""
		}
		return text
	}
	switch {
	case c.Before == "free" && c.Text == mine:
		return say("locks "+c.Name, ".Lock()")
	case c.Before == mine && c.Text == "free":
		return say("unlocks "+c.Name, ".Unlock()")
	case c.Before == "free" && c.Text == "read by "+s.Goroutine:
		return say("locks "+c.Name+" for reading", ".RLock()")
	case c.Before == "read by "+s.Goroutine && c.Text == "free":
		return say("unlocks "+c.Name, ".RUnlock()")
	case c.Before == "empty" && offered && from == s.Goroutine:
		return "offers " + inner(value) + " on " + c.Name
	case c.Text == "empty" && was && of != s.Goroutine:
		return "receives " + inner(taken) + " from " + of + " on " + c.Name
	case c.Text == "closed" && strings.HasPrefix(s.Text, "close("+c.Name+")"):
		return ""
	}
	return c.String()
}

// inner is a value without its brackets.
func inner(list string) string {
	return strings.TrimSuffix(strings.TrimPrefix(list, "["), "]")
}

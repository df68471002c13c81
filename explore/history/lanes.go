package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Drawing is a history with a lane for each process, in which time goes from left to right: what ends left of where
// something begins had completed when that started.
type Drawing struct {
	// One line for each process; with an empty line between blocks of them if the history is too wide for one.
	Lanes  []string
	Legend []string // what the letters in the lanes stand for; nil if the operations are written out there
}

// Lines are the lanes and the legend.
func (d *Drawing) Lines() []string { return append(slices.Clone(d.Lanes), d.Legend...) }

// Draw draws a history. name gives a process a name, label an operation a text; width is how many columns there are.
func Draw(h *History, name func(proc int) string, label func(operation int) string, width int) *Drawing {
	var procs []int
	indent := 0
	for i := range h.Operations {
		if p := h.Operations[i].Proc; !slices.Contains(procs, p) {
			procs = append(procs, p)
			indent = max(indent, utf8.RuneCountInString(name(p)))
		}
	}
	room := max(width-indent-2, 20)
	labels := make([]string, len(h.Operations))
	for i := range labels {
		labels[i] = label(i)
	}
	d := &Drawing{}
	at, end := h.columns(labels)
	if end > room {
		for i := range labels {
			letter := letters(i)
			d.Legend = append(d.Legend, fmt.Sprintf("%s: %s %s", letter, name(h.Operations[i].Proc), labels[i]))
			labels[i] = letter
		}
		at, end = h.columns(labels)
	}
	lanes := make([][]rune, len(procs))
	for k, p := range procs {
		lanes[k] = []rune(strings.Repeat(" ", end))
		for i := range h.Operations {
			if h.Operations[i].Proc == p {
				h.draw(lanes[k], i, labels[i], at[i], end)
			}
		}
	}
	for from := 0; from < end; from += room {
		if from > 0 {
			d.Lanes = append(d.Lanes, "")
		}
		for k, p := range procs {
			part := string(lanes[k][from:min(end, from+room)])
			d.Lanes = append(d.Lanes, strings.TrimRight(fmt.Sprintf("%-*s  %s", indent, name(p), part), " "))
		}
	}
	return d
}

// draw draws an operation into its lane.
func (h *History) draw(lane []rune, i int, label string, at span, end int) {
	last := at.to
	if h.Operations[i].Pending {
		last = end
	}
	for k := at.from + 1; k < last; k++ {
		lane[k] = '-'
	}
	lane[at.from] = '|'
	copy(lane[at.from+3:], []rune(label))
	if h.Operations[i].Pending {
		copy(lane[end-3:], []rune("..."))
	} else {
		lane[at.to] = '|'
	}
}

// letters are a to z, then aa, ab and so on.
func letters(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letters(i/26-1) + letters(i%26)
}

// A span has the columns of the two bars of an operation.
type span struct{ from, to int }

// columns finds places for all starts and ends, in their order and with room for the labels between, and how many
// columns that takes.
func (h *History) columns(labels []string) (at []span, end int) {
	starts, ends := h.times()
	var moments []int64
	for i := range starts {
		moments = append(moments, starts[i])
		if !h.Operations[i].Pending {
			moments = append(moments, ends[i])
		}
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	column := map[int64]int{}
	next := 0
	wide := func(i int) int { return 5 + utf8.RuneCountInString(labels[i]) } // |--label--|
	for _, m := range moments {
		for i := range ends {
			if ends[i] == m && !h.Operations[i].Pending {
				next = max(next, column[starts[i]]+wide(i))
			}
		}
		column[m] = next
		end = next + 1
		next += 2
	}
	for i := range starts {
		s := span{from: column[starts[i]], to: column[ends[i]]}
		if h.Operations[i].Pending {
			end = max(end, s.from+wide(i)+3)
		}
		at = append(at, s)
	}
	return at, end
}

// InOrder are the operations by when they started, those that started at once by when they ended.
func (h *History) InOrder() []int {
	starts, ends := h.times()
	list := seq(len(h.Operations))
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(starts[a], starts[b]), cmp.Compare(ends[a], ends[b]))
	})
	return list
}

package native

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cdpor/explore/replay"
	"cdpor/lang/golang/native"
)

// An Access is a side of a data race in the report of the race detector.
type Access struct {
	What    string // read, write or previous read, previous write
	Place   string // file:line, from a folder
	by      string // the goroutine
	started string // by which statement, "" outside of the folder
	root    string // the function of the folder that was called first
}

// Accesses are those of the first data race that the race detector has told of: the later one, and the previous one.
func Accesses(said, dir string) (list []Access) {
	what, by, of, under, function := "", "", -1, -1, ""
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\n")
		access, who, isAccess := strings.Cut(line, " at 0x")
		at := PlaceIn(line, dir)
		switch {
		case strings.HasPrefix(line, "WARNING: ") && len(list) > 0:
			return list
		case isAccess:
			_, by, _ = strings.Cut(who, " by ")
			what, by, of = strings.ToLower(access), strings.ToLower(strings.TrimSuffix(by, ":")), -1
			under = -1
		case strings.HasPrefix(line, "Goroutine "):
			what, of, under = "", -1, -1
			for i := range list {
				if strings.HasPrefix(strings.ToLower(line), list[i].by+" (") {
					of = i
				}
			}
		case at == "":
			function = line
		case what != "" && len(list) < 2:
			list = append(list, Access{What: what, Place: at, by: by, root: function})
			what, under = "", len(list)-1
		case under >= 0:
			list[under].root = function
		case of >= 0:
			list[of].started, of = at, -1
		}
	}
	return list
}

// PlaceIn is the place that a line of a stack names, "" if it is outside of a folder.
func PlaceIn(line, dir string) string {
	place, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest, err := filepath.Rel(dir, place)
	if err != nil || !filepath.IsLocal(rest) || !strings.Contains(rest, ".go:") {
		return ""
	}
	return rest
}

// A gate is the position where a goroutine has gone on, in a row of the account; without a file: its beginning.
type gate struct {
	row  int
	file string
	line int
}

// between reports whether an access can be what a goroutine has done behind a gate of its account, and before the next
// one. Where it was started the race detector does not always know.
func (a *accounting) between(proc, k int, of *Access) bool {
	at, _, _ := strings.Cut(a.started[proc], "#")
	if proc < 2 || k < 0 || of.started != "" && of.started != at {
		return false
	}
	if literal := strings.Contains(of.root, ".func"); literal && at == "" { // the test is no function literal
		return false
	}
	file, line := splitPlace(of.Place)
	gates, next := a.gates[proc], gate{file: file, line: line}
	if k+1 < len(gates) {
		next = gates[k+1]
	} else if c := a.next[proc]; c != nil && !a.over[proc] {
		next.file, next.line = splitPlace(a.place(c))
	}
	begins := gates[k].file == "" || gates[k].file == file && gates[k].line <= line
	return begins && (next.file != file || line <= next.line)
}

// race tells the two accesses of a data race, of which the later one comes behind a step: each in a line between two
// gates of its goroutine, the previous one where that was the last time.
func (a *accounting) race(s *native.Step, list []Access) {
	if len(list) < 2 {
		return
	}
	later := s.Proc
	for k := 0; k < len(s.Changes) && !a.between(later, len(a.gates[later])-1, &list[0]); k++ {
		later = s.Changes[k].Proc
	}
	if !a.between(later, len(a.gates[later])-1, &list[0]) {
		return
	}
	row, by := -2, 0
	for _, proc := range slices.Sorted(maps.Keys(a.gates)) {
		for k, g := range a.gates[proc] {
			if proc != later && g.row > row && a.between(proc, k, &list[1]) {
				row, by = g.row, proc
			}
		}
	}
	if row >= -1 {
		a.Steps[a.access(row+1, by, &list[1])].Text += " // the " + list[1].What
	}
	a.Steps[a.access(len(a.Steps), later, &list[0])].Fails = string(Race)
}

// access is the row of an access of a goroutine: the one before a place among the rows, or a new one there.
func (a *accounting) access(at, proc int, of *Access) int {
	file, line := splitPlace(of.Place)
	if b := at - 1; b >= 0 && a.Steps[b].Proc == proc && a.Steps[b].File == file && a.Steps[b].Line == line {
		return b
	}
	a.Steps = append(a.Steps[:at:at], append([]replay.Step{{Proc: proc, Goroutine: a.name(proc), File: file, Line: line,
		Step: of.Place, Text: a.text(file, line)}}, a.Steps[at:]...)...)
	for q, last := range a.last {
		if last >= at {
			a.last[q]++
		}
	}
	a.last[proc] = max(a.last[proc], at)
	return at
}

func splitPlace(place string) (file string, line int) {
	file, number, _ := strings.Cut(place, ":")
	line, _ = strconv.Atoi(number)
	return file, line
}

package slice

import (
	"slices"

	"cdpor/lang/step"
)

// A schedule of a slice is made one of the program by letting each process take the steps that were left out just
// before the next one that was kept. With Deadlock none of them can block, fail or run for ever, since what comes after
// would depend on that. What is left in the end is executed in any order. Once its criterion is decided, an exact slice
// may go ways that the program does not: a process that cannot follow is left alone from then on. So what a schedule
// leads to has to be looked at.

// maxExtended is how many steps an extended schedule may have.
const maxExtended = 100_000

// Extend is a schedule of the whole program that contains a schedule of the slice; part and whole are the machines of
// the two, part that of Cut. complete says that what is left after it shall be executed. It is nil if the schedule
// becomes too long.
func (r *Result) Extend(part, whole *step.Machine, schedule []int32, complete bool) []int32 {
	x := &extension{r: r, part: part, whole: whole, p: part.NewRunner(), w: whole.NewRunner(), in: part.Initial(),
		of: whole.Initial(), schedule: []int32{}, lost: map[int]bool{}}
	for p := range part.NumProcs() {
		x.proc = append(x.proc, p)
		if part.Program.Procs[p].Template.Pool != nil {
			x.proc[p] = -1
		}
	}
	x.meet()
	for _, a := range schedule {
		if p := part.ProcOf(int(a)); x.lost[p] {
			x.p.Take(x.in, int(a))
		} else if !x.follow(int(a)) {
			x.lost[p] = true
		}
		if len(x.schedule) == maxExtended {
			return nil
		}
	}
	for more := complete; more; {
		more = false
		for p := range whole.NumProcs() {
			for whole.StepOf(x.of, p) != nil && x.w.Enabled(x.of, p) {
				if !x.take(p, 0) {
					return nil
				}
				more = true
			}
		}
	}
	return x.schedule
}

type extension struct {
	r           *Result
	part, whole *step.Machine
	p, w        *step.Runner
	in, of      step.State // of the slice and of the program
	proc        []int      // process of the slice -> of the program; -1 while it has not been started
	schedule    []int32
	lost        map[int]bool // processes of the slice that the program does not follow any more
}

// take executes a step of the program.
func (x *extension) take(p, choice int) bool {
	if len(x.schedule) == maxExtended || x.whole.StepOf(x.of, p) == nil ||
		!x.w.CanTake(x.of, x.whole.FirstAction(p)+choice) {
		return false
	}
	x.w.Take(x.of, x.whole.FirstAction(p)+choice)
	x.schedule = append(x.schedule, int32(x.whole.FirstAction(p)+choice))
	return true
}

// follow executes an action of the slice, and what belongs to it in the program.
func (x *extension) follow(a int) bool {
	p := x.part.ProcOf(a)
	s, q := x.part.StepOf(x.in, p), x.proc[p]
	x.p.Take(x.in, a)
	if q < 0 {
		return false
	}
	t := x.r.Graph.of[x.whole.Program.Procs[q].Template][0]
	next, ended := step.End, true
	if after := x.part.StepOf(x.in, p); after != nil {
		next, ended = x.next(t, after.Entry), false
	}
	kept := x.r.Has(Node{t, s.Entry})
	for kept && x.at(q) != s.Entry { // what was left out before it
		if at := x.at(q); at == step.End || x.r.Has(Node{t, at}) || !x.take(q, 0) {
			return false
		}
	}
	if !kept && x.at(q) == step.End {
		return true // an empty step, before which the program had come to its end
	}
	choice := 0
	if kept {
		choice = x.part.ChoiceOf(a)
	}
	_, _, fails := x.part.Failure(x.in, p)
	for first := true; ; first = false {
		if !first {
			_, _, failed := x.whole.Failure(x.of, q)
			there := x.at(q)
			arrived := there == step.End || !ended && x.next(t, there) == next
			if failed || x.part.Dropped(x.in, p) && there == step.End || !fails && arrived {
				break
			}
			if x.r.Has(Node{t, there}) {
				return false
			}
		}
		if !x.take(q, choice) {
			return false
		}
		choice = 0
	}
	x.meet()
	return true
}

// at is where a process of the program stands.
func (x *extension) at(q int) int {
	if s := x.whole.StepOf(x.of, q); s != nil {
		return s.Entry
	}
	return step.End
}

// next is the first kept node from a node on.
func (x *extension) next(t, i int) int {
	ways, _ := x.r.landings(t, i)
	if len(ways) == 0 || ways[0].to == x.r.Graph.threads[t].end {
		return step.End
	}
	return ways[0].to
}

// meet finds out which process of the program is which of the slice: those that have just been started, in the order of
// their numbers.
func (x *extension) meet() {
	for p, q := range x.proc {
		if q >= 0 || x.part.Asleep(x.in, p) {
			continue
		}
		name := x.part.Program.Procs[p].Template.Name
		for q, proc := range x.whole.Program.Procs {
			if proc.Template.Name == name && !x.whole.Asleep(x.of, q) && !slices.Contains(x.proc, q) {
				x.proc[p] = q
				break
			}
		}
	}
}

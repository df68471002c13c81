package step

import "slices"

// procs is the code of the processes, and what a state says of each.
type procs []procCode

// procCode is the compiled code of one process.
type procCode struct {
	template *Template
	control  int // word of the control word
	base     int // first local word
	nodes    []nodeFunc
	stepOf   []int32 // node -> step that begins there, or -1
	steps    []stepCode
	atEnd    []int32 // local words to zero when the process ends
	all      []int32 // all local words, to zero when it fails or is dropped

	alternatives int // the most that a step has
	life         int // word of the process in Pool.Life, -1 if it runs from the start
	crashed      int // word of the flag of Template.Crashed, -1 if it cannot crash
}

// stepCode is one compiled step of one process.
type stepCode struct {
	step    *Step
	entry   int32
	cover   int32   // its place in a Coverage
	guard   intFunc // nil: always enabled
	choices intFunc // number of alternatives; nil: one
	// guards are the guards of the alternatives, if the step begins with a guarded choice; nil is that of what it does
	// otherwise.
	guards []intFunc
	dead   []int32 // local words that are dead when the step is about to run
	foot   footCode

	guardFoot footCode // of the guard alone, if there is one
}

// NumProcs is the number of processes.
func (ps procs) NumProcs() int { return len(ps) }

// LocalBase is the word where the locals of a process begin; Var.Offset is added to it.
func (ps procs) LocalBase(proc int) int { return ps[proc].base }

// StepOf is the next step of a process, nil when it is finished, failed or dropped.
func (ps procs) StepOf(s State, proc int) *Step {
	c := &ps[proc]
	if pc := s[c.control]; pc >= 0 {
		return c.steps[pc].step
	}
	return nil
}

// Finished reports whether the process came to its end.
func (ps procs) Finished(s State, proc int) bool { return s[ps[proc].control] == finished }

// Asleep reports whether the process has not been started.
func (ps procs) Asleep(s State, proc int) bool { return s[ps[proc].control] == asleep }

// Dropped reports whether an assumption of the process failed.
func (ps procs) Dropped(s State, proc int) bool { return s[ps[proc].control] == dropped }

// Void reports whether some process has failed or was dropped, so that executions are not judged from the state on.
func (ps procs) Void(s State) bool {
	for p := range ps {
		if ps.Failed(s, p) || ps.Dropped(s, p) {
			return true
		}
	}
	return false
}

// Failed reports whether the process failed.
func (ps procs) Failed(s State, proc int) bool {
	code := s[ps[proc].control]
	return code < dropped && code != asleep
}

// Failure tells what a failed process failed with, and where.
func (ps procs) Failure(s State, proc int) (fault Fault, node *Node, failed bool) {
	c := &ps[proc]
	code := dropped - 1 - s[c.control]
	if code < 0 || s[c.control] == asleep {
		return NoFault, nil, false
	}
	return Fault(code % int64(EndOfFaultSet)), c.template.Nodes[code/int64(EndOfFaultSet)], true
}

// SameProcess reports whether a process stands at the same place with the same locals in two states. Once it has been
// started, only its own steps change that.
func (ps procs) SameProcess(a, b State, proc int) bool {
	c := &ps[proc]
	lo, hi := c.control, c.base+c.template.LocalWords
	return slices.Equal(a[lo:hi], b[lo:hi])
}

// MayWaitForever reports whether it is no deadlock that a process waits for ever: it is a daemon, or has crashed.
func (ps procs) MayWaitForever(s State, proc int) bool {
	return ps[proc].template.Daemon || ps.Crashed(s, proc)
}

// Crashed reports whether a process has crashed.
func (ps procs) Crashed(s State, proc int) bool {
	c := &ps[proc]
	return c.crashed >= 0 && s[c.crashed] != 0
}

// CrashFlag reports whether a word of a state says that some process has crashed.
func (ps procs) CrashFlag(word int) bool {
	return slices.ContainsFunc(ps, func(c procCode) bool { return c.crashed == word })
}

// AnyFootprint is the union of the footprints of a step over all local states of a process.
func (ps procs) AnyFootprint(proc, step int) Footprint { return ps[proc].steps[step].foot.any }

// MadeDependent reports whether two steps of different processes are dependent, in some states at least, because of a
// property that one of them checks at its end. False if they would be in every state anyway.
func (ps procs) MadeDependent(proc, step, otherProc, otherStep int) bool {
	a, b := &ps[proc].steps[step].foot, &ps[otherProc].steps[otherStep].foot
	if Conflict(a.code, b.code) {
		return false
	}
	return a.checks != nil && Conflict(a.checks, b.any) || b.checks != nil && Conflict(a.any, b.checks)
}

func failure(fault Fault, node int) int64 {
	return dropped - 1 - (int64(node)*int64(EndOfFaultSet) + int64(fault))
}

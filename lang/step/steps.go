package step

// steps is the table of the steps of all processes, by number.
type steps struct {
	count   int
	base    []int // per process: the number of its first step
	info    []stepInfo
	selects bool // some step begins with a guarded choice
	idles   bool // some step is idle
}

type stepInfo struct {
	guarded, selects, begins, starts, refinable, fixed, idle bool

	foot Footprint // any
}

// FirstStepID is the id of step 0 of a process; its other steps follow.
func (t *steps) FirstStepID(proc int) int { return t.base[proc] }

// NumSteps is the number of steps of all processes.
func (t *steps) NumSteps() int { return t.count }

// Guarded reports whether a step, given by its id, may be disabled when a process stands at it.
func (t *steps) Guarded(id int) bool { return t.info[id].guarded }

// Selects reports whether a step, given by its id, begins with a guarded choice: which alternatives are possible
// depends on what others do.
func (t *steps) Selects(id int) bool { return t.info[id].selects }

// HasSelects reports whether some step begins with a guarded choice.
func (t *steps) HasSelects() bool { return t.selects }

// Idle reports whether a step, given by its id, stands for the passing of time (Node.Idle).
func (t *steps) Idle(id int) bool { return t.info[id].idle }

// HasIdle reports whether some step does.
func (t *steps) HasIdle() bool { return t.idles }

// Starts reports whether a step, given by its id, may start processes.
func (t *steps) Starts(id int) bool { return t.info[id].starts }

// Begins reports whether a step, given by its id, may be the first of a process that another one starts.
func (t *steps) Begins(id int) bool { return t.info[id].begins }

// Fixed reports whether a step, given by its id, has the same footprint in all states.
func (t *steps) Fixed(id int) bool { return t.info[id].fixed }

// Refinable reports whether Unwritten can ever hold for a step, given by its id.
func (t *steps) Refinable(id int) bool { return t.info[id].refinable }

// FootprintAt is AnyFootprint of the step with an id.
func (t *steps) FootprintAt(id int) Footprint { return t.info[id].foot }

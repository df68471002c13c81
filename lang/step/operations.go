package step

// What a program records of the operations that it performs, so that the histories of its executions can be compared
// with a sequential specification (Herlihy and Wing, Linearizability: A Correctness Condition for Concurrent Objects,
// TOPLAS 12, 1990). The nodes that record are ordinary ones, marked Ghost.

// A Spec is a sequential specification: what operations do when one follows the other.
type Spec struct {
	Pos Pos
	// Program has the variables of the specification as its shared variables, and for each operation a template with
	// one process, in the order of Operations.
	Program    *Program
	Operations []*Operation
}

// An Operation is a procedure of a specification.
type Operation struct {
	Name   string
	Pos    Pos
	Params []*Var // locals of its template in Spec.Program
	Result *Var   // one too; nil without a result
}

// A Recorder says where the processes of a template record their operations. Each has a log of them, in which entry
// number Done, counted from 0, is the present one. When an operation completes, Ended[self] becomes Done+1. When one
// starts, the process copies the Ended of all templates into its entry: what had been completed by then happened
// before.
type Recorder struct {
	Template int   // in Program.Templates
	Ended    *Var  // shared: an array of counts by the number of the process within its template
	Done     *Var  // local: how many operations the process has completed
	Log      *Var  // local: an array of records with the fields below
	Opening  *Var  // local: the present operation has not started; nil if that is clear from the place in the code
	Ops      []int // operations that processes of the template perform, ascending
	Before   []int // the field that has a copy of Ended, per Recorder of the program
	Args     []int // the field of the first argument, per element of Ops
	Results  []int // the field of the result, per element of Ops; -1 without one
}

// OpField is the field of a record in a log that says which operation was started: its number in Spec.Operations plus
// one; 0 says that none was.
const OpField = 0

// A Mark is the role of a node of an operation while a program is made.
type Mark struct {
	Op     int
	Begins bool    // the operation begins with the next step; otherwise it is over
	Args   []*Expr // of one that begins
	Result *Expr   // of one that is over; nil without one
	Inside bool    // the mark is inside a step
}

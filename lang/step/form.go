package step

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// A Pos is a place in the program; line and column count from 1, columns in runes. The zero Pos means "no place".
type Pos struct {
	Line, Col int
	File      string // empty for the only file of a program
}

func (p Pos) String() string {
	if p.File != "" {
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
	}
	return fmt.Sprintf("%d:%d", p.Line, p.Col)
}

// Kind is the shape of a type.
type Kind uint8

const (
	Int    Kind = iota // mathematical integer; leaving int64 is a run-time error
	Range              // Int restricted to Lo..Hi, checked when assigned
	Bool               // 0 or 1
	Enum               // index into Names
	Array              // Len elements, indexed from 0
	List               // up to Len elements: size word, then the elements; unused elements are zero
	Queue              // laid out like List; the head is element 0
	Option             // presence word (0 or 1), then the value, which is zero when absent
	Mutex              // 0 is free, else 1 + index of the Proc that holds it
	Record             // the Fields, one after the other
	// integer of Bits bits that wraps around; 64 unsigned bits are kept as the int64 with the same bits
	Sized
	Set // laid out like List; elements ascending by their words, no two equal
	Bag // like Set, but elements may be equal
	Map // like Set; the elements are Records of a key and a value, ascending by key
)

// A Type describes values. A value takes Words consecutive words of a state; equal values have equal words.
type Type struct {
	Kind   Kind
	Name   string   // the declared name, if it has one
	Lo, Hi int64    // Range: the bounds, both included
	Names  []string // Enum: the members
	Elem   *Type    // Array, List, Queue, Option, Set, Bag, Map
	Len    int      // Array: the length; List, Queue, Set, Bag, Map: the capacity
	Fields []Field  // Record
	Bits   int      // Sized: 8, 16, 32 or 64
	// Unsigned tells uint8 from int8.
	Unsigned bool
	// Sync is the name of the synchronisation primitive whose words a Record is, empty for data. Only the front end,
	// and what explains deadlocks to people, give it a meaning: such values are not copied or compared by programs.
	Sync string
	// Ref names the class that an Enum of processes refers to, empty for data; of meaning to the front end only.
	Ref string
}

// Reference is the name of the type of numbers that refer to something, of a Go program.
const Reference = "reference"

// A Field is a part of a Record.
type Field struct {
	Name string
	Type *Type
}

// Counted reports whether a value is a size word followed by room for Len elements.
func (t *Type) Counted() bool {
	return t.Kind == List || t.Kind == Queue || t.Kind == Set || t.Kind == Bag || t.Kind == Map
}

// Sorted reports whether the elements are kept in ascending order.
func (t *Type) Sorted() bool { return t.Kind == Set || t.Kind == Bag || t.Kind == Map }

// Key is the type that elements of a Set, Bag or Map are found by.
func (t *Type) Key() *Type {
	if t.Kind == Map {
		return t.Elem.Fields[0].Type
	}
	return t.Elem
}

// FieldAt is the word at which a field of a Record begins.
func (t *Type) FieldAt(field int) int {
	at := 0
	for _, f := range t.Fields[:field] {
		at += f.Type.Words()
	}
	return at
}

// Words is the number of words a value of the type takes.
func (t *Type) Words() int {
	switch t.Kind {
	case Array:
		return t.Len * t.Elem.Words()
	case List, Queue, Set, Bag, Map:
		return 1 + t.Len*t.Elem.Words()
	case Record:
		return t.FieldAt(len(t.Fields))
	case Option:
		return 1 + t.Elem.Words()
	}
	return 1
}

// Scalar reports whether a value is one word.
func (t *Type) Scalar() bool { return t.Kind <= Enum || t.Kind == Mutex || t.Kind == Sized }

// Numeric reports whether a value is a mathematical integer.
func (t *Type) Numeric() bool { return t.Kind == Int || t.Kind == Range }

// The types every program has.
var (
	IntType   = &Type{Kind: Int}
	BoolType  = &Type{Kind: Bool}
	MutexType = &Type{Kind: Mutex}
)

// A Var is a shared variable or a local of a template.
type Var struct {
	Name   string
	Shown  string // what people call it, if that is something else; several may be called the same
	Type   *Type
	Pos    Pos
	Shared bool
	Offset int  // in words: in the shared part of the state, or in the locals of the template
	Temp   bool // made by lowering; has no name in the source
	// Quiet says that people are not told of its values, Rounds that its elements are things of one name, such as
	// the variables of the rounds of a loop.
	Quiet, Rounds bool
	// Printed is the text of the expression whose value the program prints by assigning it to this Temp; empty for
	// others.
	Printed string
	Given   *Expr // what the program says a thread parameter is, of constants and the number of the instance
	Life    bool  // says how far processes of pools are
	Keep    bool  // a local that observe or a property reads after the thread has ended
}

// Op is the operator of an expression.
type Op uint8

const (
	Const   Op = iota // Words: the value. Name: the constant's name in the source, if any
	VarRef            // Var; Of says whose local it is
	Self              // number of the instance within its template; Of says whose
	Me                // value of type Mutex that means "held by this process"; Of says whose
	Index             // element Args[1] of the array or counted value Args[0]. Out of range is an error
	Some              // Args[0] as a present Option
	Unwrap            // the value of the Option Args[0]; absent is an error
	Present           // whether the Option Args[0] is present
	Neg               // -a; leaving int64 is an error, as for Add, Sub, Mul, Div
	Add
	Sub
	Mul
	Div // truncates towards zero; division by zero is an error, as for Mod
	Mod // sign of the dividend
	Not
	And // Args[1] is evaluated only if Args[0] is true
	Or  // Args[1] is evaluated only if Args[0] is false
	Eq  // of two values of equal type (Int and Range mix)
	Ne
	Lt
	Le
	Gt
	Ge
	Cond     // Args[0] ? Args[1] : Args[2]
	Size     // number of elements of the counted value Args[0]
	MakeList // a List or Queue value of the elements Args
	Part     // field number Field of the Record Args[0]
	Make     // a Record or Array value of the parts Args
	Call     // the result of Func for the arguments Args
	Convert  // the integer Args[0] as Type: wraps around into Sized; leaving int64 is an error for Int
	Fit      // the counted value Args[0] as Type, which differs in capacity; more elements than fit are an error
	Concat   // the elements of Args[0], then those of Args[1]; more than fit are an error
	Slice    // elements Args[1] (included) to Args[2] (not included) of Args[0] as a List. Outside of it is an error
	Sort     // the List Args[0] in ascending order of the words of its elements
	Reverse  // the List Args[0] backwards
	Has      // whether the Set or Bag Args[0] contains Args[1], or the Map has it as a key
	Lookup   // the value that the Map Args[0] has for the key Args[1]; none is an error
	// the Set, Bag or Map Args[0] with the element Args[1], which replaces one of equal key in a Map; too many are an
	// error
	Put
	Drop // the Set, Bag or Map Args[0] without (one) element of the key Args[1], if there is one

	// BitAnd to ShiftRight are of Sized integers, bit by bit. A shift is by Args[1] bits, read as unsigned; the sign
	// of a signed Args[0] moves in from the left.
	BitAnd
	BitOr
	BitXor
	ShiftLeft
	ShiftRight
)

// Whose local a VarRef, Self or Me means, besides an index into Program.Procs (used by properties).
const (
	Own = -1 // the process that runs the code
	P   = -2 // in constraints: the process of the first step of the pair
	Q   = -3 // in constraints: the process of the second step of the pair
)

// An Expr is a pure, typed expression tree. It is immutable and may be shared.
type Expr struct {
	Op    Op
	Type  *Type
	Pos   Pos
	Args  []*Expr
	Var   *Var
	Of    int
	Field int     // Part
	Func  *Func   // Call
	Words []int64 // Const
	Name  string  // Const: "MAX", "null", an enum member; empty for a literal
}

// NodeKind says what a node does.
type NodeKind uint8

const (
	Nop    NodeKind = iota // nothing
	Assign                 // Dst = Src
	Branch                 // continue with Next if Cond, else with Else
	// the step is enabled only while Cond holds; an error while evaluating Cond counts as enabled
	Await
	Check   // error Fault with Msg unless Cond holds
	Assume  // the process is dropped unless Cond holds
	Append  // append Src to the list or queue Dst; a full one is an error
	PopHead // remove the first element of the list or queue Dst; an empty one is an error
	PopTail // remove the last element of the list Dst; an empty one is an error
	// Dst, a local, becomes one of 0 .. Src-1; which one is part of the schedule. See Cond and Otherwise
	Choose
	// start a process of Target with Args as its first locals; Dst, if there is one, becomes its number in Pool.Life
	Spawn
)

// Fault is the kind of a run-time error.
type Fault uint8

const (
	NoFault          Fault = iota
	Assertion              // assert
	BadIndex               // index out of range
	Overflow               // integer left int64
	DivideByZero           //
	OutOfRange             // value outside the declared range
	Full                   // append to a full list or queue
	Empty                  // pop from an empty list or queue
	NullValue              // value of an absent option
	NotHeld                // unlock of a mutex that this process does not hold
	EndlessLoop            // a step took more nodes than the step budget
	BadProperty            // evaluating a property failed
	TooManyChoices         // a choice among more than MaxAlternatives
	TooManyProcesses       // a pool has no identity left
	TooDeep                // more calls inside each other than the bound of recursion
	NoKey                  // a map has no value for a key
	Misused                // a synchronisation primitive used against its rules; Msg of the node says how
	Panicked               // a panic of a Go program; Msg of the node says which
	Race                   // two processes have conflicting accesses next; Msg of the node says to what
	EndOfFaultSet          // not a fault
)

var faultNames = [...]string{"", "assertion failed", "index out of range", "integer overflow", "division by zero",
	"value out of range", "capacity exceeded", "empty", "null value", "mutex not held", "endless loop",
	"property cannot be evaluated",
	"too many alternatives", "too many processes", "recursion too deep", "no such key", "synchronisation misused",
	"panic", "data race"}

func (f Fault) String() string { return faultNames[f] }

// End as a successor means that the process is finished.
const End = -1

// A Node is one elementary action.
type Node struct {
	Kind NodeKind
	Pos  Pos
	Text string // the source statement it came from, on one line
	// Calls are the places of the calls that the node was written out for, outermost first.
	Calls []Pos
	Dst   *Expr // a place: VarRef, or Index of a place
	Src   *Expr
	// Cond is the condition of a Branch, an Await, a Check, and an Assume. With one, a Choose is a guarded choice: an
	// alternative is possible only while Cond holds when Dst is that; an error while evaluating it counts as possible.
	// The step is enabled while an alternative is possible. Without one the Choose touches nothing shared.
	Cond *Expr
	// Otherwise makes the last alternative of a guarded choice possible while no other is.
	Otherwise bool
	// Fault and Msg describe a failing Check.
	Fault Fault
	Msg   string
	// Bound, of an Assume with a Msg, is the name of the bound that the user can raise, empty if there is none.
	Bound string
	// Next is the successor, Else the other one of a Branch; End finishes the process.
	Next, Else int
	Visible    bool // begins a step
	// Idle says of the first node of a step that it stands for the passing of time: it could wait until no process can
	// take another step.
	Idle bool
	// Plain says of the first node of a step that the step accesses data in a way that does not synchronise.
	Plain bool
	Label string
	// Spawn: what is started, with which locals, and the place that counts how often this node has done so.
	Target  *Template
	Args    []*Expr
	Counter *Expr
	// Maker, if there is one, says in whose name it is started: a process of MakerOf by its Self. Otherwise in that of
	// the process that executes the node.
	Maker   *Expr
	MakerOf *Template
	// Property, if there is one, is why the node is there: it is no code of the thread but belongs to the check of an
	// Always or Transition at the end of a step.
	Property *Property
	// Decides names for people what a Choose or a Branch decides; nil: nothing that has a name in the program.
	Decides *Decision
	// Ghost says that the node is no code of the thread either but records operations.
	Ghost bool
	// Mark, if there is one, says what the node will be replaced by.
	Mark *Mark
	// What follows is for people, and set by front ends of other languages. Deed is the operation that the node belongs
	// to. Waits describe the conditions that it may wait for. Returns, and ElseReturns of a Branch, is where the
	// process returns if the node is the last that it executes.
	Deed                 Deed
	Waits                []Wait
	Returns, ElseReturns Pos
}

// A Decision is between the alternatives of a construct of the program. It does not matter for what a node does.
type Decision struct {
	// Ways are the alternatives: of a Choose in their order, of a Branch that of Next and that of Else. An empty name
	// is not shown.
	Ways []string
	// Value is the expression Of whose value a Choose chooses, if it does; then there are no Ways.
	Value *Expr
	Of    string
}

// A Step is a visible node and the invisible nodes reachable from it without passing another visible one.
type Step struct {
	Index    int // in Template.Steps
	Template *Template
	Label    string // as written, or "thread.k"; unique in its template
	Pos      Pos
	Entry    int   // the visible node
	Nodes    []int // all its nodes, Entry first, in an order in which loops aside predecessors come first

	modifiedOnce sync.Once
	modified     map[int]wordSet // see modifiedBefore
}

// Name is how constraint files and schedules call the step: template.label.
func (s *Step) Name() string { return s.Template.Name + "." + s.Label }

// A Func is a pure function: a graph of nodes like that of a template, over its own locals only. Call runs it in a
// frame of its own, zeroed except for the parameters.
type Func struct {
	Name       string
	Pos        Pos
	Params     []*Var // the first of Locals
	Result     *Var   // the local that holds the result at the end
	Locals     []*Var
	LocalWords int
	Nodes      []*Node
	Start      int
	Depth      int // how many calls of functions may be inside each other
}

// A Template is the code of one declared thread.
type Template struct {
	Name       string
	Pos        Pos
	Count      int    // number of instances
	Multi      bool   // declared with count: instances are called name[0], name[1], ...
	Locals     []*Var // thread parameters first
	LocalWords int
	Nodes      []*Node
	Start      int // first node: the prelude runs from here to the first visible node when the program starts
	Steps      []*Step
	Pool       *Pool // not nil: the instances sleep until they are spawned
	Daemon     bool  // that it waits for ever is no deadlock
	// Crashed, if there is one, is a flag, or an array of one per instance: set when the instance has crashed. The code
	// waits for it to be clear at each step; that it does so for ever is no deadlock.
	Crashed *Var
	Crasher bool // it sets the flags Crashed of others, and nothing else

	liveOnce sync.Once
	live     []wordSet // per node, see LiveIn

	tempOnce sync.Once
	temps    map[*Var]string

	assignedOnce sync.Once
	assigned     map[*Var]bool // locals that nodes write
}

// TempNames are the names of the locals that lowering made, which a function finds once the template is complete.
func (t *Template) TempNames(find func(*Template) map[*Var]string) map[*Var]string {
	t.tempOnce.Do(func() { t.temps = find(t) })
	return t.temps
}

// A Proc is one running instance of a template.
type Proc struct {
	Index    int // in Program.Procs
	Template *Template
	Self     int64
	Name     string  // template name, with [Self] if the template was declared with count
	Shown    string  // what people call it, if that is something else
	Init     []int64 // initial local words (thread parameters), LocalWords long
}

// A Property is a condition with what to say about it.
type Property struct {
	Pos  Pos
	Text string // as written
	// Bool over shared variables and, by process index, locals; nil for a Transition, which only nodes can say
	Expr *Expr
	Msg  string // message of the program, may be empty
}

// An Observed is one named value that terminal states are compared on.
type Observed struct {
	Name string // "x", "reader[0].seen"
	Expr *Expr
}

// Deadlock says how deadlocks are judged.
type Deadlock uint8

const (
	DeadlockForbidden Deadlock = iota
	DeadlockAllowed
	DeadlockRequired
)

// Termination says how executions that do not end are judged.
type Termination uint8

const (
	TerminationRequired Termination = iota // from every state an end can be reached
	TerminationFair                        // and every execution ends if the scheduler is fair
	TerminationAllowed                     // they need not end
)

var terminationNames = [...]string{"required", "fair", "allowed"}

func (t Termination) String() string { return terminationNames[t] }

// Fairness is the assumption on the scheduler where executions as a whole are judged.
type Fairness uint8

const (
	FairnessUnsaid Fairness = iota // strong if Termination is fair, else weak
	FairnessWeak                   // what is enabled for ever is done
	FairnessStrong                 // what is enabled again and again is done
)

// LeadsTo says that after each state where From holds, To holds then or at some later time.
type LeadsTo struct {
	*Property // Text and place of the whole; Expr is nil
	From, To  *Expr
}

// Checks are the properties of a program.
type Checks struct {
	Deadlock    Deadlock
	DeadlockPos Pos
	// RacesForbidden says that the nodes look for data races, which are failures.
	RacesForbidden bool
	Final          []*Property // in every normally ended execution
	FinalAny       []*Property // in deadlocked ones too
	Reachable      []*Property // in at least one normally ended execution
	Unreachable    []*Property // in none
	Outcomes       [][]int64   // the exact set of values of Observe over normal ends, one row each; nil: not checked
	OutcomesPos    Pos
	// Always hold in every state, Transition for every step between the states before and after it. Who makes the
	// program gives each step that may break one a Check node with this Property at each of its ends; what is left to
	// look at is Always in the initial state.
	Always     []*Property
	Transition []*Property
	// What is judged on the whole state graph, under a fairness of the scheduler: see package explore/liveness.
	Termination    Termination
	TerminationPos Pos
	Fairness       Fairness
	Eventually     []*Property // holds at some time in every execution
	LeadsTo        []*LeadsTo
	Stabilises     []*Property // holds for ever from some time on in every execution
}

// Live reports whether the checks have something that is about all of an execution, termination aside.
func (c *Checks) Live() bool { return len(c.Eventually)+len(c.LeadsTo)+len(c.Stabilises) > 0 }

// A Param is a parameter of the program with its value in this run.
type Param struct {
	Name  string
	Type  *Type
	Words []int64
	Pos   Pos
}

// A Program is a checked program, ready to execute.
type Program struct {
	Name        string
	About       string
	Path        string // file it came from, for messages; of a Go program the folder of its package, or a file
	From        string // the function that a Go program begins with; empty for others
	Params      []*Param
	Shared      []*Var
	SharedWords int
	Init        []int64 // initial shared words
	Funcs       []*Func
	Templates   []*Template
	Procs       []*Proc
	Invariants  []*Property
	Observe     []*Observed
	Checks      Checks
	// Spec, if there is one, is the specification that operations are compared with. Recorders say where they are
	// recorded.
	Spec      *Spec
	Recorders []*Recorder
	// Bounded says that the Assume nodes with a Msg stand for bounds of the front end, and not for assumptions of the
	// program: what they drop is missing in what was explored.
	Bounded bool
	// Text, if there is one, is a value as text, for types that the front end has an own notation for.
	Text func(t *Type, words []int64) (text string, ok bool)
	// Said, if there is one, is the text that a failed Check of the program gives to people, empty if it gives none.
	// eval evaluates an expression of the process when the check failed, and at is the words of a variable, nil if they
	// are not known, and which of them are lost, for nothing in the program reads them.
	Said func(n *Node, eval func(*Expr) (int64, bool), at func(*Var) (words []int64, lost []bool)) string
	// Entry is the process that the program is about, if Ends says so: others are only there while it runs.
	Entry *Entry
	// Patient, if there is one, makes the same program with idle steps in the order in which they are due: that does
	// not matter to a search in which they may come at any time, but to one with idle steps last.
	Patient func(context.Context) (*Program, error)
	// Files, of a program whose steps have no names in its language, are its files: see Place.
	Files []File
}

// Crashes reports whether some process may crash.
func (p *Program) Crashes() bool {
	return slices.ContainsFunc(p.Templates, func(t *Template) bool { return t.Crashed != nil })
}

// A File is a file of the program, as positions name it and as people do.
type File struct{ Path, Called string }

// At is a place of the program for messages: file, line and column.
func (p *Program) At(pos Pos) string {
	if pos.File != "" {
		return pos.String()
	}
	return p.Path + ":" + pos.String()
}

// An Entry says how the end of a process is judged.
type Entry struct {
	Proc int
	// Ends says that the program ends with the process, whatever others do: that they wait then is no deadlock.
	Ends bool
}

// What a process waits for, for people. It never decides what is possible.

// A Deed is a kind of operation by which processes wait for each other.
type Deed string

const (
	Sends     Deed = "send"
	Receives  Deed = "receive"
	Closes    Deed = "close"
	Locks     Deed = "lock"
	RLocks    Deed = "rlock"
	Unlocks   Deed = "unlock"
	Dones     Deed = "done" // takes something from the counter of a wait group
	WaitsAll  Deed = "wait" // for a wait group
	AwaitsOne Deed = "await"
	Signals   Deed = "signal" // at a condition variable, one or all
)

// A Wait is an operation that may have to wait.
type Wait struct {
	Deed  Deed
	What  string // as it is written: the channel, the mutex
	In    string // the function of a library in which it is, as it is called; empty: in none
	Ready *Expr  // when it need not wait
}

// enders are the operations that may end the wait for one. One that sends does not wait for a close, which makes it
// panic.
var enders = map[Deed][]Deed{Sends: {Receives}, Receives: {Sends, Closes}, Locks: {Unlocks}, RLocks: {Unlocks},
	WaitsAll: {Dones}, AwaitsOne: {Signals}}

// Ends reports whether an operation may end the wait for another one.
func (d Deed) Ends(wait Deed) bool {
	return slices.Contains(enders[wait], d)
}

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

// A Loaded program has what a front end knows of a program, whatever the language. What commands show
// of values and places is in the step form itself: Program.Text, Program.At.
type Loaded interface {
	Form() *Program
	// Source is the text of a file that a place names, nil if there is none. An empty name stands for the file that the
	// program was loaded from.
	Source(file string) []byte
	// WithoutInfluence are the shared variables with data that threads use although nothing that the program is judged
	// by depends on them, as far as the front end can tell.
	WithoutInfluence() []*Var
}

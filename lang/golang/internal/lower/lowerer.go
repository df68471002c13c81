package lower

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"strconv"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/share"
	"cdpor/lang/step"
	"cdpor/lang/step/build"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// Options are the bounds of a program.
type Options struct {
	Slice int   // elements of a slice that grows
	Ticks int   // of a ticker
	Clock Clock // the pointers were analysed with ExternalFor it
	Races bool  // find data races
}

// A lowerer makes the step form of a program.
type lowerer struct {
	refusals
	kinds
	texts
	r     *pointsto.Result
	share *share.Sharing
	ctx   context.Context
	now   token.Pos // where the code under way stands in the text
	opt   Options
	prog  *step.Program

	maps       typeutil.Map
	ownTexts   int             // how many of them are the user's constants, the empty one included
	testNames  []string        // what tests and subtests can be called
	errorTexts []string        // what the constants among them say that are the texts of errors
	names      map[string]bool // of shared variables
	regions    map[*pointsto.Object]*region
	uses       map[*pointsto.Object]*uses
	offers     map[*pointsto.Object]offersOf
	won        *step.Var
	dozing     *step.Var // until when each process sleeps; nil: none does
	numbers    int64
	functions  map[*ssa.Function]int64
	processes  []*process
	of         map[*pointsto.Instance]*process
	debug      map[*ssa.Function]map[ssa.Value]string
	said       map[*step.Node]*said // of checks that fail with a text
}

// A process is a goroutine's code, for all goroutines that a go statement starts in one chain of calls.
type process struct {
	in     *pointsto.Instance // nil: the entries
	tmpl   *step.Template
	code   *code
	count  int // how many there may be
	each   int // how many a creator starts at most
	names  map[string]bool
	passed []*step.Var // parameters, then captured variables; nil for those that are the same for all
	starts map[*code]*step.Expr
}

func (p *process) unique(name string) string { return unique(p.names, name) }

// unique adds a number to a name that is taken.
func unique(taken map[string]bool, name string) string {
	is := name
	for n := 2; taken[is]; n++ {
		is = fmt.Sprintf("%s_%d", name, n)
	}
	taken[is] = true
	return is
}

// A TooManyError says that more goroutines may start than there can be: a smaller bound makes fewer.
type TooManyError struct{ error }

// A region is the memory of an object.
type region struct {
	object *pointsto.Object
	elem   *step.Type // of one of its things
	count  int        // how many there may be
	each   int        // how many a process makes at most
	of     *step.Var
	owner  *process // whose local it is; nil: shared
	made   *step.Expr
	mark   mark
	bases  map[string]stretch
}

// A stretch is the numbers of the addresses of a part of the things of a region.
type stretch struct {
	first int64
	path  []int
}

// A mark is the variable that has a word for each word of a region, with who is writing it; readers says that it has
// the number of readers as well.
type mark struct {
	of      *step.Var
	readers bool
}

// uses says who accesses an object but by operations of synchronisation.
type uses struct {
	plain    [][]int // the paths of what code accesses that is in no model
	modelled [][]int // and of what models write
}

// A said is where the values of a text are when a check fails.
type said struct {
	format    *step.Expr // the number of the format; nil: the values stand beside each other
	base, len *step.Expr // of the slice of the values, which are interfaces; nil: there is one
	tag, word *step.Expr // that one
}

// A spot is one of the places that a pointer may name.
type spot struct {
	region *region
	path   []int
	base   int64
	size   int64
}

func (l *lowerer) object(in *pointsto.Instance, v ssa.Value) *pointsto.Object {
	return l.r.Object(in, v)
}

// processOf is the process that an instance belongs to.
func (l *lowerer) processOf(in *pointsto.Instance) *process { return l.of[l.share.Process(in)] }

// times is how many things a site makes in one process at most.
func (l *lowerer) times(in *pointsto.Instance, site ssa.Value) int {
	i, ok := site.(ssa.Instruction)
	if !ok || appended(site) {
		return 1
	}
	return l.share.Times(in, i.Block())
}

// appended reports whether a site makes the array of the arguments of append, which is not used after that: one place
// will do, however often it is made.
func appended(site ssa.Value) bool {
	array, ok := site.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" {
		return false
	}
	for _, r := range *array.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr, *ssa.DebugRef:
		case *ssa.Slice:
			for _, use := range *r.Referrers() {
				if call, ok := use.(*ssa.Call); !ok || calledBuiltin(&call.Call) != "append" {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// function is the number of a function as a value.
func (l *lowerer) function(f *ssa.Function) int64 {
	if k, ok := l.functions[f]; ok {
		return k
	}
	l.numbers++
	l.functions[f] = l.numbers
	return l.numbers
}

// debugNames are the names that the source has for registers.
func (l *lowerer) debugNames(in *pointsto.Instance) map[ssa.Value]string {
	if in == nil {
		return nil
	}
	if m, ok := l.debug[in.Func]; ok {
		return m
	}
	m := map[ssa.Value]string{}
	for i := range pointsto.Instructions(in.Func) {
		d, ok := i.(*ssa.DebugRef)
		if !ok || d.IsAddr {
			continue
		}
		if v, isVar := d.Object().(*types.Var); isVar && m[d.X] == "" && !v.IsField() {
			m[d.X] = v.Name()
		}
	}
	l.debug[in.Func] = m
	return m
}

// offersOf says which offers a channel has.
type offersOf struct {
	takes bool // receivers park
	gives bool // senders in a select park
}

// A Clock says what of the clock a program sees.
type Clock struct {
	Looks bool // it compares times
	Order bool // timers fire, and sleeps end, in the order in which they are due
}

// A code is the code of one process while it is made.
type code struct {
	*build.Code
	l     *lowerer
	p     *process
	at    token.Pos
	calls []step.Pos
	// labels are the labels of lines; steps on one line are numbered.
	labels map[string]*build.Label
	values map[register]*step.Expr
	tuples map[register][]*step.Expr
	ranges map[register]iteration
	// unwinding are the frames, innermost last, whose deferred calls Goexit makes.
	frames []*frame
	unwind *unwinding // nil until something can panic and recover
	exits  []*int     // what leads to the end of the goroutine from elsewhere
}

// A register is a value of the SSA form in an instance.
type register struct {
	in *pointsto.Instance
	v  ssa.Value
}

// A frame is an instance while its code is made.
type frame struct {
	in      *pointsto.Instance
	starts  map[*ssa.BasicBlock]int    // where the code of a block begins, once it is made
	ends    map[*ssa.BasicBlock][]*int // what leads to a block whose code is not made yet
	returns []*int
	results []*step.Expr
	defers  []*deferral
	stack   *stack // nil: each deferred call has a bit
	exiting int    // where Goexit makes the deferred calls on the stack, while that code is made; else -1
	// Panics: whether deferred calls can recover, what leads to where they are made, and where that is, once it is.
	hasDefers, recovers bool
	panics              []*int
	handler             int
}

// An iteration is a range over a map: which map it is, what it had at the beginning, and what of it was not met yet.
type iteration struct {
	number, begun, left *step.Expr
}

// A stack has the deferred calls of a frame in their order: the number of the statement of each, from 0.
type stack struct{ of, top *step.Expr }

// A deferral is a deferred call of a frame: whether it is due, and what was saved for it.
type deferral struct {
	site *ssa.Defer
	due  *step.Expr // nil if the calls are on a stack
	// value is the function or the receiver of a call that is decided at run time, args the arguments, captured those
	// of a function literal. On a stack each is an array.
	value          *step.Expr
	args, captured []*step.Expr
	running        bool // its code is being made
}

// An unwinding is the panic of a process: the number of its site, 0 for none, and its value.
type unwinding struct {
	site, value *step.Expr
	sites       []panicSite
}

// A panicSite is where a panic begins.
type panicSite struct {
	msg   string
	pos   step.Pos
	text  string
	calls []step.Pos
}

// texts are the strings that are known when the code is made; number 0 is the empty one.
type texts struct {
	all     []string
	numbers map[string]int64
}

func newTexts() texts { return texts{[]string{""}, map[string]int64{"": 0}} }

// text is the number of a string.
func (t *texts) text(s string) int64 {
	k, ok := t.numbers[s]
	if !ok {
		k = int64(len(t.all))
		t.all, t.numbers[s] = append(t.all, s), k
	}
	return k
}

// textOf is the string of a number; empty if it is not known.
func (t *texts) textOf(number int64) string {
	if number < 0 || number >= int64(len(t.all)) {
		return ""
	}
	return t.all[number]
}

// quoted is the string of a number for people.
func (t *texts) quoted(number int64) string {
	if number < 0 {
		return "a text"
	}
	return strconv.Quote(t.textOf(number))
}

// unknownText is a string that is made while the program runs: it can be stored and passed on, and not looked at.
const unknownText = -1

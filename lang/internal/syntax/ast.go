package syntax

import (
	"slices"

	"cdpor/lang/step"
)

type exprKind uint8

const (
	EName   exprKind = iota // name
	EInt                    // value
	EBool                   // value 0 or 1
	ENull                   //
	EList                   // [args]
	EUnary                  // name is - or !
	EBinary                 // name is the operator
	EIn                     // args[0] in args[1]..args[2]
	ECond                   // args[0] ? args[1] : args[2]
	EIndex                  // args[0][args[1]]
	EUnwrap                 // args[0]!
	EField                  // args[0].name
	ECall                   // name(args)
	EMethod                 // args[0].name(args[1:])
	ESlice                  // args[0][args[1]:args[2]], where the bounds may be nil
	ERecord                 // {keys: args}, with the name of a type in front or without
	ERecv                   // recv args[0]
	ERange                  // args[0]..args[1], only as an argument of any
	ESpawn                  // spawn name(args)
	ENew                    // new name(args)
	ESend                   // args[0]!name(args[1:])
	EAwait                  // await args[0]
	EDone                   // done, made by lowering
)

// An Expr is a syntax tree of an expression.
type Expr struct {
	Kind     exprKind
	Pos, End step.Pos
	Name     string
	NameAt   step.Pos // of the name in EField and EMethod
	Value    int64
	Args     []*Expr
	Keys     []*Expr // ERecord
	Done     *step.Expr
	Depth    int
	Call     *Expr // the call of a method of it, or nil
	Op       bool  // ECall, EMethod: written with op in front, performed as an operation
}

// Chooses reports whether there is any(...) in an expression; nil has none.
func (e *Expr) Chooses() bool {
	return e != nil && (e.Kind == ECall && e.Name == "any" || slices.ContainsFunc(e.Args, (*Expr).Chooses))
}

// A StmtKind says which statement it is, and with it which fields of Stmt have a meaning.
type StmtKind uint8

const (
	SVar      StmtKind = iota // var name type = value; let when fixed
	SAssign                   // place op= value
	SExpr                     // value, a call
	SIf                       // cond, body, orelse
	SWhile                    // cond, body
	SForRange                 // for name in value..to, body
	SForEach                  // for name in value, body
	SBreak                    //
	SContinue                 //
	SReturn                   //
	SAtomic                   // body
	SBlock                    // body
	SAwait                    // cond
	SLock                     // place
	SUnlock                   // place
	SAssert                   // cond, text
	SAssume                   // cond
	SSkip                     //
	SYield                    //
	SPrint                    // value
	SWith                     // with lock place, body
	SOnce                     // once place, body
	SSend                     // send place, value
	SChoose                   // cases
	SSelect                   // cases
	SJoin                     // join place
	SMail                     // place!value
	SReceive                  // cases
	SOp                       // op place = value { body }: an operation, place nil without a result
	SClosed                   // closed place, as a case of select
)

// A Stmt is a syntax tree of a statement. The header ends where the body begins.
type Stmt struct {
	Kind      StmtKind
	Pos, End  step.Pos
	HeaderEnd step.Pos
	Label     string
	LabelAt   step.Pos
	Name      string
	NameAt    step.Pos
	Fixed     bool // let: may not be assigned
	Op        string
	Type      *TypeExpr
	Place     *Expr
	Cond      *Expr
	Value     *Expr
	To        *Expr
	// Ok, of v, ok = recv c, is the declaration of ok or the assignment to it, of the same kind, without a value.
	Ok     *Stmt
	Text   string
	Body   []*Stmt
	Orelse []*Stmt
	Cases  []*Choice
}

// A Choice is one way to go on: a block of choose, or a case of select or receive.
type Choice struct {
	Pos, End step.Pos
	// Communication, of select, is send, closed, or a receive as SVar, SAssign or SExpr; nil for default and in choose.
	Communication *Stmt
	Name          string // receive: of the message; may be empty
	NameAt        step.Pos
	Cond          *Expr // receive: which messages; nil: any
	After         bool  // receive: what is done without a message
	Anytime       bool  // after any
	Body          []*Stmt
}

type typeKind uint8

const (
	TyNamed  typeKind = iota // int, bool, mutex or a declared name
	TyRange                  // lo..hi
	TyEnum                   // enum [names]
	TyArray                  // array[size] elem
	TyList                   // list[elem, size]
	TyQueue                  // queue[elem, size]
	TyOption                 // elem?
	TyRecord                 // record {fields}
	TySet                    // set[elem, size]
	TyBag                    // bag[elem, size]
	TyMap                    // map[key, elem, size]
	TyChan                   // chan[elem, size], size nil for a rendezvous
	TyFuture                 // fut[elem], elem nil without a result
	TyUnion                  // names of classes
	TySync                   // name or name(size) of a synchronisation primitive
)

// A TypeExpr is a syntax tree of a type.
type TypeExpr struct {
	Kind     typeKind
	Pos, End step.Pos
	Name     string
	Names    []string
	Lo       *Expr
	Hi       *Expr
	Size     *Expr
	Elem     *TypeExpr
	Key      *TypeExpr
	Fields   []FieldExpr
	Spurious bool // cond(spurious)
	depth    int
}

// A FieldExpr is a declared name with its type: a field of a record, a parameter.
type FieldExpr struct {
	Name string
	At   step.Pos
	Type *TypeExpr
}

// Orelse0 is where the first statement of else begins.
func (s *Stmt) Orelse0(end step.Pos) step.Pos {
	if len(s.Orelse) == 0 {
		return end
	}
	return s.Orelse[0].Pos
}

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
	Kind     exprKind   `json:"-"`
	Pos, End step.Pos   `json:"-"`
	Name     string     `json:"name,omitzero"`
	NameAt   step.Pos   `json:"-"` // of the name in EField and EMethod
	Value    int64      `json:"-"`
	Args     []*Expr    `json:"args,omitzero"`
	Keys     []*Expr    `json:"keys,omitzero"` // ERecord
	Done     *step.Expr `json:"-"`
	Depth    int        `json:"-"`
	Call     *Expr      `json:"-"` // the call of a method of it, or nil
	Op       bool       `json:"-"` // ECall, EMethod: written with op in front, performed as an operation
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
	Kind      StmtKind  `json:"-"`
	Pos, End  step.Pos  `json:"-"`
	HeaderEnd step.Pos  `json:"-"`
	Label     string    `json:"label,omitzero"`
	LabelAt   step.Pos  `json:"-"`
	Name      string    `json:"name,omitzero"`
	NameAt    step.Pos  `json:"-"`
	Fixed     bool      `json:"-"` // let: may not be assigned
	Op        string    `json:"operator,omitzero"`
	Type      *TypeExpr `json:"type,omitzero"`
	Place     *Expr     `json:"place,omitzero"`
	Cond      *Expr     `json:"condition,omitzero"`
	Value     *Expr     `json:"value,omitzero"`
	To        *Expr     `json:"to,omitzero"`
	// Ok, of v, ok = recv c, is the declaration of ok or the assignment to it, of the same kind, without a value.
	Ok     *Stmt     `json:"ok,omitzero"`
	Text   string    `json:"message,omitzero"`
	Body   []*Stmt   `json:"body,omitzero"`
	Orelse []*Stmt   `json:"else,omitzero"`
	Cases  []*Choice `json:"cases,omitzero"`
}

// A Choice is one way to go on: a block of choose, or a case of select or receive.
type Choice struct {
	Pos, End step.Pos `json:"-"`
	// Communication, of select, is send, closed, or a receive as SVar, SAssign or SExpr; nil for default and in choose.
	Communication *Stmt    `json:"case,omitzero"`
	Name          string   `json:"name,omitzero"` // receive: of the message; may be empty
	NameAt        step.Pos `json:"-"`
	Cond          *Expr    `json:"condition,omitzero"` // receive: which messages; nil: any
	After         bool     `json:"-"`                  // receive: what is done without a message
	Anytime       bool     `json:"-"`                  // after any
	Body          []*Stmt  `json:"body"`
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
	Kind     typeKind    `json:"-"`
	Pos, End step.Pos    `json:"-"`
	Name     string      `json:"name,omitzero"`
	Names    []string    `json:"members,omitzero"`
	Lo       *Expr       `json:"lo,omitzero"`
	Hi       *Expr       `json:"hi,omitzero"`
	Size     *Expr       `json:"size,omitzero"`
	Elem     *TypeExpr   `json:"elem,omitzero"`
	Key      *TypeExpr   `json:"key,omitzero"`
	Fields   []FieldExpr `json:"fields,omitzero"`
	Spurious bool        `json:"spurious,omitzero"` // cond(spurious)
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

package lang

import "cdpor/lang/step"

type exprKind uint8

const (
	eName   exprKind = iota // name
	eInt                    // value
	eBool                   // value 0 or 1
	eNull                   //
	eList                   // [args]
	eUnary                  // name is - or !
	eBinary                 // name is the operator
	eIn                     // args[0] in args[1]..args[2]
	eCond                   // args[0] ? args[1] : args[2]
	eIndex                  // args[0][args[1]]
	eUnwrap                 // args[0]!
	eField                  // args[0].name
	eCall                   // name(args)
	eMethod                 // args[0].name(args[1:])
	eSlice                  // args[0][args[1]:args[2]], where the bounds may be nil
	eRecord                 // {keys: args}, with the name of a type in front or without
	eRecv                   // recv args[0]
	eRange                  // args[0]..args[1], only as an argument of any
	eSpawn                  // spawn name(args)
	eNew                    // new name(args)
	eSend                   // args[0]!name(args[1:])
	eAwait                  // await args[0]
	eDone                   // done, made by lowering
)

// An expr is a syntax tree of an expression.
type expr struct {
	kind     exprKind
	pos, end step.Pos
	name     string
	nameAt   step.Pos // of the name in eField and eMethod
	value    int64
	args     []*expr
	keys     []*expr // eRecord
	done     *step.Expr
	depth    int
	op       bool // eCall, eMethod: written with op in front, performed as an operation
}

type stmtKind uint8

const (
	sVar      stmtKind = iota // var name typ = value; let when fixed
	sAssign                   // place op= value
	sExpr                     // value, a call
	sIf                       // cond, body, orelse
	sWhile                    // cond, body
	sForRange                 // for name in value..to, body
	sForEach                  // for name in value, body
	sBreak                    //
	sContinue                 //
	sReturn                   //
	sAtomic                   // body
	sBlock                    // body
	sAwait                    // cond
	sLock                     // place
	sUnlock                   // place
	sAssert                   // cond, text
	sAssume                   // cond
	sSkip                     //
	sYield                    //
	sPrint                    // value
	sWith                     // with lock place, body
	sOnce                     // once place, body
	sSend                     // send place, value
	sChoose                   // cases
	sSelect                   // cases
	sJoin                     // join place
	sMail                     // place!value
	sReceive                  // cases
	sOp                       // op place = value { body }: an operation, place nil without a result
)

// A stmt is a syntax tree of a statement. The header ends where the body begins.
type stmt struct {
	kind      stmtKind
	pos, end  step.Pos
	headerEnd step.Pos
	label     string
	labelAt   step.Pos
	name      string
	nameAt    step.Pos
	fixed     bool // let: may not be assigned
	op        string
	typ       *typeExpr
	place     *expr
	cond      *expr
	value, to *expr
	text      string
	body      []*stmt
	orelse    []*stmt
	cases     []*choice
}

// A choice is one way to go on: a block of choose, or a case of select or receive.
type choice struct {
	pos, end step.Pos
	comm     *stmt  // select: send, or a receive as sVar, sAssign or sExpr; nil for default and in choose
	name     string // receive: of the message; may be empty
	nameAt   step.Pos
	cond     *expr // receive: which messages; nil: any
	after    bool  // receive: what is done without a message
	anytime  bool  // after any
	body     []*stmt
}

type typeKind uint8

const (
	tyNamed  typeKind = iota // int, bool, mutex or a declared name
	tyRange                  // lo..hi
	tyEnum                   // enum [names]
	tyArray                  // array[size] elem
	tyList                   // list[elem, size]
	tyQueue                  // queue[elem, size]
	tyOption                 // elem?
	tyRecord                 // record {fields}
	tySet                    // set[elem, size]
	tyBag                    // bag[elem, size]
	tyMap                    // map[key, elem, size]
	tyChan                   // chan[elem, size], size nil for a rendezvous
	tyFuture                 // fut[elem], elem nil without a result
	tyUnion                  // names of classes
	tySync                   // name or name(size) of a synchronisation primitive
)

// A typeExpr is a syntax tree of a type.
type typeExpr struct {
	kind     typeKind
	pos, end step.Pos
	name     string
	names    []string
	lo, hi   *expr
	size     *expr
	elem     *typeExpr
	key      *typeExpr
	fields   []fieldExpr
	spurious bool // cond(spurious)
	depth    int
}

type fieldExpr struct {
	name string
	at   step.Pos
	typ  *typeExpr
}

// orelse0 is where the first statement of else begins.
func (s *stmt) orelse0(end step.Pos) step.Pos {
	if len(s.orelse) == 0 {
		return end
	}
	return s.orelse[0].pos
}

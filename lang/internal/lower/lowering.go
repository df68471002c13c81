package lower

import (
	"slices"
	"strings"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A loop is one around the statement that is being lowered.
type loop struct {
	withs     int // with blocks around the loop
	breaks    []*int
	continues []*int
}

// A lowering translates the statements of one thread.
type lowering struct {
	*check.Checker
	loader   *loader
	names    *check.ThreadNames
	labels   map[string]step.Pos
	written  map[string]*build.Label // labels inside procedures: every call goes on with the numbers of the last
	frames   []*frame                // the function being translated, or procedures being written out, innermost last
	pureCode bool                    // of a function
	chosenAt map[*syntax.Stmt]*step.Expr
	mailbox  *check.Mailbox // of the thread; nil if it has none
	early    bool           // making choices for a block that is still to come
	within   *operation
	loops    []loop
	withs    []func() // release what the with blocks around hold, innermost last
	rounds   []int    // of the loops around, innermost last: how often they go round at most, 0 if that is not known
}

func (lo *lowering) stmts(list []*syntax.Stmt) {
	lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
	dead := false
	for _, s := range list {
		if !dead && len(lo.Builder.Open) == 0 {
			dead = true
			lo.loader.findings.Remark(s.Pos, s.HeaderEnd, "", "this is never reached")
		}
		lo.stmt(s)
	}
	lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1]
}

func (lo *lowering) stmt(s *syntax.Stmt) {
	b := lo.Builder
	pos, text := b.Pos, b.Text
	b.Pos, b.Text = s.Pos, lo.File.Between(s.Pos, s.HeaderEnd)
	outer := b.Label
	if s.Label != "" && len(lo.frames) > 0 {
		lo.labelInside(s)
	} else if s.Label != "" {
		if b.Atomic > 0 {
			lo.Report(s.LabelAt, step.Pos{}, "label the atomic block",
				"a label inside atomic: the whole block is one step")
		} else if first, dup := lo.labels[s.Label]; dup {
			lo.Report(s.LabelAt, step.Pos{}, "", "label %s is already on line %d", s.Label, first.Line)
		}
		lo.labels[s.Label] = s.LabelAt
		b.Label = &build.Label{Name: s.Label}
	}
	if b.Label != nil && s.Label != "" {
		lo.Mention(syntax.Mention{Pos: s.LabelAt, What: "label", Name: b.Template.Name + "." + b.Label.Name,
			Decl: s.LabelAt}, nil)
	}
	from, errors := len(b.Nodes), lo.Count()
	lo.bare(s)
	if s.Label != "" && b.Atomic == 0 && lo.Count() == errors {
		steps := 0
		for _, n := range b.Nodes[from:] {
			if n.Visible {
				steps++
			}
		}
		if steps == 0 {
			lo.Report(s.LabelAt, step.Pos{}, "a step touches something shared",
				"label %s is on a statement that makes no step", s.Label)
		}
	}
	b.Label, b.Pos, b.Text = outer, pos, text
}

// labelInside is for a label in a procedure: the steps are called procedure.label, in all calls together.
func (lo *lowering) labelInside(s *syntax.Stmt) {
	if lo.Builder.Actor != nil && lo.Builder.Blocks == 0 {
		lo.Builder.Label = &build.Label{Name: s.Label} // of a step that begins by waiting
		return
	}
	if lo.Builder.Atomic > 0 || lo.pureCode {
		return // the block around has the label
	}
	name := lo.frames[len(lo.frames)-1].routine.Name + "." + s.Label
	if lo.written == nil {
		lo.written = map[string]*build.Label{}
	}
	if lo.written[name] == nil {
		lo.written[name] = &build.Label{Name: name}
	}
	lo.Builder.Label = lo.written[name]
}

// lowerings lower the statements, by kind; they are set in statements.go, as blocks have statements in them.
var lowerings map[syntax.StmtKind]func(*lowering, *syntax.Stmt)

func (lo *lowering) bare(s *syntax.Stmt) {
	if word := effectful[s.Kind]; lo.pureCode && word != "" {
		lo.Report(s.Pos, s.HeaderEnd, "", "%s in a function: it has no effects", word)
		return
	}
	lowerings[s.Kind](lo, s)
}

// effectful are the statements that a function may not have.
var effectful = map[syntax.StmtKind]string{syntax.SAwait: "await", syntax.SLock: "lock", syntax.SUnlock: "unlock",
	syntax.SAssume: "assume", syntax.SAssert: "assert",
	syntax.SAtomic: "atomic", syntax.SWith: "with", syntax.SOnce: "once", syntax.SSend: "send", syntax.SJoin: "join",
	syntax.SChoose: "choose", syntax.SSelect: "select",
	syntax.SMail: "sending", syntax.SReceive: "receive", syntax.SOp: "an operation", syntax.SPrint: "print"}

// An operation is one that is being lowered.
type operation struct {
	*step.Operation
	number int
	name   string
}

// A frame is a function being translated or a procedure being written out.
type frame struct {
	routine *check.Routine
	result  *step.Expr // where return puts the value; nil without one
	ends    []*int     // of the returns
	prefix  string     // of the names of its variables
	withs   int        // how many with blocks were open before
}

// declare makes a local visible from here on; nil after an error. A name used by blocks side by side is one variable if
// the types agree, so that a constraint can name it.
func (lo *lowering) declare(s *syntax.Stmt, t *step.Type, fixed string) *step.Var {
	report := func(format string, args ...any) *step.Var {
		lo.Report(s.NameAt, step.Pos{Line: s.NameAt.Line, Col: s.NameAt.Col + len([]rune(s.Name))},
			"choose another name", format, args...)
		return nil
	}
	switch v := lo.names.Lookup(s.Name); {
	case v != nil:
		return report("%s is already declared on line %d", s.Name, v.Pos.Line)
	case lo.names.Actor != nil && lo.names.Actor.Class.Vars[s.Name] != nil:
		return report("%s is a field of %s", s.Name, lo.names.Actor.Class.Name)
	case lo.SharedVars[s.Name] != nil && !lo.pureCode:
		lo.Report(s.NameAt, step.Pos{Line: s.NameAt.Line, Col: s.NameAt.Col + len([]rune(s.Name))},
			"to assign it write "+s.Name+" = value; a variable of the thread needs another name",
			"%s is a shared variable", s.Name)
		return nil
	case lo.Params[s.Name] != nil:
		return report("%s is a parameter of the program", s.Name)
	case lo.MailboxOf(s.Name) != nil:
		return report("%s is a thread with a mailbox", s.Name)
	}
	for _, b := range lo.Bound {
		if b.Name == s.Name {
			return report("%s is already declared on line %d", s.Name, b.Expr.Pos.Line)
		}
	}
	if t == nil {
		return nil
	}
	if types.Pinned(t) {
		return report("a %s must be shared, so %s cannot be one", types.PinnedWord(t), s.Name)
	}
	name := s.Name
	if len(lo.frames) > 0 {
		name = lo.frames[len(lo.frames)-1].prefix + name
	}
	v := lo.variable(name, t, s.NameAt, fixed)
	lo.names.Visible[len(lo.names.Visible)-1][s.Name] = check.Local{Var: v, At: s.NameAt}
	lo.Mention(syntax.Mention{Pos: s.NameAt, What: "variable", Name: s.Name, Decl: s.NameAt}, t)
	return v
}

// variable finds or makes the local of a name and type.
func (lo *lowering) variable(name string, t *step.Type, at step.Pos, fixed string) *step.Var {
	for _, old := range lo.names.All[name] {
		if lo.names.Fixed[old] == fixed && types.Structure(old.Type) == types.Structure(t) {
			return old
		}
	}
	v := lo.Builder.Declare(name, t, at)
	lo.names.All[name] = append(lo.names.All[name], v)
	lo.names.Order = append(lo.names.Order, name)
	lo.names.Fixed[v] = fixed
	return v
}

// forget makes a name known whose declaration is faulty, so that its uses are not reported as well.
func (lo *lowering) forget(s *syntax.Stmt) {
	if lo.names.Lookup(s.Name) == nil {
		lo.names.Visible[len(lo.names.Visible)-1][s.Name] = check.Local{Var: &step.Var{Name: s.Name, Pos: s.NameAt},
			At: s.NameAt}
	}
}

// loop lowers a body that is executed so many times at most, 0 if that is not known; again emits what leads to the next
// round. Afterwards only the breaks are open.
func (lo *lowering) loop(body []*syntax.Stmt, times int, again func()) {
	b := lo.Builder
	lo.loops = append(lo.loops, loop{withs: len(lo.withs)})
	lo.rounds = append(lo.rounds, times)
	lo.stmts(body)
	lo.rounds = lo.rounds[:len(lo.rounds)-1]
	this := lo.loops[len(lo.loops)-1]
	lo.loops = lo.loops[:len(lo.loops)-1]
	b.Open = append(b.Open, this.continues...)
	again()
	b.Open = this.breaks
}

// refuseSelf reports what blocks in the middle of a step.
func refuseSelf(r *syntax.Reporter, nodes []*step.Node) {
	for _, n := range nodes {
		what := "this"
		if word, _, _ := strings.Cut(n.Text, " "); slices.Contains([]string{"await", "lock", "send", "select",
			"join", "receive"}, word) {
			what = word
		}
		r.Report(n.Pos, step.Pos{}, "put it first, or end the atomic block or the expression before it",
			"%s can block, and only the first statement of an atomic block may", what)
	}
}

package printer

import (
	"bytes"
	"fmt"
	"strings"

	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// NormalForm is a canonical text of the checked program, parameters included. It does not change with comments, layout
// or the properties to check, and it changes with everything that constraints depend on.
func NormalForm(prog *step.Program) []byte {
	w := &dump{prog: prog}
	w.program()
	return w.Bytes()
}

type dump struct {
	bytes.Buffer
	prog *step.Program
}

func (w *dump) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *dump) program() {
	p := w.prog
	for _, q := range p.Params {
		w.line("param %s %s = %s", q.Name, types.Structure(q.Type), FormatValue(p, q.Type, q.Words))
	}
	for _, v := range p.Shared {
		w.line("shared %s %s = %s", v.Name, types.Structure(v.Type),
			FormatValue(p, v.Type, p.Init[v.Offset:v.Offset+v.Type.Words()]))
	}
	for _, inv := range p.Invariants {
		w.line("invariant %s", w.expr(inv.Expr))
	}
	for _, f := range p.Funcs {
		w.function(f)
	}
	for _, t := range p.Templates {
		w.template(t)
	}
}

func (w *dump) function(f *step.Func) {
	w.line("function %s depth %d", f.Name, f.Depth)
	for i, v := range f.Locals {
		kind := "local"
		if i < len(f.Params) {
			kind = "param"
		}
		w.line("  %s %s %s", kind, v.Name, types.Structure(v.Type))
	}
	w.line("  start %s", target(f.Start))
	for i, n := range f.Nodes {
		w.line("%s", w.node(i, n))
	}
}

func (w *dump) template(t *step.Template) {
	if p := t.Pool; p != nil {
		w.line("pool %s size %d from %d", t.Name, p.Size, p.First)
		for _, v := range p.Fields {
			w.line("  field %s", v.Name)
		}
	} else {
		w.line("thread %s count %d", t.Name, t.Count)
	}
	for _, v := range t.Locals {
		w.line("  local %s %s", v.Name, types.Structure(v.Type))
	}
	for _, p := range w.prog.Procs {
		if p.Template == t && t.Pool == nil {
			w.line("  instance %d %v", p.Self, p.Init)
		}
	}
	w.line("  start %s", target(t.Start))
	for i, n := range t.Nodes {
		w.line("%s", w.node(i, n))
	}
}

func target(i int) string {
	if i == step.End {
		return "end"
	}
	return fmt.Sprint(i)
}

func (w *dump) node(i int, n *step.Node) string {
	var b strings.Builder
	mark := " "
	if n.Visible {
		mark = "*"
	}
	fmt.Fprintf(&b, "  %s%-3d", mark, i)
	switch n.Kind {
	case step.Nop:
		b.WriteString("nop")
	case step.Assign:
		fmt.Fprintf(&b, "%s = %s", w.expr(n.Dst), w.expr(n.Src))
	case step.Branch:
		fmt.Fprintf(&b, "if %s else %s", w.expr(n.Cond), target(n.Else))
	case step.Await:
		fmt.Fprintf(&b, "await %s", w.expr(n.Cond))
	case step.Check:
		fmt.Fprintf(&b, "check %s %q %q", w.expr(n.Cond), n.Fault, n.Msg)
	case step.Assume:
		fmt.Fprintf(&b, "assume %s", w.expr(n.Cond))
	case step.Append:
		fmt.Fprintf(&b, "append %s, %s", w.expr(n.Dst), w.expr(n.Src))
	case step.PopHead:
		fmt.Fprintf(&b, "pophead %s", w.expr(n.Dst))
	case step.PopTail:
		fmt.Fprintf(&b, "poptail %s", w.expr(n.Dst))
	case step.Spawn:
		w.spawn(&b, n)
	case step.Choose:
		fmt.Fprintf(&b, "%s = choose 0..%s-1", w.expr(n.Dst), w.expr(n.Src))
		if n.Cond != nil {
			fmt.Fprintf(&b, " if %s", w.expr(n.Cond))
		}
		if n.Otherwise {
			b.WriteString(" otherwise the last")
		}
	}
	if n.Next != i+1 {
		fmt.Fprintf(&b, " -> %s", target(n.Next))
	}
	if n.Visible {
		fmt.Fprintf(&b, "   [%s]", n.Label)
	}
	return b.String()
}

func (w *dump) spawn(b *strings.Builder, n *step.Node) {
	if n.Dst != nil {
		fmt.Fprintf(b, "%s = ", w.expr(n.Dst))
	}
	fmt.Fprintf(b, "spawn %s(%s) count %s", n.Target.Name, (&formatter{prog: w.prog, raw: true}).list(n.Args),
		w.expr(n.Counter))
	if n.Maker != nil {
		fmt.Fprintf(b, " for %s[%s]", n.MakerOf.Name, w.expr(n.Maker))
	}
}

func (w *dump) expr(e *step.Expr) string { return (&formatter{prog: w.prog, raw: true}).format(e) }

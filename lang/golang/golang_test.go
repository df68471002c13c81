package golang_test

import (
	"fmt"
	"os"
	"testing"

	"cdpor/explore"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

func TestTry(t *testing.T) {
	p, err := golang.Load(t.Context(), golang.Options{Path: os.Getenv("TRY"), Func: os.Getenv("TRYFUNC")})
	if err != nil {
		t.Fatal(err)
	}
	for _, tm := range p.Step.Templates {
		t.Logf("%s: %d nodes, %d steps, %d words, count %d", tm.Name, len(tm.Nodes), len(tm.Steps), tm.LocalWords, tm.Count)
		if os.Getenv("DUMP") != "" {
			for i, n := range tm.Nodes {
				mark := " "
				if n.Visible {
					mark = "*"
				}
				fmt.Printf("%s %3d %v kind=%d next=%d else=%d dst=%s src=%s cond=%s  | %s %s\n", mark, i, n.Pos, n.Kind, n.Next, n.Else, show(n.Dst), show(n.Src), show(n.Cond), n.Text, n.Msg)
			}
		}
	}
	m, err := step.NewMachine(p.Step)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d procs, %d words, %d actions", m.NumProcs(), m.Words(), m.NumActions())
	alg, err := explore.Find("optimal")
	if err != nil {
		t.Fatal(err)
	}
	res, err := explore.Run(t.Context(), m, alg, explore.Options{MaxExecutions: 20000})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("executions %d blocked %d events %d", res.Executions, res.Blocked, res.Events)
	t.Logf("%v %d outcomes, deadlocks %d, violations %d stopped %q", res.Verdict, res.Outcomes.Len(), res.Deadlocks.Len(), len(res.Violations), res.Stopped)
	for _, v := range res.Violations {
		t.Logf("%+v", v)
	}
}

func show(e *step.Expr) string {
	if e == nil {
		return "-"
	}
	s := ""
	switch e.Op {
	case step.Const:
		return fmt.Sprint(e.Words)
	case step.VarRef:
		return e.Var.Name
	}
	for i, a := range e.Args {
		if i > 0 {
			s += ", "
		}
		s += show(a)
	}
	return fmt.Sprintf("%d.%d(%s)", e.Op, e.Field, s)
}

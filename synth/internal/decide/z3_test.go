//go:build cgo && !noz3

package decide

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aclements/go-z3/z3"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// collect runs the garbage collector all the time until the test ends.
func collect(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		wg.Wait()
	})
}

// TestArgumentsStayAlive builds sums of terms that nothing else refers to while the garbage collector runs all the
// time. Without nary, terms are released under the solver's feet: a wrong sum, or the end of the process.
func TestArgumentsStayAlive(t *testing.T) {
	collect(t)
	ctx := z3.NewContext(nil)
	sort := ctx.IntSort()
	for i := range int64(2000) {
		var sum []z3.Int
		for k := range int64(20) {
			sum = append(sum, ctx.FromInt(1000*i+k, sort).(z3.Int))
		}
		want := "(+"
		for k := range int64(20) {
			want += fmt.Sprint(" ", 1000*i+k)
		}
		if got := strings.Join(strings.Fields(nary(&room{}, z3.Int.Add, sum...).String()), " "); got != want+")" {
			t.Fatalf("%s, not %s)", got, want)
		}
	}
}

// TestClauses asks whether two different keys can both be in a set of one element, and in one of two, while memory is
// collected. The clauses about keys are formulas of many terms that nothing else refers to.
func TestClauses(t *testing.T) {
	z, err := newSolver(100_000, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	collect(t)
	key := &step.Type{Kind: step.Range, Lo: 0, Hi: 5}
	set := &step.Var{Name: "s", Type: &step.Type{Kind: step.Set, Elem: key, Len: 3}, Shared: true}
	var keys []*step.Var
	for i := range 4 {
		keys = append(keys, &step.Var{Name: string(rune('a' + i)), Type: key, Shared: true, Offset: 20 + i})
	}
	for i := range int64(300) {
		tab := term.NewTable()
		var lits []term.Literal
		size := tab.Word(term.MemKey{Slot: term.Shared, V: set, Off: 0, View: term.Direct}, nil, step.IntType)
		for _, k := range keys {
			f := tab.Word(term.MemKey{Slot: term.Shared, V: k, Off: 0, View: term.Direct}, nil, k.Type)
			has := tab.Word(term.MemKey{Slot: term.Shared, V: set, Off: 0, View: term.Keyed}, []term.Form{f},
				step.BoolType)
			lits = append(lits, tab.Atom(has.Plus(-1, term.Constant(1)), term.EqRel))
		}
		first := tab.Word(term.MemKey{Slot: term.Shared, V: keys[0], Off: 0, View: term.Direct}, nil, key)
		last := tab.Word(term.MemKey{Slot: term.Shared, V: keys[3], Off: 0, View: term.Direct}, nil, key)
		lits = append(lits, tab.Atom(size.Plus(-1, term.Constant(1+i%2)), term.EqRel),
			tab.Atom(first.Minus(last), term.EqRel).Not())
		want := Unsat
		if i%2 == 1 {
			want = Sat
		}
		if got := z.cube(context.Background(), tab, lits); got != want {
			t.Fatalf("question %d: %v, not %v", i, got, want)
		}
	}
}

// TestOnlyNary: the binding's operations of any number of arguments, and those made of them, are applied by nary only.
// A call past it goes wrong once in millions of questions: too rarely for a test that waits for it, and with an abort
// of the process, or a wrong answer.
func TestOnlyNary(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "z3.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok {
			switch f.Sel.Name {
			case "Add", "Sub", "Mul", "And", "Or", "Distinct", "NE":
				t.Errorf("%v: %s called directly", fset.Position(call.Pos()), f.Sel.Name)
			}
		}
		return true
	})
}

// TestSolverMemory asks what Z3 holds while there is a context.
func TestSolverMemory(t *testing.T) {
	context := z3.NewContext(nil)
	if held := SolverMemory(); held < 1<<16 {
		t.Errorf("Z3 says that it holds %d bytes", held)
	}
	runtime.KeepAlive(context)
}

//go:build cgo && !noz3

package synth

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aclements/go-z3/z3"
)

// TestArgumentsStayAlive builds sums of terms that nothing else refers to while the garbage collector runs all the time. Without
// nary, terms are released under the solver's feet: a wrong sum, or the end of the process.
func TestArgumentsStayAlive(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(stop)
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
		if got := strings.Join(strings.Fields(nary(z3.Int.Add, sum...).String()), " "); got != want+")" {
			t.Fatalf("%s, not %s)", got, want)
		}
	}
}

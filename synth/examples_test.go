//go:build cgo && !noz3

package synth

import (
	"context"
	"strings"
	"testing"

	"cdpor/constraints"

	"github.com/google/go-cmp/cmp"
)

// TestExamples: an entry is shown by a state in which it holds, one in which it does not, and a third step that would
// break it if all of it were uniform; one that is stronger than need be is told.
func TestExamples(t *testing.T) {
	prog := load(t, `cdpor: 1
shared: {x: int = 0, y: int = 0, z: int = 0}
threads:
  p: "s: x = 5"
  q: "s: x = 5"
  r: "s: y = x"
  u: "s: z = 7"
  v: "s: y = z"
`)
	set, err := constraints.Load(prog, "c.yaml", []byte(`cdpor-constraints: 1
pairs:
  - {blocks: [p.s, r.s], commute: x == 5, uniform: "false"}
  - {blocks: [p.s, q.s], commute: x == 5, uniform: "true"}
  - {blocks: [u.s, v.s], commute: z == 3, uniform: "false"}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`p.s, r.s
commute: x == 5
uniform: false
It holds: x = 5, y = 0
  this state can be reached, in 1 step
  both orders: y = 5
It is false: x = 0, y = 0
  this is the initial state
  p:p.s; q:r.s: x = 5, y = 5
  q:r.s; p:p.s: x = 5
If all of commute were uniform, q.s would break it, as what commute says begins with it: x = 0
  this is the initial state
  r:q.s: x = 5`, `p.s, q.s
commute: x == 5
uniform: true
It holds in none of the 52 reachable states where both are next.
It is false: x = 0
  this is the initial state
  both orders: x = 5
  They commute here as well: the condition is stronger than need be.`, `u.s, v.s
commute: z == 3
uniform: false
It holds in none of the 52 reachable states where both are next.
It is false: y = 0, z = 0
  this is the initial state
  p:u.s; q:v.s: y = 7, z = 7
  q:v.s; p:u.s: z = 7`} {
		x, err := ExamplesOf(context.Background(), set, set.Pairs[i], Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.Join(x.Text(), "\n")); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", i, diff)
		}
	}
}

package slice_test

import (
	"math/rand"
	"testing"
)

// TestTraps compares small programs with their slices that a plausible shortcut gets wrong.
func TestTraps(t *testing.T) {
	for name, text := range map[string]string{
		// What a step wrote before it failed is there, although the step would have written it again.
		"failure inside a step": `
shared: {x: int, y: int, out: int}
threads:
  p: "atomic { x = 1; assert y == 1; x = 2 }"
  q: out = x
  r: y = 1
`,
		// The second instance must end its loop although nobody asks for what it does.
		"an instance that goes round": `
shared: {x: "array[2] int", out: int}
threads:
  p:
    count: 2
    run: |
      while x[self] < 2 { x[self] += 1 }
      if self == 0 { out = x[0] }
`,
		// Leaving the lock out would let the thread reach its end.
		"a lock that is never free": `
shared: {m: mutex, out: int}
threads:
  p: lock m
  q: |
    lock m
    out = 1
`,
		// The sum leaves int64 after some sixty rounds, and what follows is not executed.
		"doubling": `
shared: {x: "int = 1", y: "int = 1", out: int}
threads:
  p: |
    for i in 0..40 { x = x + y; y = y + x }
    out = 1
`,
		// For a wrong c the product would fail, and what follows it would not be executed.
		"a product before what is needed": `
shared: {c: int = 4611686018427387904, d: int, e: int, out: int}
threads:
  p: |
    let b = d
    c = 0
    out = b + e
  q: |
    d = 3 * c
    e = 1
`,
		// Without the assignment to c the loop would have no end, and out no value in one.
		"a loop that ends": `
shared: {c: int, d: int, out: int}
threads:
  p: |
    let b = d
    c = 1
    out = b
  q: "while c == 0 { d = 1 }"
`,
		// The assumption would drop the execution.
		"an assumption that holds in the end": `
shared: {c: int, d: int, out: int}
threads:
  p: |
    let b = d
    c = 1
    out = b
  q: |
    await c == 1
    assume c == 1
    d = 1
`,
	} {
		var c tally
		if err := c.compare("cdpor: 1\nname: trap\n"+text, rand.New(rand.NewSource(1)), 100); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.Slices == 0 {
			t.Errorf("%s: nothing was compared", name)
		}
	}
}

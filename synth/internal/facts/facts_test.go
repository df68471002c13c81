package facts

import (
	"context"
	"errors"
	"testing"

	"cdpor/lang/langtest"
	"cdpor/lang/slice"
)

// TestInterrupted: the search for the facts of a program, which takes long if that is large, ends with its context.
func TestInterrupted(t *testing.T) {
	m := langtest.Machine(t, "count.yaml", "cdpor: 1\nshared: {x: int}\nthreads: {p: x++, q: x++}\n", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, m.Program, nil, slice.NewParallel(m.Program)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

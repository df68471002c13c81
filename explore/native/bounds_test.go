package native

import (
	"context"
	"testing"
	"time"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// TestPreemptions: interleavings executes exactly what leaves a goroutine that could go on so often.
func TestPreemptions(t *testing.T) {
	test := built(t, "counts")
	const name = "TestOnce2"
	counts := map[int]int64{}
	opt := Options{Algorithm: dpor.InterleavingsAlgorithm, All: true}
	seen := newTree(16, 32, 1)
	known := map[*node]bool{}
	opt.Seen = func(r *native.Record) {
		end, err := seen.add(r)
		if err != nil {
			t.Fatal(err)
		}
		if known[end] {
			return
		}
		known[end] = true
		last, left, n := 0, 0, seen.root
		for _, s := range r.Steps[1:] {
			if last > 0 && s.Proc != last && seen.EnabledOf(&n.enabled, last) >= 0 {
				left++
			}
			last = s.Proc
			n = n.child(s.Action)
		}
		counts[left]++
	}
	all := explored(t, test, name, opt)
	opt.Seen, opt.Preempt = nil, true
	within := int64(0)
	for k := 0; within < all.Executions; k++ {
		within += counts[k]
		opt.Preemptions = k
		r := explored(t, test, name, opt)
		if r.Executions != within || (r.Barred > 0) != (within < all.Executions) {
			t.Errorf("%d preemptions: %d of %d executions, %d barred; counted: %v", k, r.Executions, all.Executions,
				r.Barred, counts)
		}
		if k > 20 {
			t.Fatal(counts)
		}
	}
	if all.Executions < 100 {
		t.Errorf("%+v", all)
	}
}

// TestInterrupt: a search that is interrupted has what it has found so far.
func TestInterrupt(t *testing.T) {
	test := built(t, "counts")
	ctx, cancel := context.WithCancel(t.Context())
	p := native.Start(test, "TestStores7")
	defer p.Close()
	begun := time.Now()
	r, err := Search(ctx, p, Options{Algorithm: dpor.InterleavingsAlgorithm, Events: 1000,
		Progress: func(r *Result) {
			if r.Executions == 50 {
				cancel()
			}
		}})
	if err != nil || r.Stopped != StoppedContext || r.Executions != 50 || time.Since(begun) > time.Minute {
		t.Errorf("%v: %+v", err, r)
	}
}

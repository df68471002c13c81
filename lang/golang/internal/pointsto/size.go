package pointsto

import (
	"fmt"
	"strings"
)

// A TooLargeError says that a program has too many instructions when all its calls are written out.
type TooLargeError struct {
	Limit int // Options.Nodes
	// Chain leads from an entry to the instance that makes the program so large: each but the first has at least half
	// of the instructions of the one before with all that it calls.
	Chain []*Instance
	// Sizes are, for each of Chain, the instructions of it and all that it calls, as far as they were written out.
	Sizes []int
}

// Error names the functions of the chain, the places of their calls, and the instructions of the last.
func (e *TooLargeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "more than %d instructions when all calls are written out: %d of them in ", e.Limit,
		e.Sizes[len(e.Sizes)-1])
	for i, in := range e.Chain {
		if i == 0 {
			b.WriteString(in.Func.String())
		} else {
			fmt.Fprintf(&b, ", which calls %s (%s)", in.Func, in.Func.Prog.Fset.Position(in.Site.Pos()))
		}
	}
	return b.String()
}

// tooLarge finds the chain of calls that has most of the instructions.
func (s *solver) tooLarge() error {
	total := make([]int, len(s.result.Instances))
	heaviest := make([]*Instance, len(s.result.Instances))
	var top *Instance
	for i := len(total) - 1; i >= 0; i-- { // callees come after their callers
		in := s.result.Instances[i]
		total[i] += in.words.instructions
		if in.Caller == nil {
			if top == nil || total[i] >= total[top.Index] {
				top = in
			}
			continue
		}
		c := in.Caller.Index
		total[c] += total[i]
		if h := heaviest[c]; h == nil || total[i] >= total[h.Index] {
			heaviest[c] = in
		}
	}
	e := &TooLargeError{Limit: s.opt.Nodes}
	for in := top; ; in = heaviest[in.Index] {
		e.Chain = append(e.Chain, in)
		e.Sizes = append(e.Sizes, total[in.Index])
		if h := heaviest[in.Index]; h == nil || 2*total[h.Index] < total[in.Index] {
			return e
		}
	}
}

package dpor

import "cdpor/explore/internal/actionset"

// Ample sets of one process: Holzmann, Peled, "An Improvement in Formal Verification", FORTE'94, which is how Spin
// reduces. If whatever the others may still do is independent of the next step of a process, that step alone is tried;
// if there is no such process, everything is. It is a persistent set that takes no closure to find (persistent.go),
// with the sleep sets of LNCS 1032, chapter 5. There is no cycle proviso: executions end or are cut, and then the
// verdict says so.

var ampleAlgorithm = &Algorithm{
	Name:  "ample",
	Title: "ample sets of one process, with sleep sets",
	Help: "Tries a process alone from a node where its next step is independent of whatever the others may still do, " +
		"and else every process. What a process may still do is over-approximated, from the text and the present " +
		"state.",
	When: "To compare with Spin, whose reduction this is.\n" +
		"Not otherwise: persistent tries no more processes, source fewer.",
	Paper: "Holzmann, Peled: An Improvement in Formal Verification, FORTE 1994; " +
		"sleep sets as in Godefroid, LNCS 1032, chapter 5",
	Preserves: PreservesTerminal,
	Traces:    true,
	New:       func(Settings) Strategy { return &ample{} },
}

// ample is the algorithm.
type ample struct{ allEnabled }

// Enter tries the first process whose next step is independent of all that the others may still do.
func (s *ample) Enter(x *Search, n *Node) {
	s.allEnabled.Enter(x, n)
	free := n.Free()
	for p := range x.Procs {
		if x.EnabledOf(&free, p) < 0 || !x.independentOfOthers(p) {
			continue
		}
		n.Backtrack = actionset.Set{}
		for a := x.EnabledOf(&n.Enabled, p); a >= 0; a = x.NextOf(&n.Enabled, a) {
			n.Backtrack.Add(a)
		}
		return
	}
}

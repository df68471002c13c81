// Package executions explores executions: the depth-first search that calls an algorithm of package dpor.
//
//	search.go       the search; stack.go what is on its stack; validate.go what must hold of that at every node
//	spins.go        processes that go round without changing anything
//	stretch.go      how many nodes of a long search are different states; races.go which steps have met
//	visited.go      stopping at visited states (STATES), which internal/visited remembers; pay.go what is tried in
//	                return
//	sharing.go      how workers of one process share work (README, "Several workers"); spinmutex.go what they wait on
//	tasks.go        a part of a search whose results go into a log (cluster/README, internal/joblog), and how much of
//	                it is done
//	savedtree.go    saving the stack; savednodes.go nodes that several workers share; savedvisits.go visited states
package executions

// Package native explores a Go test that is really run (../../lang/golang/native), by the algorithms of package dpor:
// where these ask what would follow a prefix, it is run. Which operations depend on each other is said by the
// operations themselves, in the state that they meet: of a channel with a buffer only the k-th send and the k-th
// receive, and the receive that makes room for a send, may. That agrees with the constraints that cdpor synth has
// proved of models of the primitives.
//
//	search.go   the depth-first search, its bounds, what is wrong with an execution
//	machine.go  the answers: who may go on, what a step touches, which steps depend on each other
//	tree.go     what executions have shown
//	saving.go   a search as plain data, and going on with it
//	ahead.go    several processes: some execute what the search will ask for
//	counters.go where the counter of a WaitGroup gets negative in another order
//	random.go   tests that are too large for a search
//	delays.go   schedules with few delays, where there is no time for all
//	stretch.go  delays that are made up for by later ones
//	calls.go    types of the user's own, whose methods are taken for one step each
//	force.go    a schedule of the other engine, followed as far as it can be
//
// For people:
//
//	schedule.go  schedules as text
//	account.go   an execution in the words of the program
//	races.go     the accesses of a data race among its steps
//	cases.go     the cases of a select as the text has them
//	shorten.go   schedules with fewer switches
package native

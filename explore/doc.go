// Package explore searches the executions of a step.Machine. Every reducing algorithm preserves the reachable terminal
// states: outcomes, deadlocks, assertion failures and run-time errors. README.md beside this file states the
// definitions, the algorithm that is sound, and the programs that show where the papers' versions are not.
//
//	search.go         the depth-first engine: stack, limits, terminal states; calls a strategy
//	strategy.go       the interface between engine and algorithm, and the registry of algorithms
//	enabled.go        which actions are possible
//	stack.go          the record of the search: levels, events, nodes
//	relation.go       when an event and a step are dependent: footprints, constraints
//	happensbefore.go  happens-before and races of a step (README sections 3 and 4)
//	backtrack.go      how a race is reversed: insertion into a backtrack set
//	reorderings.go    where else a step that may be disabled could run (README section 4)
//	sequences.go      sleep sequences and the compensation for cuts (README section 5)
//	future.go         what a process may still do in a state; forecast.go works it out by abstract execution
//	source.go, constrained.go, ...   one algorithm per file
//	visited.go        stopping at visited states (README section 13); pay.go what is tried in return, visitedtable.go the table,
//	                  futuresets.go sets of steps that may still be taken, savedvisits.go all that as plain data
//	auto.go           the default: decides on its way how to go on (README section 14)
//	result.go         what a search reports; unchecked.go what it had no occasion to look at, coverage.go what executions go through
//	                  (README section 15)
//	found.go          telling of violations when they are found, and the first one as the end of a search
//	walk.go           executions that somebody else chooses, judged as a search does
//	observer.go       looking on while a search grows its tree
//	causality.go      happens-before in executions that are given step by step
//	giveup.go         giving up inside an execution
//	limits.go         limits, progress and random choices, of whatever kind of search
//	checkpoint.go     saving a search and going on with it; savedtree.go, savedgraph.go, savedresults.go, ... its parts as plain data
//	workers.go        several workers on one search; sharing.go, optimalsharing.go, sharedstates.go how they share work, findings.go what they found
//	treeset.go        the states that exhaustive has been in, in tables (keytables.go) that several workers add to (writer.go)
//	livelock.go       termination, eventually, leads_to (README section 17): on the graph of all states, stategraph.go, or
//	                  without it where that is enough; liveness/ judges graphs
//	packing.go        how a state is packed into few bits
//	symmetry.go       states that differ in which of several threads is which (README section 12)
//	scalarset.go      which threads are interchangeable
//	estimate.go       how much of a search is done
//	simplify.go       an equivalent schedule with few switches, for people
//	ahead.go          what a process may still do, for others
//	deadlock/         why nothing goes on in a deadlock
//	simulate/         random schedules: uniform walks and PCT
//	oracle/           the referee: plain search of the state graph, counting of Mazurkiewicz traces; shares nothing with the above
//
// Nothing here prints, reads a clock or has global state: limits and progress come in through Options and the context.
package explore

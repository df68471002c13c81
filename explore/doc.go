// Package explore searches the executions of a step.Machine. Every reducing algorithm preserves the reachable terminal
// states: outcomes, deadlocks, assertion failures and run-time errors. THEORY.md beside this file states the
// definitions, the algorithm that is sound, and the programs that show where the papers' versions are not.
//
// What is run, and what comes out:
//
//	options.go        Options; run.go, Run, which chooses an engine; engine.go what that is
//	search.go         the depth-first engine, which calls an algorithm
//	exhaustive.go     the other engine: the state graph with a visited set; successors.go looks ahead in it
//	found.go          the names of what is found, which is package internal/results; coverage.go what executions go
//	                  through (README, "What nothing came to")
//	walk.go           executions that somebody else chooses, judged as a search does
//	everystate.go     invariants looked at in all states
//	advice.go         what a long search says of other algorithms
//	observer.go       looking on while a search grows its tree
//
// Algorithms are those of package dpor, and two more:
//
//	algorithms.go     the registry
//	program.go        what algorithms ask about the program, answered by a step machine
//	auto.go           the default: decides on its way how to go on (README, "auto"); races.go which steps have met
//
// What is on the stack:
//
//	stack.go          levels, of which dpor has the nodes and internal/happens the events; frame.go those of
//	                  exhaustive
//	enabled.go        which actions are possible; preemption.go which of them a preemption bound forbids
//	causality.go      happens-before in executions that are given step by step
//	validate.go       what must hold of the search state at every node
//
// What may follow, and visited states:
//
//	visited.go        stopping at visited states (STATES), which internal/visited remembers; pay.go what is
//	                  tried in return
//	livelock.go       termination, eventually, leads_to (STATES, "Endless executions"): on the graph of all states;
//	                  lasso.go of one execution, on the graph that it makes
//
// Going on, and going on with several:
//
//	limits.go         limits, progress, random choices and safe points, of both engines; giving up inside an execution
//	checkpoint.go     saving a search and going on with it, in the form of internal/checkpoint: savedtree.go and
//	                  savedgraph.go the stacks, savednodes.go and savedparts.go what several workers have left,
//	                  savedvisits.go visited states
//	workers.go        several workers on one search (README, "Several workers"); workitem.go what one gives another;
//	                  sharing.go, optimalsharing.go and sharedstates.go how they share work, spinmutex.go what they
//	                  wait on
//	parcels.go        a part of a search whose results go into a log (cluster/README, internal/joblog), and
//	                  how much of it is done
//	exhaustiveslots.go  exhaustive by workers that share no memory (cluster/README, internal/slots); addresses.go
//	                  what stands for schedules there; partition.go which slot a state is in
//
// Packages beside:
//
//	dpor/             the algorithms, one type per paper
//	deadlock/         why nothing goes on in a deadlock
//	history/          histories of operations and their linearizability
//	liveness/         cycles of state graphs under fairness
//	replay/           one execution along a schedule: what it does, and what is wrong with it, in words
//	schedules/        schedules as text, and equivalent ones with few switches
//	simulate/         random schedules: uniform walks and PCT
//	internal/actionset/  sets of actions
//	internal/checkpoint/  the form in which a search is saved
//	internal/results/  what a search finds
//	internal/happens/  executions, and what happens before what in them (POPL'14; THEORY, "Happens-before")
//	internal/reversal/  sequences that reverse races
//	internal/estimate/  how much of a search is done
//	internal/meter/   units of work; internal/memory/ memory for workers
//	internal/future/  what a process may still do in a state, by abstract execution
//	internal/symmetry/  states that differ in which of several threads is which (STATES, "How states are kept")
//	internal/joblog/  what a log of parcels means (cluster/README, "Workers that may die")
//	internal/outcomes/  distinct ends of executions
//	internal/slots/   a state graph divided among workers that may die (cluster/README, "Divided state graphs")
//	internal/stategraph/  whole state graphs, for package liveness
//	internal/stateset/  sets of packed states, which several workers add to
//	internal/visited/  visited states, and sets of steps that may follow there
//	internal/wakeup/  wakeup trees (POPL'14, section 6)
//	oracle/           the referee: plain search of the state graph, counting of Mazurkiewicz traces; shares nothing
//	                  with the above
//
// Nothing here prints, reads a clock or has global state: limits and progress come in through Options and the context.
package explore

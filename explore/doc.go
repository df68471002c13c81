// Package explore searches the executions of a step.Machine. Every reducing algorithm preserves the reachable terminal
// states: outcomes, deadlocks, assertion failures and run-time errors. THEORY.md beside this file states the
// definitions, the algorithm that is sound, and the programs that show where the papers' versions are not.
//
// Entry points and results:
//
//	run.go            the registry of algorithms; Run, which chooses an engine; resume.go, from a checkpoint
//	found.go          the names of Options and of what is found: internal/engine, internal/results, internal/saved
//	coverage.go       what executions go through, and invariants in all states (README, "What nothing came to")
//	walk.go           executions that somebody else chooses, judged as a search does
//	livelock.go       termination, eventually, leads_to (STATES, "Endless executions"): on the graph of all states;
//	                  lasso.go of one execution, on the graph that it makes
//	causality.go      happens-before in executions that are given step by step
//	advice.go         what a long search says of other algorithms
//
// Engines, each a package:
//
//	internal/executions/  the depth-first search that calls an algorithm of package dpor; visited states
//	internal/states/  the state graph with a visited set; a part of it, for workers that share no memory
//	internal/parallel/  several workers on one search (README, "Several workers")
//	internal/auto/    the default: decides on its way how to go on (README, "auto")
//	internal/engine/  what they have in common: options, observers, limits, safe points
//	internal/program/  what algorithms ask about the program, answered by a step machine
//	internal/saved/   a search as plain data; internal/checkpoint/ the parts of it
//	distributed/      what the workers of a cluster have found, put together
//
// Parts of searches:
//
//	dpor/             the algorithms, one type per paper
//	deadlock/         why nothing goes on in a deadlock
//	history/          histories of operations and their linearizability
//	liveness/         cycles of state graphs under fairness
//	replay/           one execution along a schedule: what it does, and what is wrong with it, in words
//	sample/           how large trees of searches are, from random probes
//	schedules/        schedules as text, and equivalent ones with few switches
//	simulate/         random schedules: uniform walks and PCT
//	internal/actionset/  sets of actions
//	internal/results/  what a search finds
//	internal/happens/  executions, and what happens before what in them (POPL'14; THEORY, "Happens-before")
//	internal/reversal/  sequences that reverse races
//	internal/estimate/  how much of a search is done
//	internal/meter/   units of work; internal/memory/ memory for workers
//	internal/future/  what a process may still do in a state, by abstract execution
//	internal/symmetry/  states that differ in which of several threads is which (STATES, "How states are kept")
//	internal/joblog/  the log of a search that is cut into tasks, each explored by one worker at a time, and what it
//	                  means (cluster/README, "Workers that may die")
//	internal/outcomes/  distinct ends of executions
//	internal/partition/  which slot a state is in
//	internal/slots/   a state graph divided among workers that may die (cluster/README, "Divided state graphs")
//	internal/stategraph/  whole state graphs, for package liveness
//	internal/stateset/  sets of packed states, which several workers add to
//	internal/visited/  visited states, and sets of steps that may follow there
//	internal/wakeup/  wakeup trees (POPL'14, section 6)
//	oracle/           the referee: plain search of the state graph; shares nothing with the above
//
// Nothing here prints, reads a clock or has global state: limits and progress come in through Options and the context.
package explore

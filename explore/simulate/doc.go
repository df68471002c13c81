// Package simulate runs random schedules of a program, for a first look before a search and for programs that are too
// large for one. What it finds is real; that it finds nothing says nothing, but for the bound of PCT.
//
//	simulate.go  Run: schedules one after the other, and what they have found together; uniformly random ones
//	pct.go       probabilistic concurrency testing, and its bound
//
// A simulation is judged by explore.Walk, as a search is. If processes are started, it needs a step.Machine of its own:
// they get identities, which would otherwise change those that a later search sees.
package simulate

// Package invariants decides the invariants of a program in all its states, to which most searches do not come.
//
//	invariants.go  proves them, or else looks at all states
package invariants

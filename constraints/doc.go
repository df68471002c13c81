// Package constraints holds what is known about pairs of steps: in which states they commute, and which part of that
// may prune backtracking. It reads and writes the constraint file that people review and edit, and compiles its
// conditions so that an exploration can ask them in every state without allocating.
//
// A constraint speaks about steps of templates, not of instances: "producer.put with consumer.take" stands for every
// pair of instances. The condition is an expression of the program's own language over the shared variables and the
// locals of the two steps; p is the process of the first step and q that of the second.
//
//   - commute: both orders of the two steps lead to the same state, and neither step enables or disables the other.
//   - uniform: a part of commute that, over the whole family of pairs, is neither created nor destroyed by a third step
//     it is independent of. Only this part may decide that two events are unordered.
//
// A set also lists the facts that its conditions take for granted, invariants and ranges of variables: where a fact
// does not hold no reachable state lies, and nothing is said about it.
//
// Parts of conditions may have names (Set.Definitions): a condition of more than MaxCondition characters is written
// with some, and people define what they like. A set holds conditions with the names written out, so only Load, Format
// and Text know of them.
//
// Pairs that two processes never stand at in one state are listed as ordered. Their conditions are false, so that
// nothing depends on the list being right.
//
//	set.go        Set, Pair, and the version of the format; conditions as what a search asks
//	load.go       reading a file, and its schema for editors; format.go writing it
//	steps.go      what steps without a label are, and which they are after an edit of the program
//	define.go     long conditions written with named parts
//	seal.go       which entries are as they were written, for which program; merge.go what people did to a file
//	carry.go      the constraints of one version of a program, said of another
//	footprint.go  conditions that footprints alone give
//
// The package proves nothing; package synth finds and proves constraints. A pair that is absent is unknown.
package constraints

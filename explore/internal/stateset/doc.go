// Package stateset keeps sets of states: vectors of words of one length. A set is exact and takes about a key of 64
// bits for each vector, by tree compression (STATES, "How states are kept" of package explore says how, and what was
// measured).
//
//	packing.go    vectors packed into as few bits as the types of their words promise, in chunks
//	treeset.go    TreeSet: chunks get numbers, and pairs of numbers, up to the root
//	keytables.go  hash tables of 64-bit keys that several goroutines use at once
//	writer.go     Writer: what one of several goroutines that add to a set has of it
//	path.go       vectors that were found last, by number
//	wordbytes.go  words as bytes
//	savedset.go   a set as plain data, for checkpoints
//
// It knows nothing of searches.
package stateset

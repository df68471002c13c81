// Package scaling simulates a search by many workers over a server, to see where it stops scaling and why: SCALING.md.
// Workers replay the tree that a search by one of them has explored, or explore themselves; what they are told to do,
// by the fold of the log and by package pacing, is what package cluster does. Time, messages, the server and the
// coordinator are simulated, event by event.
//
//	tree.go         Record: the tree of a search
//	replay.go       Replay: workers that go through a recorded tree
//	parameters.go   Parameters: what everything costs
//	simulate.go     Simulate
//	events.go       what happens next
//	worker.go       a worker
//	server.go       the server
//	coordinator.go  the coordinator
//	limits.go       Limit: what keeps more workers from being of more use
package scaling

// Package slots divides a search of the state graph among workers that share no memory, may die, and whose messages
// come late, twice or not at all (cluster/README, "Divided state graphs").
//
// The states are divided into slots. In each stage of the search every slot has an owner, who keeps the visited states
// of the slot, numbers them as they come, and expands some at once and the others in that order. A stage ends with a
// barrier: all owners have stored their slots, and what they have stored fits together. What a stage has found without
// coming to its barrier does not count.
//
//	stage.go   Stage, Slot, Part: what is stored of a search
//	entry.go   Entry: a state, and how the search came there; how it is written
//	queue.go   Queue: the states of a slot, in segments that are stored and a rest that is not
//	paths.go   Paths: how the search came to states
//	message.go Message, Ask, Status: what workers and leaders tell each other
//	member.go  Member: what a worker does in a stage
//	leader.go  Leader: when a stage begins, and when it ends
//	assign.go  which worker owns which slot
//
// It knows nothing of programs, nor of how messages travel; time is given to it.
package slots

// Package states explores the state graph of a program, every state once (exhaustive).
//
//	exhaustive.go  the search, depth first with a visited set; frame.go what is on its stack
//	successors.go  looking ahead where most steps lead to states that have been visited
//	stretches.go   the lower part of a long stack, kept in short
//	components.go  its strongly connected components, which say whether executions end
//	sharing.go     how workers of one process share it; saved.go how it is saved
//	slotwork.go    by workers that share no memory (cluster/README, internal/slots); addresses.go what stands for
//	               schedules there
package states

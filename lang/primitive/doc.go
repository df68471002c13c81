// Package primitive says what synchronisation primitives are in step form: records of shared words whose operations are
// guards, assignments and checks. Nothing behind a front end knows them, and they know no language: an operation is
// given the place of its primitive and its operands as expressions, and emits nodes for them into build.Code. What
// belongs to one process is an element of an array of its own, so that processes which do not disturb each other touch
// different locations.
//
//	types.go       the types of the primitives, and what is in them at the start
//	mutex.go       locks, rwlock.go for readers and one writer; semaphore.go; atomic.go cas, fetch_add and swap
//	cond.go        condition variables; barrier.go, waitgroup.go, once.go meetings
//	channel.go     channels with a buffer and rendezvous; select.go one of several communications
//	mailbox.go     queues and bags of messages; the owner takes the first, or any that it wants
//	races.go       marks by which data races are checks that fail
//
// An operation is one step unless its comment says otherwise; inside an atomic block it is a part of that, and an
// operation that waits may then stand only where the block begins. Operands must be evaluated beforehand: they are read
// where they stand in the expressions. The types are checked by who calls: a wrong one is a panic.
//
// A primitive that is used against its rules is an error of the run, step.Misused or step.NotHeld. Go differs in what a
// receive from a closed channel gives, in who may unlock a mutex, and in a lock for writing that waits for readers to
// leave: there it keeps later readers out.
package primitive

// Package cluster runs a search by workers that may die over NATS JetStream (cluster/README, "Workers that may die"
// and "Divided state graphs"). A job has a log, which is the truth, a queue of tasks to be worked on, and a store
// for what is large. Everything else follows from the log.
//
//	server.go       a JetStream server in this process
//	job.go          Job: the streams of a job, making, listing and removing them
//	spec.go         Spec: what is searched, and how; it travels with the job
//	connection.go   connection: asking a server, and again if that is needed
//	names.go        names of streams, subjects and chains
//	damaged.go      records and messages that cannot be read, or do not fit
//	log.go          recordLog: appending records and reading them, and mending what is damaged
//	objects.go      objectStore: what is too large for a message
//	delivery.go     taking up a task that the queue delivers, and tasks that kill every worker
//	messages.go     messages between workers and coordinators that are not stored
//	worker.go       a worker explores tasks
//	watchdog.go     watchdog: workers that hang
//	process.go      Process: the workers of a process, on all jobs or one
//	status.go       Statuses: the status of jobs; Checkup: what they need of a server
//	coordinator.go  Coordinate: the fold of the log, and handing out tasks
//	findings.go     adder: adding up findings beside the coordinator
//	snapshot.go     snapshots, which replace records that have been folded
//	share.go        how much of a search is done
//	slots.go        a worker that owns slots of a state graph (cluster/README, "Divided state graphs")
//	divide.go       coordinating such workers
package cluster

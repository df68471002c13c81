// Package cluster runs a search by workers that may die over NATS JetStream (cluster/README, "Workers that may die"
// and "Divided state graphs"). A job has a log, which is the truth, a queue of parcels to be worked on, and a store
// for what is large. Everything else follows from the log.
//
//	server.go       a JetStream server in this process
//	job.go          Job: the streams of a job, making, listing and removing them
//	spec.go         Spec: what is searched, and how; it travels with the job
//	damaged.go      records and messages that cannot be read, or do not fit
//	log.go          records in and out; large.go what is too large for a message
//	chain.go        the records of a parcel: where it goes on, and parcels that nobody survives
//	messages.go     what workers and coordinators tell each other, and nobody relies on
//	worker.go       what a worker does with a parcel
//	hang.go         workers that hang
//	tasks.go        jobs of tasks that do not depend on each other
//	crew.go         Crew: the workers of a process, on all jobs or one
//	survey.go       Survey: how jobs are doing; Checkup: what they need of a server
//	coordinator.go  Coordinate: the fold of the log, and handing out what waits
//	joiner.go       adding up what has been found, beside that
//	snapshot.go     what takes the place of records that have been folded
//	share.go        how much of a search is done
//	slots.go        what a worker does that owns slots of a state graph (cluster/README, "Divided state graphs")
//	divide.go       coordinating such workers
package cluster

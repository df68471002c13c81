// Package remote lets the workers of a cluster explore, and has the commands of the cluster.
//
//	flags.go      where the server is
//	connect.go    connects to it; submits a search and waits for its result
//	serve.go, work.go, jobs.go  the commands of these names
//	nocluster.go  what a build without the cluster says
package remote

// Package distributed puts together what the workers of a cluster have found.
//
//	findings.go  what their records have found; trace.go schedules in place of the addresses of states
package distributed

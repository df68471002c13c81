// Package pacing decides when the workers and the coordinator of a search over a server do what: how long a slice is,
// who answers a hint, when what waits is handed out. It has no clock and knows no server.
//
//	slices.go   Slices: how a worker divides its time
//	handout.go  what a coordinator does when it has read a record, and when the time has come
package pacing

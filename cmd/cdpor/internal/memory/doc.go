// Package memory measures memory: memory.go that of this process, and sizes on the command line; peak_unix.go that of a
// process that has ended, which peak_other.go cannot.
package memory

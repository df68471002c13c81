// Package memory measures memory: memory.go that of this process, and sizes on the command line.
package memory

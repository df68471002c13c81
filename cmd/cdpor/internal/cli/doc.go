// Package cli writes what is made from the commands and flags of a command line, and reads what stands for flags
// elsewhere.
//
//	model.go        the commands, and how they and their flags are written
//	man.go          the man page
//	configuration.go  flags that are set in a file or in the environment
package cli

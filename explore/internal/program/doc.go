// Package program answers what algorithms ask about a program: dpor.Program, of a step machine.
//
//	program.go  the answers, from the states on the stack and by running steps on copies; the preemption bound
//	enabled.go  which actions are possible
package program

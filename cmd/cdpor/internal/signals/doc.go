// Package signals has what a command does about signals.
//
//	interrupts.go     the first interrupt ends the work in order, also while the solver has the signal
//	handler_linux.go  reads and puts back the handler of a signal; handler_other.go where that cannot be done
//	status_unix.go    SIGUSR1; status_other.go where there is none
package signals

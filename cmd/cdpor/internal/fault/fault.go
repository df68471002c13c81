// Package fault has the ways in which a command ends other than well: exit codes, errors that the user can put right,
// and output that could not be written.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Exit codes. A violation beats incompleteness.
const (
	ExitOK         Code = 0 // complete, and nothing is wrong
	ExitViolation  Code = 1 // something is wrong with the program, a constraint or an expectation
	ExitInput      Code = 2 // the command line or a file cannot be used, or a file cannot be written
	ExitIncomplete Code = 3 // a bound, a timeout, an interrupt, the solver does not know, or no property was checked
	ExitInternal   Code = 4 // a bug of cdpor
	// ExitPipe is how the shell calls the end of a process that writes to a closed pipe: 128 + SIGPIPE.
	ExitPipe Code = 141
)

// A Code ends a command whose output is complete.
type Code int

func (c Code) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// An Input is something that the user can put right.
type Input struct{ Err error }

func (e Input) Error() string { return e.Err.Error() }

func (e Input) Unwrap() error { return e.Err }

// Inputf is an Input with a text.
func Inputf(format string, args ...any) error { return Input{fmt.Errorf(format, args...)} }

// An Unfinished says that a command was interrupted, or out of time, before it had a result.
type Unfinished struct{ Err error }

func (e Unfinished) Error() string { return e.Err.Error() }

func (e Unfinished) Unwrap() error { return e.Err }

// FileError words an error of the file system without the name of the system call.
func FileError(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		if errors.Is(err, fs.ErrNotExist) {
			return Inputf("%s: there is no such file", at.Path)
		}
		return Inputf("%s: %v", at.Path, at.Err)
	}
	return Input{err}
}

// FileErrorOf is FileError for a file that is written under another name first.
func FileErrorOf(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return FileError(&fs.PathError{Op: at.Op, Path: path, Err: at.Err})
	}
	return FileError(err)
}

// An Output says that something could not be written: the disk is full, or whoever read a pipe has gone.
type Output struct {
	Where string // a path, or standard output
	Err   error
}

func (e *Output) Error() string {
	why := e.Err
	var at *fs.PathError
	if errors.As(why, &at) {
		why = at.Err
	}
	if errors.Is(why, syscall.EPIPE) {
		return fmt.Sprintf("%s was closed before everything was written", e.Where)
	}
	return fmt.Sprintf("cannot write to %s: %v", e.Where, why)
}

func (e *Output) Unwrap() error { return e.Err }

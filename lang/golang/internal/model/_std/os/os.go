// Package os is what cdpor explores in place of Go's: nothing of the outer world.
package os

import "syscall"

// ProcAttr is written out for os/exec, which needs the type of Sys to be the one of syscall.
type ProcAttr struct {
	Dir   string
	Env   []string
	Files []*File
	Sys   *syscall.SysProcAttr
}

func exit(code int)

func Exit(code int)            { exit(code) }
func Getenv(key string) string { return "" }
func Getpid() int              { return 1 }

type File struct{ name string }

func (f *File) Write(b []byte) (n int, err error)       { return len(b), nil }
func (f *File) WriteString(s string) (n int, err error) { return 0, nil }
func (f *File) Close() error                            { return nil }

type Signal interface {
	String() string
	Signal()
}

var (
	Interrupt Signal = syscall.SIGINT
	Kill      Signal = syscall.SIGKILL
)

var (
	Stdin  = &File{"stdin"}
	Stdout = &File{"stdout"}
	Stderr = &File{"stderr"}
	Args   = []string{"program"}
)

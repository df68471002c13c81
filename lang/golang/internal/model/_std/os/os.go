// Package os stands in for Go's: it shows nothing of the outer world. The environment is empty at first.
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
func enter()
func leave()

func Exit(code int) { exit(code) }
func Getpid() int   { return 1 }

// environment is under a lock in Go: each operation is atomic.
var environment map[string]string

func LookupEnv(key string) (value string, ok bool) {
	enter()
	value, ok = environment[key]
	leave()
	return value, ok
}

func Getenv(key string) string {
	value, _ := LookupEnv(key)
	return value
}

func Setenv(key, value string) error {
	enter()
	if environment == nil {
		environment = map[string]string{}
	}
	environment[key] = value
	leave()
	return nil
}

func Unsetenv(key string) error {
	enter()
	delete(environment, key)
	leave()
	return nil
}

func Clearenv() {
	enter()
	environment = nil
	leave()
}

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

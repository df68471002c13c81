// Package runtime stands in for the part of Go's that programs call.
package runtime

const (
	GOOS     string = "linux"
	GOARCH   string = "amd64"
	Compiler        = "gc"
)

type Error interface {
	error
	RuntimeError()
}

func goexit()

func Gosched()                        {}
func Goexit()                         { goexit() }
func GC()                             {}
func NumCPU() int                     { return 2 }
func GOMAXPROCS(n int) int            { return 2 }
func KeepAlive(x any)                 {}
func LockOSThread()                   {}
func UnlockOSThread()                 {}
func SetFinalizer(obj, finalizer any) {}

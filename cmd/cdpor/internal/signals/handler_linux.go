package signals

import (
	"os"
	"syscall"
	"unsafe"
)

// A signalHandler is the action of the kernel for a signal. It is only read and put back, so its form does not matter;
// no architecture needs more words.
type signalHandler [8]uintptr

// signalSetBytes is the size of the kernel's set of signals.
const signalSetBytes = 8

// handlerOf is the present handler of a signal.
func handlerOf(sig os.Signal) (h signalHandler, ok bool) {
	return h, sigaction(sig, nil, &h)
}

// install makes it the handler of the signal again, at once.
func (h *signalHandler) install(sig os.Signal) { sigaction(sig, h, nil) }

func sigaction(sig os.Signal, set, old *signalHandler) bool {
	number, ok := sig.(syscall.Signal)
	if !ok {
		return false
	}
	_, _, failed := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(number), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(old)), signalSetBytes, 0, 0)
	return failed == 0
}

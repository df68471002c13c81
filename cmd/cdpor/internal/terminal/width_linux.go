package terminal

import (
	"os"
	"syscall"
	"unsafe"
)

// Width asks a terminal how many columns it has; 0 if it does not say.
func Width(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ,
		uintptr(unsafe.Pointer(&size))); err != 0 {
		return 0
	}
	return int(size.columns)
}

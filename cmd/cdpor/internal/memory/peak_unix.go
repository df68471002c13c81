//go:build unix

package memory

import (
	"os"
	"runtime"
	"syscall"
)

// PeakOf is the most memory in bytes that an ended process had in use at a time, 0 if the system does not tell.
func PeakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // bytes there, kilobytes elsewhere
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

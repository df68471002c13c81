package sync

import (
	"runtime"
	"unsafe"
)

// cdporGate is a gate where the program itself uses a pool, which is empty at the beginning of each execution: a pool
// may drop what it keeps at any time. What the library pools are caches, whose callers do not see what they get.
//
//go:norace
func (p *Pool) cdporGate(kind int) {
	if !runtime.CdporOutside(3) {
		return
	}
	runtime.CdporGate(kind, unsafe.Pointer(p), 0, 0)
	if e := runtime.CdporExecution(); p.cdporExecution != e {
		p.cdporExecution = e
		p.local, p.localSize, p.victim, p.victimSize = nil, 0, nil, 0
	}
}

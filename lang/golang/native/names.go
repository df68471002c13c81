package native

import (
	"fmt"
	"strings"
)

// What operations are called in reports.

var kindNames = [...]string{opNone: "nothing", opSend: "send", opReceive: "receive", opClose: "close",
	opSelect: "select", opEnter: "select", opLock: "Lock", opTryLock: "TryLock", opUnlock: "Unlock",
	opReadLock:    "RLock",
	opTryReadLock: "TryRLock", opReadUnlock: "RUnlock", opAnnounce: "Lock (announced to readers)",
	opWriteLock: "Lock (of a RWMutex)", opTryWriteLock: "TryLock", opWriteUnlock: "Unlock (of a RWMutex)",
	opAdd: "Add", opWait: "Wait (of a WaitGroup)", opOnce: "Once.Do", opOnceEnd: "the end of Once.Do",
	opCondWait: "Wait (of a Cond)", opCondPark: "Wait (of a Cond)", opSignal: "Signal", opBroadcast: "Broadcast",
	opLoad: "load", opStore: "store", opBump: "add", opCompare: "compare-and-swap", opKeyLoad: "load of a key",
	opKeyStore: "store of a key", opKeyChange: "change of a key", opKeys: "Range", opClear: "Clear", opLength: "len",
	opCall: "call (one step)",
	opGo:   "go", opExit: "exit", opSleep: "Sleep", opArm: "a timer is made",
	opReset: "Reset", opStop: "Stop",
	opNow: "Now", opTick: "time passes", opBubble: "synctest.Test", opQuiet: "synctest.Wait",
	opBubbled: "synctest.Test, for the goroutines of its bubble", opBubbleEnd: "the end of synctest.Test"}

// Name is the name of an operation.
func (op *Operation) Name() string { return kindNames[op.Kind] }

// String is a few words for an operation: receive of #3.
func (op *Operation) String() string {
	var b strings.Builder
	b.WriteString(kindNames[op.Kind])
	switch {
	case op.Kind == opGo:
		fmt.Fprintf(&b, " %d", op.Number)
	case op.Kind == opAdd:
		fmt.Fprintf(&b, "(%d)", op.Number)
	}
	for i, id := range op.Objects {
		switch {
		case i == 0:
			b.WriteString(" of ")
		default:
			b.WriteString(", ")
		}
		if id < 0 {
			b.WriteString("nil")
		} else {
			fmt.Fprintf(&b, "#%d", id)
		}
	}
	return b.String()
}

package executions

import (
	"runtime"
	"sync"
)

// A spinMutex is a mutex for what is held for microseconds: a goroutine that is put to sleep for it takes much longer
// to wake up.
type spinMutex struct{ sync.Mutex }

// patience is how often it is tried before the goroutine is put to sleep all the same.
const patience = 1000

func (m *spinMutex) lock() {
	for range patience {
		if m.TryLock() {
			return
		}
		runtime.Gosched()
	}
	m.Lock()
}

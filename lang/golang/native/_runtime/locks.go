package cdpor

import (
	"runtime"
	"sync"
)

// A RWMutex is one without gates.
type RWMutex struct{ m sync.RWMutex }

func (m *RWMutex) Lock()    { runtime.CdporOff(1); m.m.Lock(); runtime.CdporOff(-1) }
func (m *RWMutex) Unlock()  { runtime.CdporOff(1); m.m.Unlock(); runtime.CdporOff(-1) }
func (m *RWMutex) RLock()   { runtime.CdporOff(1); m.m.RLock(); runtime.CdporOff(-1) }
func (m *RWMutex) RUnlock() { runtime.CdporOff(1); m.m.RUnlock(); runtime.CdporOff(-1) }

// A Map is one without gates.
type Map struct{ m sync.Map }

func (m *Map) Store(key, value any) { runtime.CdporOff(1); m.m.Store(key, value); runtime.CdporOff(-1) }
func (m *Map) Delete(key any)       { runtime.CdporOff(1); m.m.Delete(key); runtime.CdporOff(-1) }
func (m *Map) Range(f func(key, value any) bool) {
	runtime.CdporOff(1)
	m.m.Range(f)
	runtime.CdporOff(-1)
}

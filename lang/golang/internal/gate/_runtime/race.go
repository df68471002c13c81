//go:build go1.23 && race

package cdporgate

import (
	"runtime"
	"unsafe"
)

// What gates do must order nothing for the race detector.

func raceOff() { runtime.RaceDisable() }
func raceOn()  { runtime.RaceEnable() }

// What a timer does comes behind what armed it.

func raceRelease(k *channel) { runtime.RaceReleaseMerge(unsafe.Pointer(k)) }
func raceAcquire(k *channel) { runtime.RaceAcquire(unsafe.Pointer(k)) }

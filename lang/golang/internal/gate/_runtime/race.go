//go:build race && go1.23

package cdporgate

import "runtime"

// Gates order nothing for the race detector.

func raceOff() { runtime.RaceDisable() }
func raceOn()  { runtime.RaceEnable() }

//go:build race

package cdpor

import "internal/race"

func raceErrors() int { return race.Errors() }

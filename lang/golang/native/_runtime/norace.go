//go:build !race

package cdpor

func raceErrors() int { return 0 }

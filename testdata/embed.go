// Package testdata holds the shipped programs, so that an installed cdpor has them too.
package testdata

import "embed"

// Programs has the shipped programs in the folders programs, actors and traps.
//
//go:embed programs/*.yaml actors/*.yaml traps/*.yaml
var Programs embed.FS

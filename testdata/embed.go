// Package testdata has the programs that are shipped with cdpor, and the page that lists them.
package testdata

import "embed"

// Files is README.md and the programs in actors, incidents, liveness, programs and traps.
//
//go:embed README.md actors/*.yaml incidents/*.yaml liveness/*.yaml programs/*.yaml traps/*.yaml
var Files embed.FS

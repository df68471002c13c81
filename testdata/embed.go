// Package testdata has the programs that are shipped with cdpor, and the page that lists them.
package testdata

import "embed"

// Files is README.md, the programs in actors, incidents, liveness, programs and traps, and incidents as Go tests.
//
//go:embed README.md actors/*.yaml incidents/*.yaml incidents/*_test.go liveness/*.yaml programs/*.yaml traps/*.yaml
var Files embed.FS

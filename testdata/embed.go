// Package testdata has the programs that are shipped with cdpor, and the list of them.
package testdata

import "embed"

// Files is examples.txt, the programs in actors, incidents, liveness, programs, reviewed with
// their constraints, and traps, and incidents as Go tests.
//
//go:embed examples.txt actors/*.yaml incidents/*.yaml incidents/*_test.go liveness/*.yaml programs/*.yaml
//go:embed reviewed/*/*.yaml traps/*.yaml
var Files embed.FS

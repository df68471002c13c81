//go:build cgo && !noz3

package decide

// #cgo LDFLAGS: -lz3
// #include <z3.h>
import "C"

import "fmt"

// z3Version is the version of the library that is linked. The binding has no function for it.
func z3Version() string {
	var major, minor, build, revision C.uint
	C.Z3_get_version(&major, &minor, &build, &revision)
	return fmt.Sprintf("%d.%d.%d", major, minor, build)
}

// SolverMemory is what Z3 holds for all its contexts, in bytes, as it counts itself. It may be asked at any time.
func SolverMemory() int64 { return int64(C.Z3_get_estimated_alloc_size()) }

// Package cachekey makes the keys of the cache: cachekey.go. The key of a pair is a hash of everything that its answer
// depends on and of nothing else: the code of both steps in terms of its own nodes, what becomes of their locals
// afterwards, the types, constants and functions in it, the processes that may run it, what is known about the
// variables it touches, the invariants, and the options. Names of steps, positions and other threads are not in it, so
// moving or renaming a step, or editing another one, keeps the answer.
//
// Whatever the analysis comes to depend on must be added here. TestCacheKey holds a number of edits against that.
package cachekey

// Package testdeps is needed by the main function of tests, which is not explored.
package testdeps

type TestDeps struct{}

var ModulePath, ImportPath string

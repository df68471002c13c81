// Package model has what replaces library packages when a Go program is explored: Go source below _std, in which
// bodyless functions are lowered by hand. Points-to and lowering see through the rest as through any other code.
//
//	model.go    the models as files that stand in place of the library's
//	rest.txtar  what the packages export and the models do not say, generated; a program that gets there is refused
package model

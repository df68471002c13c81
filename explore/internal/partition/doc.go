// Package partition divides the states of a program among owners: partition.go.
package partition

// Package parallel lets several workers explore one search (README, "Several workers"): pool.go; saved.go is how what
// they have left is saved.
package parallel

// Package auto decides on its way how to go on (README, "auto"): auto.go.
package auto

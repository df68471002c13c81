// Package auto decides on its way how to go on (README, "auto"): auto.go; policy.go says when it does what.
package auto

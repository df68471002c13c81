// Package saved has a whole search as plain data: saved.go.
package saved

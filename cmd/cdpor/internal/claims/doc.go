// Package claims says in words what a program claims, what of it was checked and holds, and what was not.
//
//	claims.go  the texts, for people and as JSON
package claims

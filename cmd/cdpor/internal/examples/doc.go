// Package examples has the commands that hand programs out.
//
//	examples.go  cdpor examples
//	init.go      cdpor init
package examples

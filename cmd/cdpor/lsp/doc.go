// Package lsp is a language server: it tells an editor over the Language Server Protocol what is wrong with the
// programs and constraint files that are open in it, what names mean, and where they are declared; and of programs and
// Go tests what the last run has found.
//
//	wire.go         messages on the wire: headers and JSON-RPC
//	session.go      one session with an editor: its documents, and what is published about them
//	server.go       the messages of a session, and which feature answers them
//	documents.go    texts that are open, and places in them as the protocol counts: from 0, in UTF-16
//	analysis.go     what the front end says about a text
//	diagnostics.go, actions.go                messages, and the edits that do what they say
//	hover.go, definition.go, references.go, rename.go, symbols.go, completion.go, formatting.go,
//	lenses.go       one feature each
//	lastrun.go      what runs have found
//
// Texts are analysed as a whole, when the editor has nothing more to say: after a burst of changes, once. All is told
// by the packages lang and constraints; nothing is explored or proved.
package lsp

// Package syntax reads the text of program files: YAML with embedded code becomes syntax trees, and every message has a
// place. It knows no names, no meaning of types, and no steps: of package step it uses places, and types as plain data
// in mentions.
//
//	source.go      text, positions, errors with a caret, and the Reporter, which collects them
//	diagnostics.go the kinds of messages and their codes, which catalogue.yaml has
//	fixes.go       edits of messages whose hint names a single cure; notes.go mentions of names, which checking adds
//	yaml.go        the YAML tree, walked by hand so that every message has a place
//	flow.go        lets types with brackets stand unquoted inside {...}
//	lexer.go, cursor.go, ast.go    embedded code as tokens; what they become
//	words.go       keywords and words of types
//	parser.go, parse.go, expressions.go, types.go   statements, expressions and types
//	foreign.go, habits.go, habitsyntax.go, temporal.go   what other languages and temporal logic write: hints in
//	               messages
//	indentation.go files that are indented wrongly
//	layout.go      the formatter of files
//	parseall.go    all code of a program parsed, for its errors
package syntax

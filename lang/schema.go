package lang

import _ "embed"

//go:embed program.schema.json
var programSchema string

// Schema is a JSON Schema (draft 7) of program files, for editors and other tools that know YAML but not this language.
// It knows the keys of a program and the words some of them take; what is code is text to it.
func Schema() string { return programSchema }

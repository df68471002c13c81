package constraints

import _ "embed"

//go:embed constraints.schema.json
var fileSchema string

// Schema is a JSON Schema (draft 7) of constraint files, for editors and other tools. Conditions and steps are text to
// it.
func Schema() string { return fileSchema }

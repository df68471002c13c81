package syntax

import (
	_ "embed"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// A Diagnostic is a kind of message about a program, the same for good: errors are E001 and so on, remarks of Vet W001
// and so on. A code that is given up is not used again.
type Diagnostic struct {
	Code  string
	Title string
	Text  string // what is wrong and why, one paragraph
	// Wrong is a program for which the message is given, Right one without it; empty where no small one shows it.
	Wrong, Right string

	Formats []string // the formats of its messages, by which a message gets its code
}

// Severity is "error" or "warning".
func (d *Diagnostic) Severity() string { return severity(d.Code) }

func severity(code string) string {
	if strings.HasPrefix(code, "W") {
		return "warning"
	}
	return "error"
}

//go:embed catalogue.yaml
var catalogue []byte

// Diagnostics are all of them, sorted by code.
var Diagnostics = sync.OnceValue(func() (list []*Diagnostic) {
	if err := yaml.Unmarshal(catalogue, &list); err != nil {
		panic(err) // a test reads it
	}
	return list
})

// codes maps formats of messages to codes.
var codes = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, d := range Diagnostics() {
		for _, f := range d.Formats {
			m[f] = d.Code
		}
	}
	return m
})

// ConstraintFileCode is the code of everything that is wrong with the form of a constraint file.
const ConstraintFileCode = "E601"

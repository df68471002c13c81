package syntax

import (
	"slices"
	"unicode"
)

// Keywords cannot be names.
var Keywords = []string{"var", "let", "if", "else", "while", "for", "in", "break", "continue",
	"return", "atomic", "await",
	"lock", "unlock", "trylock", "assert", "assume", "skip", "yield", "true", "false", "null", "self"}

// IsKeyword reports whether a word cannot be a name.
func IsKeyword(name string) bool { return slices.Contains(Keywords, name) }

var laterTypes = map[string]bool{"ref": true, "string": true}

// TypeWords begin types with brackets.
var TypeWords = map[string]string{"array": "array[N] T", "list": "list[T, capacity]", "queue": "queue[T, capacity]",
	"enum": "enum [a, b]", "set": "set[T, capacity]", "bag": "bag[T, capacity]", "map": "map[K, V, capacity]",
	"chan": "chan[T, capacity], or chan[T] for a rendezvous", "record": "record {a T, b U}",
	"fut": "fut[T], or fut[] for a method without a result",
	"sem": "sem(n), with the initial count", "barrier": "barrier(n), with the number of threads"}

// PlainTypes are the types of the language without parameters.
var PlainTypes = []string{"int", "bool", "mutex", "rwlock", "cond", "once", "waitgroup", "tid",
	"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}

// IsTypeWord reports whether a name begins a type.
func IsTypeWord(name string) bool {
	return TypeWords[name] != "" || slices.Contains(PlainTypes, name) || laterTypes[name]
}

// PlainName reports whether a word is made like a name: letters, digits and _, and no digit first.
func PlainName(word string) bool {
	for i, c := range word {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsNumber(c)) {
			return false
		}
	}
	return word != ""
}

// temporalWords are operators that are words. X stands for those that speak of the next state, U for those that stand
// between two conditions.
var temporalWords = map[string]string{
	"G": "[]", "AG": "[]", "always": "[]", "globally": "[]", "F": "<>", "AF": "<>", "eventually": "<>", "finally": "<>",
	"EF": "EF", "X": "X", "next": "X", "AX": "X", "EX": "X", "U": "U", "W": "U", "R": "U", "until": "U",
	"leadsto": "~>", "leads_to": "~>", "ENABLED": "ENABLED",
}

package syntax

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Habits: what people write who come from Go, C, Python, Java, Rust, Promela or PlusCal. None of it means anything in
// the language, so what is here only words messages: each names the cure, and what belongs to the mistake is passed
// over, so that it is reported once.

// elementWords stand between an array and the type of its elements elsewhere.
var elementWords = map[string]bool{"of": true}

// Foreign is the hint of a table for a name, whichever way it is written elsewhere.
func Foreign(table map[string]string, name string) string {
	if hint := table[name]; hint != "" || len(name) < 3 {
		return hint
	}
	normal := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for _, known := range slices.Sorted(maps.Keys(table)) {
		if normal(known) == normal(name) {
			return table[known]
		}
	}
	return ""
}

// foreignKeys are keys of program files, by the map that they stand in.
var foreignKeys = map[string]map[string]string{
	"a program": {
		"variables": "shared", "vars": "shared", "var": "shared", "globals": "shared", "global": "shared",
		"version": "cdpor", "state": "shared",
		"init": "the first value behind the type in shared, as in x: int = 1", "constants": "params", "const": "params",
		"parameters": "params", "processes": "threads", "process": "threads", "procs": "threads",
		"thread": "threads", "invariants": "invariant", "properties": "check", "property": "check",
	},
	"a thread": {
		"body": "run", "code": "run", "do": "run", "program": "run", "steps": "run", "instances": "count",
		"replicas": "count", "n": "count", "times": "count",
	},
	"check": {
		"invariant": invariant, "invariants": invariant, "assert": "final",
		"end": "final", "infinitely_often": "leads_to: {from: true, to: condition}",
		"always_eventually": "leads_to: {from: true, to: condition}", "liveness": "eventually or leads_to",
		"ltl":      properties,
		"temporal": properties, "safety": "always", "stable": "eventually_always", "progress": "leads_to",
		"never": "unreachable", "forbidden": "unreachable",
	},
}

// HabitDeadlock is the hint for what deadlock may not be.
func HabitDeadlock(value string) string {
	switch strings.ToLower(value) {
	case "none", "no", "false", "never", "off":
		return "write forbidden, or allowed if deadlocks do not count"
	case "true", "yes", "on", "ok":
		return "write allowed, or required if there must be one"
	}
	return DidYouMean(value, []string{"forbidden", "allowed", "required"})
}

// invariant is the hint at a section of that name, which may mean a property to check or a fact to prove constraints
// by.
const invariant = "always; or invariant at the top level, which is checked as well and helps to find constraints"

const properties = "always, eventually, eventually_always or leads_to"

// underCheck are keys of check that people write at the left margin.
var underCheck = []string{
	"final", "final_any", "reachable", "unreachable", "outcomes", "always", "transition", "deadlock", "races", "assert"}

// HabitKey is the hint for a key that is not known in a map.
func HabitKey(key, what string) string {
	if k := foreignKeys[what][key]; k != "" {
		return "write " + k
	}
	if what == "a program" && slices.Contains(underCheck, key) {
		in := strings.Replace(key, "assert", "final", 1)
		return fmt.Sprintf("what must hold stands in the section check: check: {%s: ...}", in)
	}
	return ""
}

// Declares reports whether a key of a map that is none of the known ones was meant to declare names; there are the keys
// of the map.
func Declares(key, what string, known, there []string) bool {
	meant := foreignKeys[what][key]
	if meant == "" {
		meant = nearest(key, known)
		if slices.Contains(there, meant) {
			return false
		}
	}
	return !slices.Contains(known, key) && slices.Contains([]string{"shared", "params", "types", "functions",
		"procedures", "actors"}, meant)
}

// conditionHint is for a map where a condition is expected: {x: 1}.
func conditionHint(n *yaml.Node) string {
	if len(n.Content) != 2 || n.Content[1].Kind != yaml.ScalarNode {
		return ""
	}
	return fmt.Sprintf("write a condition as code: %s == %s", n.Content[0].Value, n.Content[1].Value)
}

// HabitType is the hint for the name of a type of another language.
func HabitType(name string) string {
	switch to := foreignTypes[name]; {
	case to == "":
		return ""
	case strings.HasPrefix(to, "sem"):
		return "write sem(n), with the initial count"
	case name == "float" || name == "double" || name == "real":
		return "write int: numbers are integers"
	default:
		return "write " + to
	}
}

// mapHint says how a map is written where something else stands.
func mapHint(n *yaml.Node, what string) string {
	switch {
	case n.Kind == yaml.ScalarNode && what == "leads_to":
		return "write leads_to: {from: condition, to: condition}"
	case n.Kind == yaml.ScalarNode && what == "check":
		return "say when it holds: check: {final: condition} or {always: condition}"
	case n.Kind == yaml.ScalarNode && what == "expect":
		return "write expect: {verdict: ok}"
	case n.Kind == yaml.ScalarNode && what == "params":
		return "write params: {N: 3}"
	case n.Kind == yaml.ScalarNode && what == "functions":
		return "write functions: {twice(n int) int: return 2 * n}"
	case n.Kind == yaml.ScalarNode && what == "crashes":
		return "write crashes: {count: 1, of: [t]}"
	}
	if n.Kind == yaml.SequenceNode {
		return "write NAME: value for each, without - and [ ]"
	}
	if k := strings.IndexByte(n.Value, ':'); k > 0 && n.Kind == yaml.ScalarNode {
		return fmt.Sprintf("write a blank behind the colon: %s: %s", n.Value[:k], n.Value[k+1:])
	}
	return ""
}

package syntax

import (
	"cmp"
	"strings"
)

// Temporal logic: a condition of the language is about one state, and the key of check that it stands under says when
// it holds. What is here only words messages about operators of LTL and CTL.

// temporalKeys are the keys of check for operators.
var temporalKeys = map[string]string{"[]": "always: condition", "<>": "eventually: condition",
	"<>[]": "eventually_always: condition", "[]<>": "leads_to: {from: true, to: condition}, for infinitely often",
	"EF": "reachable: condition", "X": "transition: condition, where old(x) is the value before a step",
	"U":  "leads_to: {from: condition, to: condition}, and transition for what no step may change before",
	"~>": "leads_to: {from: condition, to: condition}"}

// habitTemporal reports the first operator of temporal logic in a condition that is not understood, or in the rest of
// a statement.
func habitTemporal(p *parser, t Token) {
	for first := range p.toks {
		operator, end := p.temporalAt(first)
		if operator == "" || p.first != (Token{}) && p.toks[first].Pos.Line != t.Pos.Line {
			continue
		}
		from, operators := p.toks[first], ""
		from.End = p.toks[end-1].End
		for operator != "" {
			operators += operator
			operator, end = p.temporalAt(end)
		}
		hint := TemporalHint(p.key, operators)
		if p.leadsTo() {
			hint = oneState + "write " + temporalKeys["~>"]
		} else if first > 0 && len(operators) > 1 && operators != "~>" { // its part of the condition is not known
			hint = noKey
		}
		p.fail(from, hint, "%s is not an operator of the language", p.File.Between(from.Pos, from.End))
	}
}

// TemporalHint says how the language asks for what operators ask for under a key: always and then <> is infinitely
// often.
func TemporalHint(key, operators string) string {
	of := keyOperators[key]
	all := of + operators
	for old := ""; old != all; {
		old = all
		for _, twice := range []string{"[]", "<>", "EF"} {
			all = strings.ReplaceAll(all, twice+twice, twice)
		}
		all = strings.ReplaceAll(strings.ReplaceAll(all, "<>[]<>", "[]<>"), "[]<>[]", "<>[]")
	}
	switch write := cmp.Or(temporalKeys[all], temporalKeys[operators]); {
	case all == of && all != "":
		return key + " says it already: write the condition alone"
	case operators == "ENABLED":
		return "write the condition for which the thread waits"
	case write != "":
		return oneState + "write " + write
	}
	return noKey
}

// TemporalCall is TemporalHint for a call of a word; empty if it is no operator.
func TemporalCall(key, word string) string {
	if temporalWords[word] == "" {
		return ""
	}
	return TemporalHint(key, temporalWords[word])
}

// keyOperators are the operators that keys stand for.
var keyOperators = map[string]string{"always": "[]", "invariant": "[]", "eventually": "<>", "to": "<>",
	"eventually_always": "<>[]", "reachable": "EF"}

const (
	oneState = "a condition is about one state: "
	noKey    = oneState + "always, eventually, eventually_always, leads_to and transition of check say when it holds"
)

package syntax

import (
	"cmp"
	"strings"
)

// Temporal logic: a condition of the language is about one state, and the key of check that it stands under says when
// it holds. What is here only words messages about operators of LTL and CTL.

// temporalWords are operators that are words. X stands for those that speak of the next state, U for those that stand
// between two conditions.
var temporalWords = map[string]string{
	"G": "[]", "AG": "[]", "always": "[]", "globally": "[]", "F": "<>", "AF": "<>", "eventually": "<>", "finally": "<>",
	"EF": "EF", "X": "X", "next": "X", "AX": "X", "EX": "X", "U": "U", "W": "U", "R": "U", "until": "U",
	"leadsto": "~>", "leads_to": "~>", "ENABLED": "ENABLED",
}

// temporalKeys are the keys of check for operators.
var temporalKeys = map[string]string{"[]": "always: condition", "<>": "eventually: condition",
	"<>[]": "eventually_always: condition", "[]<>": "leads_to: {from: true, to: condition}, for infinitely often",
	"EF": "reachable: condition", "X": "transition: condition, where old(x) is the value before a step",
	"U":  "leads_to: {from: condition, to: condition}, and transition for what no step may change before",
	"~>": "leads_to: {from: condition, to: condition}"}

// temporalAt is the operator that begins at a token, and the place of the token behind it; it is empty if there is
// none. The code is wrong, so that names of variables are rarely taken for operators.
func (p *parser) temporalAt(k int) (operator string, end int) {
	at := func(k int) Token { return p.toks[max(0, min(k, len(p.toks)-1))] }
	t, next, before := at(k), at(k+1), at(k-1)
	ended := k > 0 && (before.Kind == TName || before.Kind == tPunct && strings.Contains(")]", before.Text))
	sign := ""
	if t.Kind == tPunct && next.Kind == tPunct && t.End == next.Pos {
		sign = t.Text + next.Text
	}
	word := temporalWords[t.Text]
	after := ""
	if word != "" && next.Kind == tPunct {
		after, _ = p.temporalAt(k + 1)
	}
	switch {
	case sign == "[]" && (at(k+2).Kind == TName && at(k+2).Text != "in" || strings.Contains("(![<", at(k+2).Text)),
		sign == "<>" && (!ended || before.Text == "]" && at(k-2).Text == "["):
		return sign, k + 2
	case t.Kind != TName || word == "":
	case ended && !IsKeyword(before.Text), next.Kind == TName && next.Text != "in" && foreignOperators[next.Text] == "",
		next.Text == "!" && next.Pos != t.End, after != "":
		return word, k + 1
	}
	return "", k
}

// habitTemporal reports the first operator of temporal logic in a condition that is not understood, or in the rest of
// a statement.
func (p *parser) habitTemporal(t Token) {
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

// leadsTo reports whether a condition says that something happens after something else: p -> <> q.
func (p *parser) leadsTo() bool {
	implies, later := false, false
	for k, t := range p.toks {
		operator, _ := p.temporalAt(k)
		sign := t.Text + p.peekAt(k-p.i+1).Text
		implies = implies || sign == "->" || sign == "=>" || t.Text == "implies"
		later = later || operator == "<>"
	}
	return implies && later
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

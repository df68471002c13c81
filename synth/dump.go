package synth

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
)

// What a question to the solver is about, as comments above its SMT-LIB text.

// heard is what the solver calls with each question, nil if nobody wants to know.
func (opt *Options) heard() dump {
	if opt.Dump == nil {
		return nil
	}
	return func(number int, t *table, about []symID, question string, got answer) {
		opt.Dump(number, introduction(t, about)+question, got.String())
	}
}

// introduction says what a question is about and what its symbols are.
func introduction(t *table, used []symID) string {
	var b strings.Builder
	if t.about != "" {
		fmt.Fprintf(&b, "; about: %s\n", t.about)
	}
	for _, id := range slices.Sorted(slices.Values(used)) {
		fmt.Fprintf(&b, "; s%d: %s\n", id, describe(t, id))
	}
	return b.String()
}

// describe says what a symbol is: as the language has it if it can, else the variable that it belongs to.
func describe(t *table, id symID) string {
	s := &t.syms[id]
	switch s.kind {
	case meSym:
		return "the number of " + slotNames[s.mem.slot] + " as the holder of a mutex"
	case choiceSym:
		return "the alternative that " + slotNames[s.mem.slot] + " takes"
	case identitySym:
		return "the identity of a process that " + slotNames[s.mem.slot] + " starts"
	case leftSym:
		return "whether there is an identity left for a process that " + slotNames[s.mem.slot] + " starts"
	}
	if e := (&printer{pairSlots}).symbol(t, id); e != nil {
		var of [2]*step.Template
		for slot := range min(2, len(t.actors)) {
			of[slot] = t.actors[slot].tmpl
		}
		return lang.FormatExpr(e, of[0], of[1])
	}
	switch {
	case s.kind == selfSym:
		return "self of " + slotNames[s.mem.slot]
	case s.mem.v == nil:
		return "a product, quotient or remainder"
	case s.mem.slot == shared:
		return fmt.Sprintf("a word of %s", s.mem.v.Name)
	}
	return fmt.Sprintf("a word of %s.%s", slotNames[s.mem.slot], s.mem.v.Name)
}

package synth

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/wording"
)

// What a question to the solver is about, as comments above its SMT-LIB text.

// heard is what the solver calls with each question, nil if nobody wants to know.
func heard(dump func(number int, question, answer string)) decide.Dump {
	if dump == nil {
		return nil
	}
	return func(number int, t *term.Table, about []term.SymID, question string, got decide.Answer) {
		dump(number, introduction(t, about)+question, got.String())
	}
}

// introduction says what a question is about and what its symbols are.
func introduction(t *term.Table, used []term.SymID) string {
	var b strings.Builder
	if t.About != "" {
		fmt.Fprintf(&b, "; about: %s\n", t.About)
	}
	for _, id := range slices.Sorted(slices.Values(used)) {
		fmt.Fprintf(&b, "; s%d: %s\n", id, describe(t, id))
	}
	return b.String()
}

// describe says what a symbol is: as the language has it if it can, else the variable that it belongs to.
func describe(t *term.Table, id term.SymID) string {
	s := &t.Syms[id]
	switch s.Kind {
	case term.MeSym:
		return "the number of " + term.SlotNames[s.Mem.Slot] + " as the holder of a mutex"
	case term.ChoiceSym:
		return "the alternative that " + term.SlotNames[s.Mem.Slot] + " takes"
	case term.IdentitySym:
		return "the identity of a process that " + term.SlotNames[s.Mem.Slot] + " starts"
	case term.LeftSym:
		return "whether there is an identity left for a process that " + term.SlotNames[s.Mem.Slot] + " starts"
	}
	if e := (&wording.Printer{Table: t}).Symbol(id); e != nil {
		var of [2]*step.Template
		for slot := range min(2, len(t.Actors)) {
			of[slot] = t.Actors[slot].Tmpl
		}
		return lang.FormatExpr(e, of[0], of[1])
	}
	switch {
	case s.Kind == term.SelfSym:
		return "self of " + term.SlotNames[s.Mem.Slot]
	case s.Mem.V == nil:
		return "a product, quotient or remainder"
	case s.Mem.Slot == term.Shared:
		return fmt.Sprintf("a word of %s", s.Mem.V.Name)
	}
	return fmt.Sprintf("a word of %s.%s", term.SlotNames[s.Mem.Slot], s.Mem.V.Name)
}

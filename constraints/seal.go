package constraints

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// A seal is a short digest of what was written and proved: who edits an entry breaks it. It finds edits that are to be
// proved first; it is no protection against somebody who wants to deceive.

// sealLetters has no vowels and no digits, so that no seal is a word or a number.
const sealLetters = "bcdfghjkmnpqrstv"

func seal(text string) string {
	sum := sha256.Sum256([]byte(text))
	letters := make([]byte, 8)
	for i := range letters {
		letters[i] = sealLetters[sum[i]&15]
	}
	return string(letters)
}

// isSeal reports whether a text has the form of a seal.
func isSeal(text string) bool {
	return len(text) == 8 && !slices.ContainsFunc([]byte(text), func(c byte) bool {
		return !slices.Contains([]byte(sealLetters), c)
	})
}

// SealOf is the seal of an entry: of its steps, conditions with all definitions written out, status, and the facts
// about its steps and their variables.
func (s *Set) SealOf(p *Pair) string {
	p = oriented(s.Program, p)
	text := fmt.Sprintf("%s %s\n%s\n%s\n%s\n", p.A.Name(), p.B.Name(),
		conditionText(p.Commute, p), conditionText(p.Uniform, p), p.Status)
	about := map[*step.Var]bool{}
	for _, x := range append(accesses(p.A), accesses(p.B)...) {
		about[x.v] = true
	}
	for _, f := range s.Assumed {
		used := f.At == p.A || f.At == p.B
		if f.At == nil {
			f.That.EachVar(func(e *step.Expr) { used = used || about[e.Var] })
		}
		if used {
			text += f.String() + "\n"
		}
	}
	return seal(text)
}

// SealAll seals what has been written and proved: all entries but those by hand, and the digest of the program.
func (s *Set) SealAll() {
	s.seal = s.headSeal()
	for _, p := range s.Pairs {
		if p.Seal = ""; p.Status != Manual {
			p.Seal = s.SealOf(p)
		}
	}
}

// headSeal is the seal of what the file says about itself.
func (s *Set) headSeal() string { return seal(s.Digest) }

// Edited lists the entries that are not as they were written: a seal is missing or broken. Entries that nobody has to
// prove are left out: steps without common data, and steps that never meet, which count as dependent. whole says that
// the digest of the program was edited, so that nothing is known of any entry.
func (s *Set) Edited() (list []*Pair, whole bool) {
	if s.File == nil {
		return nil, false
	}
	for _, p := range s.Pairs {
		if p.Status != Ordered && !Independent(p.A, p.B) && p.Seal != s.SealOf(p) {
			list = append(list, p)
		}
	}
	return list, s.seal != s.headSeal()
}

// oriented is a pair with its steps in program order.
func oriented(prog *step.Program, p *Pair) *Pair {
	i, j := slices.Index(prog.Templates, p.A.Template), slices.Index(prog.Templates, p.B.Template)
	if i < j || i == j && p.A.Index <= p.B.Index {
		return p
	}
	return p.exchanged()
}

// exchanged is the entry with its steps the other way round.
func (p *Pair) exchanged() *Pair {
	turned := *p
	turned.A, turned.B, turned.Commute, turned.Uniform = p.B, p.A, Exchanged(p.Commute), Exchanged(p.Uniform)
	return &turned
}

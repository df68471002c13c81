package constraints

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
)

// A seal is a short digest of what was written and proved: who edits an entry breaks it. It finds edits that are to be
// proved first; it is no protection against forgery.

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

// SealOf is the seal of an entry: of its steps, its conditions with all definitions written out, and its status.
func (s *Set) SealOf(p *Pair) string {
	p = oriented(s.Program, p)
	return sealOf(s.NameOf(p.A), s.NameOf(p.B), conditionText(p.Commute, p), conditionText(p.Uniform, p), p.Status)
}

func sealOf(a, b, commute, uniform string, status Status) string {
	return seal(fmt.Sprintf("%s %s\n%s\n%s\n%s\n", a, b, commute, uniform, status))
}

// SealAll seals what has been written and proved: all entries but those by hand, and what is said about the
// program. Facts by hand follow without a seal.
func (s *Set) SealAll(byHand ...*Fact) {
	s.facts = nil
	for _, f := range s.Assumed {
		s.facts = append(s.facts, f.String())
	}
	s.seal = s.headSeal(s.facts)
	for _, p := range s.Pairs {
		if p.Seal = ""; p.Status != Manual {
			p.Seal = s.SealOf(p)
		}
	}
	s.Assumed = append(s.Assumed, byHand...)
	s.statements = s.mentioned()
}

// headSeal is the seal of what a file says about the program: its digest, its invariants, and facts.
func (s *Set) headSeal(facts []string) string {
	return seal(strings.Join(slices.Concat([]string{s.Digest}, s.InvariantsUsed, facts), "\n"))
}

// sealed is the number of facts, from the first on, that the seal of the file is of; -1 if a person has edited what
// it is of.
func (s *Set) sealed() int {
	for k := len(s.facts); k >= 0; k-- {
		if s.seal == s.headSeal(s.facts[:k]) {
			return k
		}
	}
	return -1
}

// Headed reports whether what a file says about the program is as it was written.
func (s *Set) Headed() bool { return s.sealed() == len(s.facts) }

// FactsByHand lists the facts of a file that a person may have written.
func (s *Set) FactsByHand() []*Fact {
	written := s.facts[max(s.sealed(), 0):]
	return slices.DeleteFunc(slices.Clone(s.Assumed), func(f *Fact) bool {
		return !slices.Contains(written, s.textIn(f))
	})
}

// Edited lists the entries that are not as they were written: a seal is missing or broken. Entries that nobody has to
// prove are left out: steps without common data, and steps that never meet, which count as dependent.
func (s *Set) Edited() (list []*Pair) {
	for _, p := range s.Pairs {
		if s.File != nil && p.Status != Ordered && !Independent(p.A, p.B) && p.Seal != s.SealOf(p) {
			list = append(list, p)
		}
	}
	return list
}

// oriented is a pair with its steps in program order.
func oriented(prog *step.Program, p *Pair) *Pair {
	i, j := slices.Index(prog.Templates, p.A.Template), slices.Index(prog.Templates, p.B.Template)
	if i < j || i == j && p.A.Index <= p.B.Index {
		return p
	}
	return p.Exchanged()
}

// exchanged is the entry with its steps the other way round.
func (p *Pair) Exchanged() *Pair {
	turned := *p
	turned.A, turned.B, turned.Commute, turned.Uniform = p.B, p.A, Exchanged(p.Commute), Exchanged(p.Uniform)
	return &turned
}

// Digest identifies a program by its normal form: comments and layout do not count, parameters do.
func Digest(prog *step.Program) string {
	sum := sha256.Sum256(lang.NormalForm(prog))
	return "sha256:" + hex.EncodeToString(sum[:])
}

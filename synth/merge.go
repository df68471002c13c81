package synth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cdpor/constraints"
)

// A Merged says what became of the entries that people have written or edited.
type Merged struct {
	Kept  []*constraints.Pair // proved, and in the new set in the place of what was found
	Facts []*constraints.Fact // proved, for the new set, where they are not yet
	// What is refuted, or not proved, and not in the new set; the findings point into the old file.
	Dropped []*Finding
	// Entries that lost their uniform part, as it is not uniform beside those that are kept.
	Narrowed []*constraints.Pair
	Notes    map[*constraints.Pair][]string // what the file says above entries of the new set
}

// Merge puts what people have written or edited in an older constraint set into a new one of the program, as far as it
// is proved there.
func Merge(ctx context.Context, made, old *constraints.Set, opt Options) (*Merged, error) {
	m := &Merged{Notes: map[*constraints.Pair][]string{}}
	if err := m.facts(ctx, made, old, opt); err != nil {
		return nil, err
	}
	byHand := map[[2]string]*constraints.Pair{}
	for _, p := range old.ByHand() {
		byHand[[2]string{p.A.Name(), p.B.Name()}] = p
	}
	found := map[*constraints.Pair]*constraints.Pair{} // by the entry that takes its place
	for i, p := range made.Pairs {
		hand := byHand[[2]string{p.A.Name(), p.B.Name()}]
		if hand == nil {
			hand = byHand[[2]string{p.B.Name(), p.A.Name()}]
		}
		if hand == nil || hand.Status != constraints.Manual && hand.Same(p) {
			continue
		}
		kept := *hand
		kept.Status, kept.Open = constraints.Manual, false
		made.Pairs[i], found[&kept] = &kept, p
	}
	for len(found) > 0 {
		set := &constraints.Set{Program: made.Program, Pairs: made.Pairs}
		report, err := Check(ctx, made.Program, set, opt)
		if err != nil {
			return nil, err
		}
		if !m.settle(made, found, report.Findings) {
			break
		}
	}
	for _, p := range made.Pairs {
		if found[p] != nil {
			m.Kept = append(m.Kept, p)
		}
	}
	return m, nil
}

// facts looks for facts that somebody has written into an older set, and that are proved.
func (m *Merged) facts(ctx context.Context, made, old *constraints.Set, opt Options) error {
	found := map[string]bool{}
	for _, f := range made.Assumed {
		found[f.String()] = true
	}
	set := &constraints.Set{Program: made.Program}
	for _, f := range old.FactsByHand() {
		if !found[f.String()] {
			set.Assumed = append(set.Assumed, f)
		}
	}
	if len(set.Assumed) == 0 {
		return nil
	}
	report, err := Check(ctx, made.Program, set, opt)
	if err != nil {
		return err
	}
	for _, f := range set.Assumed {
		k := slices.IndexFunc(report.Findings, func(g *Finding) bool { return g.Fact == f })
		if k < 0 {
			m.Facts = append(m.Facts, f)
			continue
		}
		m.Dropped = append(m.Dropped, report.Findings[k])
	}
	return nil
}

// settle takes out of a set what is not proved, and reports whether there is something. What is found gives way to what
// people have written, but only to what is proved itself: so first that.
func (m *Merged) settle(made *constraints.Set, found map[*constraints.Pair]*constraints.Pair, list []*Finding) bool {
	var beside []*constraints.Pair
	dropped := false
	for _, f := range list {
		p := found[f.Pair]
		switch {
		case f.Pair == nil || slices.Contains(beside, f.Pair) || !slices.Contains(made.Pairs, f.Pair):
			continue // it is no entry, or has been seen to
		case p == nil:
			beside = append(beside, f.Pair)
			continue
		}
		dropped = true
		delete(found, f.Pair)
		made.Pairs[slices.Index(made.Pairs, f.Pair)] = p
		m.Dropped = append(m.Dropped, f)
		word := "not proved"
		if f.Wrong() {
			word = "refuted"
		}
		m.Notes[p] = append(m.Notes[p], fmt.Sprintf("%s by cdpor synth, was commute: %s, uniform: %s (%s)", word,
			f.Pair.Text(f.Pair.Commute), f.Pair.Text(f.Pair.Uniform), strings.TrimSpace(f.Text()[0])))
	}
	if dropped {
		return true
	}
	for _, p := range beside {
		p.Uniform = constraints.Truth(false)
	}
	m.Narrowed = append(m.Narrowed, beside...)
	return len(beside) > 0
}

package term

import (
	"math"
	"slices"
)

type Relation uint8

const (
	EqRel Relation = iota // direction == k
	LeRel                 // direction <= k
)

// A Literal is an atom or its negation.
type Literal struct {
	Dir int
	Rel Relation
	Neg bool
	K   int64
}

func (l Literal) Not() Literal { l.Neg = !l.Neg; return l }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// An Interval is what is known about the value of a direction: bounds, and single values it does not have.
type Interval struct {
	Lo, Hi int64
	Holes  []int64
}

// Add narrows the interval by a literal.
func (v *Interval) Add(l Literal) {
	switch {
	case l.Rel == LeRel && !l.Neg:
		v.Hi = min(v.Hi, l.K)
	case l.Rel == LeRel:
		v.Lo = max(v.Lo, l.K+1)
	case !l.Neg:
		v.Lo, v.Hi = max(v.Lo, l.K), min(v.Hi, l.K)
	default:
		v.Holes = append(v.Holes[:len(v.Holes):len(v.Holes)], l.K)
	}
	for moved := true; moved; {
		moved = false
		for _, h := range v.Holes {
			if h == v.Lo && v.Lo <= v.Hi {
				v.Lo++
				moved = true
			}
			if h == v.Hi && v.Lo <= v.Hi {
				v.Hi--
				moved = true
			}
		}
	}
}

// Decides tells the truth of a literal if the interval determines it.
func (v *Interval) Decides(l Literal) (truth, known bool) {
	if l.Rel == LeRel {
		switch {
		case v.Hi <= l.K:
			return !l.Neg, true
		case v.Lo > l.K:
			return l.Neg, true
		}
		return false, false
	}
	switch {
	case l.K < v.Lo || l.K > v.Hi || slices.Contains(v.Holes, l.K):
		return l.Neg, true
	case v.Lo == v.Hi:
		return !l.Neg, true
	}
	return false, false
}

// Contradict reports whether two literals of one direction exclude each other.
func Contradict(l, m Literal) bool {
	v := Interval{Lo: math.MinInt64, Hi: math.MaxInt64}
	v.Add(l)
	truth, known := v.Decides(m)
	return known && !truth
}

// Clashes reports whether two cubes contradict each other in one literal.
func Clashes(a, b []Literal) bool {
	for _, l := range a {
		for _, m := range b {
			if l == m.Not() {
				return true
			}
		}
	}
	return false
}

func Subset(a, b []Literal) bool {
	for _, l := range a {
		found := false
		for _, m := range b {
			found = found || l == m
		}
		if !found {
			return false
		}
	}
	return true
}

// A NormalForm is a disjunction of conjunctions, or with clauses a conjunction of disjunctions.
type NormalForm struct {
	Clauses bool
	Terms   [][]Literal
}

package types

import (
	"testing"

	"cdpor/lang/step"
)

var (
	small = &step.Type{Kind: step.Range, Lo: 0, Hi: 3}
	wide  = &step.Type{Kind: step.Range, Lo: -1, Hi: 9}
)

func list(n int, elem *step.Type) *step.Type { return &step.Type{Kind: step.List, Len: n, Elem: elem} }

// TestRelations: which values are comparable, assignable, and assignable without a check at run time.
func TestRelations(t *testing.T) {
	for _, c := range []struct {
		name                       string
		dst, src                   *step.Type
		comparable, fits, contains bool
	}{
		{"int of a range", step.IntType, small, true, true, true},
		{"a range of int", small, step.IntType, true, true, false},
		{"a range of a wider one", small, wide, true, true, false},
		{"a range of a smaller one", wide, small, true, true, true},
		{"int of bool", step.IntType, step.BoolType, false, false, false},
		{"a list of wider elements", list(2, small), list(2, wide), true, false, false},
		{"a list of smaller elements", list(2, wide), list(2, small), true, true, true},
		{"a list of another capacity", list(3, small), list(2, small), false, false, false},
		{"a reference of one of its classes",
			&step.Type{Kind: step.Enum, Ref: "A|B"}, &step.Type{Kind: step.Enum, Ref: "A"},
			true, true, true},
		{"a reference of a class that it has not", &step.Type{Kind: step.Enum, Ref: "A"},
			&step.Type{Kind: step.Enum, Ref: "A|B"}, true, false, false},
	} {
		if got := Comparable(c.dst, c.src); got != c.comparable {
			t.Errorf("%s: comparable %v", c.name, got)
		}
		if got := Fits(c.dst, c.src); got != c.fits {
			t.Errorf("%s: fits %v", c.name, got)
		}
		if got := Contains(c.dst, c.src); got != c.contains {
			t.Errorf("%s: contains %v", c.name, got)
		}
	}
}

// TestCheckWords: a value outside of a range is found in each kind of composite, and what a list does not have is not
// looked at.
func TestCheckWords(t *testing.T) {
	record := &step.Type{Kind: step.Record,
		Fields: []step.Field{{Name: "a", Type: small}, {Name: "b", Type: list(2, small)}}}
	array := &step.Type{Kind: step.Array, Len: 2, Elem: small}
	for _, c := range []struct {
		t     *step.Type
		words []int64
		wrong string
	}{
		{small, []int64{3}, ""},
		{small, []int64{4}, "4 is outside of 0..3"},
		{array, []int64{0, -1}, "-1 is outside of 0..3"},
		{list(2, small), []int64{1, 2, 7}, ""},
		{list(2, small), []int64{2, 2, 7}, "7 is outside of 0..3"},
		{record, []int64{1, 1, 9, 0}, "9 is outside of 0..3"},
		{&step.Type{Kind: step.Option, Elem: small}, []int64{0, 8}, ""},
		{&step.Type{Kind: step.Option, Elem: small}, []int64{1, 8}, "8 is outside of 0..3"},
	} {
		got := ""
		if err := CheckWords(c.t, c.words); err != nil {
			got = err.Error()
		}
		if got != c.wrong {
			t.Errorf("%s %v: %q, not %q", String(c.t), c.words, got, c.wrong)
		}
	}
}

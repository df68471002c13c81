package types

import (
	"strings"

	"cdpor/lang/step"
)

// IsWaitable reports whether values of the type stand for something that comes to an end.
func IsWaitable(t *step.Type) bool {
	return t != nil && (t.Ref == "tid" || strings.HasPrefix(t.Ref, "fut["))
}

// IsActor reports whether values of the type are references to actors.
func IsActor(t *step.Type) bool { return t != nil && t.Ref != "" && !IsWaitable(t) }

// ReferenceIn is the part of a type that is a certain reference, nil if there is none.
func ReferenceIn(t *step.Type, ref string) *step.Type {
	switch {
	case t == nil || t.Ref != "" && t.Ref != ref:
		return nil
	case t.Ref == ref:
		return t
	}
	for _, f := range t.Fields {
		if r := ReferenceIn(f.Type, ref); r != nil {
			return r
		}
	}
	return ReferenceIn(t.Elem, ref)
}

// refFits reports whether every reference of one type is one of another.
func refFits(dst, src string) bool {
	for _, c := range strings.Split(src, "|") {
		if !refMeets(dst, c) {
			return false
		}
	}
	return true
}

// refMeets reports whether some reference may be of both types.
func refMeets(a, b string) bool {
	for _, c := range strings.Split(a, "|") {
		for _, d := range strings.Split(b, "|") {
			if c == d {
				return true
			}
		}
	}
	return false
}

package replay

import (
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
)

// A Value is one named part of a valuation.
type Value struct {
	Name string `json:"name"`
	Text string `json:"value"`
}

// String is x=1, or for what somebody holds, m held by a.
func (v Value) String() string {
	if strings.HasPrefix(v.Text, "held by ") {
		return v.Name + " " + v.Text
	}
	return v.Name + "=" + v.Text
}

// Observed splits the words of an outcome into the values of the observed expressions.
func Observed(prog *step.Program, words []int64) []Value {
	var list []Value
	for _, o := range prog.Observe {
		n := o.Expr.Type.Words()
		list = append(list, Value{o.Name, lang.FormatValue(prog, o.Expr.Type, words[:n])})
		words = words[n:]
	}
	return list
}

// Shared are the values of the shared variables of the program text in a state.
func Shared(prog *step.Program, s []int64) []Value {
	var list []Value
	for _, v := range prog.Shared {
		if v.Temp || v.Life || isTally(prog, v) {
			continue
		}
		list = append(list, Value{v.Name, lang.FormatValue(prog, v.Type, s[v.Offset:v.Offset+v.Type.Words()])})
	}
	return list
}

// Join writes values one behind the other, with blanks between them.
func Join(values []Value) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.String()
	}
	return strings.Join(texts, " ")
}

// isTally reports whether a shared variable only counts operations.
func isTally(prog *step.Program, v *step.Var) bool {
	return slices.ContainsFunc(prog.Recorders, func(r *step.Recorder) bool { return r.Ended == v })
}

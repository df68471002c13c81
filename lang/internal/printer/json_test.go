package printer

import (
	"math"
	"testing"

	"cdpor/lang/step"
)

// TestAppendJSON: values have the types of JSON that they have in the language; package lang has TestFormatValue.
func TestAppendJSON(t *testing.T) {
	pair := &step.Type{Kind: step.Record, Fields: []step.Field{{Name: "a", Type: &step.Type{Kind: step.Int}},
		{Name: "b", Type: &step.Type{Kind: step.Bool}}}}
	for _, test := range []struct {
		t     *step.Type
		words []int64
		want  string
	}{
		{&step.Type{Kind: step.Sized, Unsigned: true}, []int64{math.MinInt64}, `9223372036854775808`},
		{&step.Type{Kind: step.Enum, Names: []string{"idle", "true"}}, []int64{1}, `"true"`},
		{&step.Type{Kind: step.List, Len: 3, Elem: pair}, []int64{1, 4, 1, 0, 0, 0, 0}, `[{"a":4,"b":true}]`},
		{&step.Type{Kind: step.Map, Len: 2, Elem: pair}, []int64{1, 4, 1, 0, 0}, `{"4":true}`},
		{pair, nil, `"?"`},
	} {
		if got := string(AppendJSON(nil, nil, test.t, test.words)); got != test.want {
			t.Errorf("%v as %v: %s, want %s", test.words, test.t.Kind, got, test.want)
		}
	}
	for text, want := range map[string]string{"12": "12", "nil": "null", `"a\n"`: `"a\n"`, "held by x": `"held by x"`,
		"false": "false", "0x1": `"0x1"`, "NaN": `"NaN"`, "007": `7`} {
		if got := string(appendGo(nil, text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

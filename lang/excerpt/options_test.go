package excerpt_test

import (
	"strings"
	"testing"

	"cdpor/lang"
	"cdpor/lang/excerpt"
	"cdpor/lang/step"
)

type everything struct{}

func (everything) Keeps(*step.Node) bool              { return true }
func (everything) Pauses(func(left, next *step.Node)) {}

// TestOptions writes what the user has changed into the text, in each way that a parameter can be written; comments
// stay.
func TestOptions(t *testing.T) {
	const text = `cdpor: 1
atomicity: access # of all
params:
  A: 1 # one
  B: "2" # two
  C: [1, 2] # three
  D: '4 // four' # of them
  E: 5 // five
  F:
    - 1
    - 2
shared: {x: int}
threads:
  t: x = A + B + C[0] + D + E + F[0]
`
	options := lang.Options{Atomicity: "statement",
		Params: map[string]string{"A": "10", "B": "20", "C": "[7, 8, 9]", "D": "40",
			"E": "50", "F": "[6]"}}
	src, err := lang.Load("test.yaml", []byte(text), options)
	if err != nil {
		t.Fatal(err)
	}
	e, err := excerpt.NewOutline(src).Cut(everything{}, excerpt.Question{Options: options, Observe: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{e.Text, e.InFile} {
		again, err := lang.Load("test.yaml", text, lang.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for i, p := range src.Program.Params {
			got := lang.FormatValue(again.Program, again.Program.Params[i].Type, again.Program.Params[i].Words)
			if want := lang.FormatValue(src.Program, p.Type, p.Words); got != want {
				t.Errorf("%s is %s, not %s\n%s", p.Name, got, want, text)
			}
		}
		for _, comment := range []string{"# of all", "# one", "# two", "# three", "# of them", "// five"} {
			if !strings.Contains(string(text), comment) {
				t.Errorf("the comment %s is gone\n%s", comment, text)
			}
		}
	}
}

package steps

import (
	"testing"

	"cdpor/lang"
)

// TestFindPair finds two steps by name, whichever comes first.
func TestFindPair(t *testing.T) {
	src, err := lang.Load("p.yaml", []byte("cdpor: 1\nshared: {x: int, y: int}\nthreads:\n"+
		"  one: \"put: x = 1; y = 1\"\n  two: {count: 2, run: \"take: x = 2\"}\n"), lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ pair, want string }{
		{"one.put,two.take", "one.put two.take"},
		{"two.take, one.put", "one.put two.take"},
		{"two.take,two.take", "two.take two.take"},
		{"one.put", `"one.put" is one step, and a pair is two, with a comma, such as one.put,two.take`},
		{"one.put,one.2", "no two processes can stand at one.put and one.2: there is only one one"},
		{"one.pit,two.take", `unknown step "one.pit"; did you mean one.put? There are one.put, one.2, two.take`},
		{"take,one.put", `unknown step "take"; did you mean two.take? There are two.take, one.put, one.2`},
		{"nothing.like.it,one.put", `unknown step "nothing.like.it"; there are one.put, one.2, two.take`},
	} {
		a, b, err := FindPair(src.Program, test.pair)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = a.Name() + " " + b.Name()
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.pair, got, test.want)
		}
	}
}

package constraints

import (
	"strings"
	"testing"

	"cdpor/lang"
)

// TestDefinitions: names stand for conditions, with the processes as they are or exchanged, inside of each other and as
// parts of chains; written again the file is the same, and without them it means the same.
func TestDefinitions(t *testing.T) {
	prog := program(t)
	const text = `cdpor-constraints: 1
define: # what the names in the conditions below stand for
  five: x == 5
  low(p): p.self < 1 || five
  order(p, q): p.self < q.self && y == 3
pairs:
  - blocks: [writer.put, reader.get]
    commute: x > 3 || low(q) || y == 2
    uniform: five && order(q, p)
    status: manual
  - blocks: [reader.get, reader.get]
    commute: (low(p) || low(q)) && order(p, q)
    uniform: order(q, p) && low(p)
    status: manual
`
	set, err := Load(prog, "c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(set.Format()); got != text {
		t.Errorf("written again:\n%s", got)
	}
	want := []string{"x > 3 || q.self < 1 || x == 5 || y == 2", "x == 5 && q.self < p.self && y == 3",
		"(p.self < 1 || x == 5 || q.self < 1 || x == 5) && p.self < q.self && y == 3",
		"q.self < p.self && y == 3 && (p.self < 1 || x == 5)"}
	for i, p := range set.Pairs {
		for j, e := range []string{lang.FormatExpr(p.Commute, p.A.Template, p.B.Template),
			lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template)} {
			if e != want[2*i+j] {
				t.Errorf("got %s, want %s", e, want[2*i+j])
			}
		}
	}
}

// TestDefine: a condition that is too long is written with definitions, which are read again as what they stand for,
// and a short one is left alone.
func TestDefine(t *testing.T) {
	prog := program(t)
	var cases []string
	for _, k := range []string{"0", "1", "2"} {
		cases = append(cases, "p.self == "+k+" && (a["+k+"] == x || a["+k+"] == y + 1 || a["+k+"] + q.self < 7)")
	}
	long := strings.Join(cases, " || ")
	text := "cdpor-constraints: 1\n" + defining("define: {}", long) + "    uniform: x == 5 && y == 3\n"
	set, err := Load(prog, "c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set.Define()
	p := set.Pairs[0]
	if got := set.Text(p, p.Commute); len(got) > MaxCondition || len(set.Definitions) == 0 {
		t.Errorf("%d definitions for %s", len(set.Definitions), got)
	}
	if got := set.Text(p, p.Uniform); got != "x == 5 && y == 3" {
		t.Errorf("a short condition is written %s", got)
	}
	file := set.Format()
	again, err := Load(prog, "c.yaml", file)
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	if got := string(again.Format()); got != string(file) {
		t.Errorf("read and written again:\n%s\ninstead of\n%s", got, file)
	}
	p = again.Pairs[0]
	if got := lang.FormatExpr(p.Commute, p.A.Template, p.B.Template); got != long {
		t.Errorf("got %s, want %s", got, long)
	}
	before := string(file)
	if set.Define(); string(set.Format()) != before {
		t.Error("the same set gets other definitions")
	}
}

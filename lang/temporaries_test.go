package lang_test

import (
	"regexp"
	"strings"
	"testing"

	"cdpor/lang"
	"cdpor/lang/step"
)

// TestTemporaries: conditions call a local that has no name in the source after what it holds, each by another name.
func TestTemporaries(t *testing.T) {
	const text = `cdpor: 1
shared: {x: int, y: int = 1, ok: bool, total: int, gate: mutex}
bounds: {Box: 1, Box.put: 2, w: 1}
actors:
  Box:
    fields: {n: int}
    methods:
      put(k int) int: |
        n = k
        return n
procedures:
  twice(k int) int: |
    if k > 3 { return k + k }
    return y
threads:
  main: |
    let b = new Box()
    await b!put(1)
    total = await b!put(2)
    total = twice(total)
    let h = spawn w(1)
    if cas(x, 0, 1) { total = 1 }
    total = any(0..2)
    for i in 0..y { total += i }
    var list list[int, 4]
    list.append(x)
    for e in list { total += e }
    for z in list { total += z }
  w:
    params: [k int]
    run: |
      if trylock gate { unlock gate }
`
	src, err := lang.Load("t.yaml", []byte(text), lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tmpl := range src.Program.Templates {
		if tmpl.Name != "main" && tmpl.Name != "w" {
			continue
		}
		for _, v := range tmpl.Locals {
			if v.Temp {
				e := &step.Expr{Op: step.VarRef, Type: v.Type, Var: v, Of: step.P}
				names = append(names, lang.FormatExpr(e, tmpl, nil))
			}
		}
	}
	got := " " + strings.Join(names, " ") + " "
	t.Log(got)
	for _, want := range []string{"task_put", "task_put2", "new_Box", "new_w", "test_x", "returned", "chosen", "last_i",
		"for_e", "for_z", "test_gate"} {
		if strings.Count(got, " "+want+" ") == 0 {
			t.Errorf("nothing is called %s in%s", want, got)
		}
	}
	if m := regexp.MustCompile(`temp\d*|\$`).FindString(got); m != "" {
		t.Errorf("something is called %s in%s", m, got)
	}
}

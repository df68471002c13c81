package lang

import (
	"fmt"
	"strings"
	"testing"

	"cdpor/lang/step"
)

// TestFaults runs one thread until it fails, and compares with what it must fail of, and where.
func TestFaults(t *testing.T) {
	tests := []struct{ body, fault string }{
		{"c.close(); send c, 1", "synchronisation misused: send on a closed channel"},
		{"send c, 1; c.close(); recv c; x = recv c", "synchronisation misused: receive from a closed channel"},
		{"c.close(); c.close()", "synchronisation misused: the channel is already closed"},
		{"lock m; unlock m; unlock m", "mutex not held"},
		{"with lock m { x = 1 }; cv.wait(m)", "mutex not held"},
		{"rw.rlock(); rw.rlock()", "synchronisation misused: this thread already holds the lock for reading"},
		{"rw.rlock(); rw.runlock(); rw.runlock()", "mutex not held"},
		{"rw.wunlock()", "mutex not held"},
		{"wg.done()", "synchronisation misused: negative count of a waitgroup"},
		{"wg.add(1); wg.add(-2)", "synchronisation misused: negative count of a waitgroup"},
		{"x = deep(64)", "recursion too deep"},
		{"x = deep(63); x = 1 / (x - 63)", "division by zero"},
		{"call(4)", "recursion too deep: procedure call calls itself too often"},
		{"x = h[3]", "no such key"},
		{"h[3] += 1", "no such key"},
		{"h[1] = 1; h[2] = 1; h[1] = 2; h[3] = 1", "capacity exceeded"},
		{"e.add(1); e.add(1); e.add(2); e.add(3)", "capacity exceeded"},
		{"x = e.min()", "index out of range"},
		{"l = [1, 2]; l += [3, 4]", "capacity exceeded"},
		{"l = [1, 2]; l.insert(3, 1)", "index out of range"},
		{"l = [1, 2]; l.remove(2)", "index out of range"},
		{"l = l[0:1]", "index out of range"},
		{"l = [1]; l = l[1:0]", "index out of range"},
		{"p.y = x; p.y -= 1", "value out of range"},
		{"let k = 12; p = {x: 1, y: k}", "value out of range"},
		{"x = int(u64)", "integer overflow"},
		{"x = endless(1)", "endless loop"},
		{"x = o!.x", "null value"},
		{"x = any(x..3)", ""},
	}
	for _, test := range tests {
		text := fmt.Sprintf(`cdpor: 1
bounds: {procedures: 3}
functions:
  deep(n int) int: |
    if n == 0 { return 0 }
    return 1 + deep(n - 1)
  endless(n int) int: |
    var i int = n
    while i > 0 { i = 3 - i }
    return i
procedures:
  call(n int): |
    x += 1
    if n > 0 { call(n - 1) }
shared:
  x: int
  p: record {x int, y 0..9}
  o: (record {x int})?
  c: chan[int, 2]
  m: mutex
  cv: cond
  rw: rwlock
  wg: waitgroup
  h: map[int, int, 2]
  e: set[int, 2]
  l: list[int, 3]
  u64: uint64 = 18446744073709551615
threads:
  t: |
    %s
`, strings.ReplaceAll(test.body, "; ", "\n    "))
		s, err := Load("f.yaml", []byte(text), Options{})
		if test.fault == "" {
			if err == nil {
				t.Errorf("%s: no error", test.body)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %s", test.body, snippets(err))
			continue
		}
		m, err := step.NewMachine(s.Program)
		if err != nil {
			t.Fatal(err)
		}
		r, state := m.NewRunner(), m.Initial()
		for m.StepOf(state, 0) != nil && r.Enabled(state, 0) {
			r.Run(state, 0)
		}
		fault, node, failed := m.Failure(state, 0)
		got := fault.String()
		if failed && node.Msg != "" && node.Fault == fault {
			got += ": " + node.Msg
		}
		if got != test.fault {
			t.Errorf("%s: %q, want %q", test.body, got, test.fault)
		}
	}
}

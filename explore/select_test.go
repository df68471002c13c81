package explore

import (
	"context"
	"testing"

	"cdpor/explore/dpor"
)

// TestSelects: which case a select takes is no step of its own, so cases that are never ready cost nothing, and an
// order is tried for every case that is possible behind it.
func TestSelects(t *testing.T) {
	const six = `cdpor: 1
shared: {data: "chan[int, 6]", done: "chan[int, 1]", stop: "chan[int, 1]", sum: int, begun: bool}
threads:
  consumer: |
    for k in 0..5 { send data, 1 }
    begun = true
    for k in 0..5 {
      select {
        case let v = recv data { sum += v }
        case recv done { sum = -1 }
        case recv stop { sum = -2 }
      }
    }
  other: await begun
observe: [sum]
`
	for _, test := range []struct {
		what, text       string
		traces, outcomes int
	}{
		{"only one case is ever ready", six, 1, 1},
		{"both cases are ready", `cdpor: 1
shared: {a: "chan[int, 1]", b: "chan[int, 1]", x: int}
threads:
  t: |
    send a, 1
    send b, 2
    select { case let v = recv a { x = v } case let w = recv b { x = w } }
`, 2, 2},
		{"a case becomes possible, and default is not any more", `cdpor: 1
shared: {a: "chan[int, 1]", b: "chan[int, 1]", x: int}
threads:
  t: "select { case recv a { x = 1 } case recv b { x = 2 } default { x = 3 } }"
  u: send b, 0
observe: [x]
`, 2, 2},
		{"the alternative of the reversed order is another one, and with x == 1 there is a deadlock", `cdpor: 1
shared: {a: "chan[int, 1]", b: "chan[int, 1]", x: int}
threads:
  t: |
    send a, 0
    select { case recv a { x = 1 } case send b, 1 { x = 2 } }
  u: |
    let v = recv a
observe: [x]
`, 3, 1},
	} {
		m := loadText(t, test.text)
		for _, a := range []*Algorithm{dpor.SleepAlgorithm, dpor.SourceAlgorithm, dpor.OptimalAlgorithm} {
			res, err := Run(context.Background(), m, a, Options{Validate: true})
			if err != nil {
				t.Fatal(err)
			}
			if int(res.Executions) != test.traces || res.Outcomes.Len() != test.outcomes {
				t.Errorf("%s, %s: %d executions and %d outcomes, want %d and %d", test.what, a.Name,
					res.Executions, res.Outcomes.Len(), test.traces, test.outcomes)
			}
			if res.Unplanned != 0 { // a reversed race whose select takes another case must be planned with that
				t.Errorf("%s, %s: %d reversals could not be planned", test.what, a.Name, res.Unplanned)
			}
		}
	}
}

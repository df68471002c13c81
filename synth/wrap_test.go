//go:build cgo && !noz3

package synth

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

// TestWrapsAgainstInterpreter compares constraints of programs about integers that wrap around with the machine, in
// states with values at the ends of the types above all; the constraints are written and read again before.
func TestWrapsAgainstInterpreter(t *testing.T) {
	session, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := tally{}
	seeds := []int64{533, 91186} // one end of a range that the language cannot say; the greatest int64, of a uint64
	for i := range max(*flagN/6, 1) {
		seeds = append(seeds, *flagSeed+int64(i))
	}
	for _, seed := range seeds {
		r := rand.New(rand.NewSource(seed))
		text := aboutWraps(r)
		src, err := lang.Load("random.yaml", []byte(text), lang.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		set, report, err := session.Synthesize(context.Background(), src.Program)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, err := constraints.Load(src.Program, "random", set.Format())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, set.Format())
		}
		count.programs++
		count.pairs += report.Pairs
		count.exact += report.Exact
		count.unknown += report.Unknown
		if msg := newComparison(t, again, r, seed).run(&count); msg != "" {
			t.Fatalf("seed %d: %s\n%s\n%s", seed, msg, text, set.Format())
		}
	}
	t.Logf("%+v", count)
	if count.exact*10 < count.pairs*8 {
		t.Errorf("%d of %d pairs are exact", count.exact, count.pairs)
	}
}

// aboutWraps draws a program of three threads about variables of one or two Sized types.
func aboutWraps(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	sort := pick("int8", "uint8", "int64", "uint64", "int32")
	other := pick("int8", "uint8", "int64", sort)
	large := map[string]string{"int8": "127", "uint8": "255", "int64": "9223372036854775807",
		"uint64": "9223372036854775807", "int32": "2147483647"}[sort]
	place := func() string {
		return pick("x", "y", "z", "xs[k]", "x", "y", fmt.Sprintf("%s(v)", sort), fmt.Sprintf("%s(n)", sort))
	}
	value := func() string { return pick(place(), place(), "0", "1", "2", large) }
	sum := func() string {
		switch r.Intn(6) {
		case 0:
			return place() + " + " + value()
		case 1:
			return place() + " - " + value()
		case 2:
			return pick("2", "3") + " * " + place() + " + " + value()
		case 3:
			if r.Intn(3) == 0 {
				return place() + pick(" / ", " % ") + pick("2", "3")
			}
		}
		return place()
	}
	target := func() string { return pick("x", "y", "z", "xs[k]", "xs[0]") }
	statement := func() string {
		switch r.Intn(8) {
		case 0, 1:
			return target() + pick(" += 1", " -= 1", " *= 2", " += 3", " += x", " -= xs[1]")
		case 2:
			return target() + " = " + sum()
		case 3:
			return "if " + sum() + pick(" == ", " != ", " == ", " < ", " <= ") + value() + " { " +
				pick("b = true", "x += 1", "n = 1") + " }"
		case 4:
			return "v = " + other + "(" + sum() + ")"
		case 5:
			return "b = " + sum() + " == " + sum()
		case 6:
			return pick("k = 1 - k", "x = -x", "b = !b", "v += 1", "n = 1 - n")
		}
		return target() + " = " + sort + "(" + pick("v", "n", "v + 1") + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cdpor: 1\nname: random\nshared:\n  x: %s\n  y: %s = %s\n  z: %s = 1\n  xs: \"array[2] %s\"\n",
		sort, sort, large, sort, sort)
	fmt.Fprintf(&b, "  v: %s\n  k: 0..1\n  n: int\n  b: bool\nthreads:\n", other)
	for t := range 3 {
		fmt.Fprintf(&b, "  t%d: |\n", t)
		for range 1 + r.Intn(2) {
			fmt.Fprintf(&b, "    atomic {\n      %s\n      %s\n    }\n", statement(), statement())
		}
	}
	return b.String()
}

// TestWholeAgainstInterpreter: what goes whole because a triple cannot be explored goes in each attempt to repair.
func TestWholeAgainstInterpreter(t *testing.T) {
	againstInterpreter(t, 1, func(*rand.Rand) string {
		return `cdpor: 1
name: random
shared:
  x: int32
  y: int32 = 2147483647
  xs: "array[2] int32"
  v: int8
  b: bool
threads:
  t0: |
    atomic {
      v = int8(2 * x + 2147483647)
      xs[0] += x
    }
  t1: |
    atomic {
      b = y + xs[0] == x - 2
      xs[0] = int32(v + 1)
    }
    atomic {
      xs[0] = y
      x -= 1
    }
  t2: |
    atomic {
      xs[0] = x
      xs[0] = x / 2
    }
`
	})
}

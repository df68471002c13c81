package explore

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/states"
	"cdpor/explore/oracle"
)

var perProgram = flag.Int("orders", 10, "in how many orders TestOrders explores a program")

// TestOrders explores programs by the algorithms with sleep sequences in many random orders: which sequences are found,
// and what is compensated for, depends on the order. Regressions are explored in more orders, random programs in some.
func TestOrders(t *testing.T) {
	files, err := filepath.Glob("testdata/regressions/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no regressions", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := compareOrders(string(text), 0, 10*int64(*perProgram)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	drawn := *programs
	if testing.Short() {
		drawn = 100
	}
	for i := range int64(drawn) {
		text := drawProgram(rand.New(rand.NewSource(*seed + i)))
		if err := compareOrders(text, 0, int64(*perProgram)); err != nil {
			t.Errorf("seed %d: %v\n%s", *seed+i, err, text)
		}
	}
}

// compareOrders explores a program in some orders by context, every third time by constrained, every eighth stopping at
// visited states, and every eighth by several workers.
func compareOrders(text string, from, to int64) error {
	m, err := load(text)
	if err != nil || m.NumActions() > MaxActions {
		return err
	}
	g, err := oracle.Search(m, maxStates)
	if errors.Is(err, oracle.ErrLimit) || err == nil && g.Cyclic {
		return nil
	} else if err != nil {
		return err
	}
	for o := from; o < to; o++ {
		v := variant{algorithm: dpor.ContextAlgorithm, tuning: &tuning{few: happens.Few, crowd: states.Crowd},
			opt: Options{Seed: o, NoGuide: o%2 == 1, MaxExecutions: maxExecutions}}
		if o%3 == 2 {
			v.algorithm = dpor.ConstrainedAlgorithm
			v.opt.Conditions = &lazyTable{m: m, rng: rand.New(rand.NewSource(o))}
		}
		switch o % 8 {
		case 3:
			v.opt.Visited = true
		case 7:
			v.opt.Workers = 2 + int(o/8)%7
		}
		if err := compareVariant(m, g, v); err != nil && !errors.Is(err, oracle.ErrLimit) {
			return err
		}
	}
	return nil
}

// A smallFamily is all programs of some statements that are distributed to threads.
type smallFamily struct {
	head       string
	statements []string
}

var smallFamilies = []smallFamily{
	{"cdpor: 1\nshared: {a: int, b: int = 1}\ncheck: {deadlock: allowed}\nthreads:\n",
		[]string{"a = 0", "a = 1", "b = a", "a += 1", "b = 1 - a", "await a == b", "assert a == 0"}},
	{"cdpor: 1\nshared: {a: int, b: int = 1}\ncheck: {deadlock: allowed}\nthreads:\n  p0:\n" +
		"    mailbox: {of: int, capacity: 4}\n    run: |\n      receive { case got { b = got } after any { a = 2 } }\n",
		[]string{"b = 0", "p0!1", "p0!b", "a = b", "b += 1", "assert b > 5"}},
}

// smallSizes are how many statements the threads have, in descending order: all ways to distribute two to seven.
var smallSizes = func() (all [][]int) {
	var add func(sizes []int, left int)
	add = func(sizes []int, left int) {
		if left == 0 {
			all = append(all, slices.Clone(sizes))
			return
		}
		for k := min(left, append([]int{left}, sizes...)[len(sizes)]); k > 0; k-- {
			add(append(sizes, k), left-k)
		}
	}
	for n := 2; n <= 7; n++ {
		add(nil, n)
	}
	return all
}()

// smallProgram is program number k of all, or "" where threads that could be exchanged are not in order.
func smallProgram(k int64) (text string, rest int64) {
	for _, f := range smallFamilies {
		for _, sizes := range smallSizes {
			count, total := int64(1), 0
			for _, n := range sizes {
				total += n
			}
			for range total {
				count *= int64(len(f.statements))
			}
			if k >= count {
				k -= count
				continue
			}
			text, before := f.head, ""
			for i, n := range sizes {
				body := ""
				for range n {
					body += f.statements[k%int64(len(f.statements))] + "; "
					k /= int64(len(f.statements))
				}
				if i > 0 && n == sizes[i-1] && body < before {
					return "", 0
				}
				text, before = text+fmt.Sprintf("  t%d: %s\n", i, strings.TrimSuffix(body, "; ")), body
			}
			return text, 0
		}
	}
	return "", k
}

// TestSmall explores small programs, of all that there are some evenly chosen ones: go test ./explore -run Small -args
// -n=2000000.
func TestSmall(t *testing.T) {
	_, rest := smallProgram(math.MaxInt64)
	all, taken := math.MaxInt64-rest, 0
	for i := *seed; taken < *programs; i++ {
		const stride = 1_000_000_007 // a prime: all numbers get their turn
		text, _ := smallProgram(i % all * stride % all)
		if text == "" {
			continue
		}
		taken++
		if err := compareOrders(text, i, i+1); err != nil {
			t.Errorf("number %d: %v\n%s", i, err, text)
		}
	}
	t.Logf("%d of %d programs", taken, all)
}

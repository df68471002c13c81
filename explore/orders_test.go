package explore

import (
	"errors"
	"flag"
	"math/rand"
	"os"
	"path/filepath"
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
		if err := compareOrders(string(text), 10**perProgram); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	drawn := *programs
	if testing.Short() {
		drawn = 100
	}
	for i := range int64(drawn) {
		text := drawProgram(rand.New(rand.NewSource(*seed + i)))
		if err := compareOrders(text, *perProgram); err != nil {
			t.Errorf("seed %d: %v\n%s", *seed+i, err, text)
		}
	}
}

// compareOrders explores a program by context, and every third time by constrained.
func compareOrders(text string, orders int) error {
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
	for o := range int64(orders) {
		v := variant{algorithm: dpor.ContextAlgorithm, tuning: &tuning{few: happens.Few, crowd: states.Crowd},
			opt: Options{Seed: o, NoGuide: o%2 == 1, MaxExecutions: maxExecutions}}
		if o%3 == 2 {
			v.algorithm = dpor.ConstrainedAlgorithm
			v.opt.Conditions = &lazyTable{m: m, rng: rand.New(rand.NewSource(o))}
		}
		if err := compareVariant(m, g, v); err != nil && !errors.Is(err, oracle.ErrLimit) {
			return err
		}
	}
	return nil
}

package random_test

import (
	"math/rand"
	"strings"
	"testing"

	"cdpor/lang"
	"cdpor/lang/random"
)

// TestPrograms loads many random programs: the generator must only write what the language has.
func TestPrograms(t *testing.T) {
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		text := random.Program(r, random.DrawCyclic(r))
		if _, err := lang.Load("random.yaml", []byte(text), lang.Options{}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
}

// TestShrink shrinks programs that contain a certain statement: little else may be left.
func TestShrink(t *testing.T) {
	shrunk := 0
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		c := random.Wide()
		c.Spawns, c.Actors = false, false
		text := random.Program(r, c)
		failing := func(text string) bool {
			_, err := lang.Load("random.yaml", []byte(text), lang.Options{})
			return err == nil && strings.Contains(text, "fetch_add(a, 1)")
		}
		if !failing(text) {
			continue
		}
		shrunk++
		if small := random.Shrink(text, failing); len(strings.Split(small, "\n")) > 9 || !failing(small) {
			t.Errorf("seed %d: this is not small:\n%s", seed, small)
		}
	}
	if shrunk == 0 {
		t.Error("no program to shrink")
	}
}

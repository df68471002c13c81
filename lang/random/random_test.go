package random_test

import (
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"cdpor/lang"
	"cdpor/lang/random"
)

// TestPrograms loads many random programs: the generator must only write what the language has, and each construct in
// some of a thousand.
func TestPrograms(t *testing.T) {
	drawn, patterns := map[string]int{}, make([]*regexp.Regexp, len(constructs))
	for i, construct := range constructs {
		patterns[i] = regexp.MustCompile(construct)
	}
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		text := random.Program(r, random.DrawCyclic(r))
		if _, err := lang.Load("random.yaml", []byte(text), lang.Options{}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, pattern := range patterns {
			if pattern.MatchString(text) {
				drawn[pattern.String()]++
			}
		}
	}
	for _, construct := range constructs {
		if drawn[construct] < 2 {
			t.Errorf("%s is in %d of 2,000 programs", construct, drawn[construct])
		}
	}
}

// constructs are patterns of what few programs have.
var constructs = []string{
	`queue\[int, 2\] = \[1`, `map\[.*\{0: 1}`, `set\[.*\[1]`, `bag\[.*\[1`, `xs: .*\[1, 1]`, `xs: .*\[0, 1]`,
	`ls: .*\[1.*\[1`, `qs: .*\[0].*\[]`, `xs\.append`, `xs\.pop`, `xs\.last`, `xs\.insert`, `xs\.remove`, `xs\.reverse`,
	`xs \+= `, `xs\[0] = `, `xs\[1] == `, `xs = xs\[1:]`, `xs == `, `xs\.contains`, `xs\.count`, `in xs`, `xs\.size`,
	`ls\[self]`, `qs\[self]`, `ls\[K]`, `qs\[a == 0`, `qs\[.*\.push`, `qs\[.*\.pop`, `qs\[.*\.front`, `pot\.add`,
	`pot\.remove`, `= K`, `t\[K]`, `if up < 2 { up \+= 1; in1 = true }`, `assert up`, `up -= 1`, `busy\[0] = false`,
	`await !busy\[1 - self]`,
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

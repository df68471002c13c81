//go:build cgo && !noz3

package synth

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// childVariable makes a test process print the files of programs, worked on in an order that the value of the variable
// decides.
const childVariable = "CDPOR_SAME_BYTES"

// sameBytesPrograms are every third of the shipped programs, and some about which a solver has more to say.
func sameBytesPrograms(t *testing.T) (names []string) {
	for i, name := range slices.Sorted(maps.Keys(shipped(t))) {
		if i%3 == 0 || slices.Contains([]string{"causal-broadcast.yaml", "mailbox-timeouts.yaml", "map-reduce.yaml",
			"bank-transfer.yaml", "prime-sieve.yaml",
			"word-count.yaml", "registration.yaml", "seqlock.yaml", "merge-sort.yaml", "fib.yaml"},
			filepath.Base(name)) {
			names = append(names, name)
		}
	}
	return names
}

// TestSameBytes: three processes, in which maps are iterated over in other orders, garbage is collected at other times,
// and the session has worked on other programs before, write the same files.
func TestSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	if which := os.Getenv(childVariable); which != "" {
		printFiles(t, which)
		return
	}
	first := map[string]string{}
	all := [][]string{{"GOGC=100"}, {"GOGC=off"}, {"GOGC=1", "GODEBUG=gcstoptheworld=1,clobberfree=1"}}
	for i, settings := range all {
		child := exec.Command(os.Args[0], "-test.run=^TestSameBytes$")
		child.Env = append(append(os.Environ(), settings...), fmt.Sprintf("%s=%d", childVariable, i))
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", settings, err, out)
		}
		files := strings.Split(string(out), "\f")
		for _, file := range files[1 : len(files)-1] {
			name, text, _ := strings.Cut(file, "\n")
			if i == 0 {
				first[name] = text
			} else if text != first[name] {
				t.Errorf("%v gives for %s\n%s\ninstead of\n%s", settings, name, text, first[name])
			}
		}
		if n := len(files) - 2; n != len(first) || n < 30 {
			t.Errorf("%v: %d files", settings, n)
		}
	}
}

func printFiles(t *testing.T, which string) {
	seed, err := strconv.ParseInt(which, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	session, err := NewSession(Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	programs, names := shipped(t), sameBytesPrograms(t)
	rand.New(rand.NewSource(seed)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		set, _, err := session.Synthesize(context.Background(), programs[name])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("\f%s\n%s", name, set.Format())
	}
	fmt.Print("\f")
}

const productQuestions = `
cdpor: 1
name: products
shared: {x: int, y: int, z: int}
threads:
  p: |
    s: atomic { if x * y > 6 { z = x * y } }
  q: |
    s: atomic { if x * z == 6 { y = x } }
`

const linked = `
cdpor: 1
name: indexed
shared: {link: "TYPE", i: 0..1, j: 0..1, x: int}
threads:
  p: |
    s: atomic { if linkAT > 3 { x = 1 } else { x = 2 } }
  q: |
    s: atomic { if linkAT < 7 { x = 3 } }
  r: |
    s: linkAT = x
`

// TestHistory: what was asked before, also about variables of the same names, changes nothing.
func TestHistory(t *testing.T) {
	texts := []string{productQuestions,
		strings.NewReplacer("TYPE", "array[3] int", "AT", "[i]").Replace(linked),
		strings.NewReplacer("TYPE", "array[3] array[2] int", "AT", "[i][j]").Replace(linked)}
	// The questions count, too: another way may lead to the same file.
	synthesise := func(session *Session, text string) string {
		set, report, err := session.Synthesize(context.Background(), load(t, text))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s%d questions", set.Format(), report.Queries)
	}
	session := func() *Session {
		s, err := NewSession(Options{AnyState: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	alone := map[string]string{}
	for _, text := range texts {
		alone[text] = synthesise(session(), text)
	}
	s := session()
	for range 2 {
		for _, text := range texts {
			if got := synthesise(s, text); got != alone[text] {
				t.Errorf("after other programs:\n%s\nalone:\n%s", got, alone[text])
			}
		}
	}
}

//go:build cgo && !noz3

package synth

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

// The constraint files beside models of what Go has, and beside the model of a type of a program that is run, are what
// is synthesised, and are proved.
func TestPrimitives(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"../lang/golang/native/models/*.constraints.yaml",
		"../testdata/native/*/*.atomic.constraints.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		paths = append(paths, found...)
	}
	s, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			model := strings.Replace(path, ".constraints.yaml", ".yaml", 1)
			text, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			source, err := lang.Load(filepath.Base(model), text, lang.Options{})
			if err != nil {
				t.Fatal(err)
			}
			kept, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			set, _, err := s.Synthesize(t.Context(), source.Program)
			if err != nil {
				t.Fatal(err)
			}
			written := generator.ReplaceAll(set.Format(), nil)
			if !bytes.Equal(written, generator.ReplaceAll(kept, nil)) {
				t.Errorf("cdpor synth %s writes\n%s", model, written)
			}
			again, err := constraints.Load(source.Program, path, kept)
			if err != nil {
				t.Fatal(err)
			}
			report, err := s.Check(t.Context(), source.Program, again)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				t.Error(f.Text())
			}
		})
	}
}

// generator names the versions of what has written a file.
var generator = regexp.MustCompile(`(?m)^generator: .*\n`)

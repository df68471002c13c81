package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"cdpor/lang"
	"cdpor/lang/slice"
)

// TestInterrupted: the search for the facts of a program, which takes long if that is large, ends with its context.
func TestInterrupted(t *testing.T) {
	path := filepath.Join("..", "..", "..", "testdata", "programs", "accounts.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := lang.Load(path, text, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, src.Program, nil, slice.NewParallel(src.Program)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

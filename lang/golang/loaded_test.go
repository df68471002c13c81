package golang_test

import (
	"context"
	"strings"
	"testing"

	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// TestSource: the text of a place is found by the file that the place names.
func TestSource(t *testing.T) {
	p, err := golang.Load(context.Background(), golang.Options{Path: "../../testdata/go/nilchannel", Func: "TestBug"})
	if err != nil {
		t.Fatal(err)
	}
	var loaded step.Loaded = p
	if loaded.Source("") != nil || loaded.Source("no such file") != nil {
		t.Error("a text without a file")
	}
	found := 0
	for _, x := range loaded.Form().Templates {
		for _, n := range x.Nodes {
			if n.Pos.File == "" || n.Pos.Line == 0 {
				continue
			}
			text := loaded.Source(n.Pos.File)
			if text == nil { // what the front end adds to a test is in no file
				continue
			}
			found++
			if lines := strings.Split(string(text), "\n"); len(lines) < n.Pos.Line {
				t.Errorf("%s: the file has %d lines", n.Pos, len(lines))
			}
		}
	}
	if found == 0 {
		t.Error("no node has a place in a file")
	}
}

package golang_test

import (
	"bytes"
	"context"
	"testing"

	"cdpor/constraints"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// TestCarry writes Go programs as bytes and reads them again: they mean the same, and are written the same.
func TestCarry(t *testing.T) {
	for _, folder := range []string{"nilchannel", "lockorder", "oncedeadlock"} {
		path := "../../testdata/go/" + folder
		p, err := golang.Load(context.Background(), golang.Options{Path: path, Func: "TestBug"})
		if err != nil {
			t.Fatal(err)
		}
		text := step.Carry(p.Form())
		q, err := step.Uncarry(text)
		if err != nil {
			t.Fatalf("%s: %v", folder, err)
		}
		p.Form().Text = nil // which is how values are shown, and not carried
		if constraints.Digest(q) != constraints.Digest(p.Form()) || !bytes.Equal(step.Carry(q), text) {
			t.Errorf("%s is another program", folder)
		}
	}
}

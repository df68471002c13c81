package lang

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/lang/step"
)

// TestCarry writes all shipped programs as bytes and reads them again: they mean the same, and are written the same.
// Bytes that were cut or changed are refused.
func TestCarry(t *testing.T) {
	read := func(path string) *step.Program {
		s, err := Load(path, read(t, path), Options{})
		if err != nil {
			return nil // constraint files
		}
		return s.Program
	}
	programs := 0
	for _, path := range append(glob(t, "../testdata/*/*.yaml"), glob(t, "testdata/lower/*.yaml")...) {
		p := read(path)
		if p == nil {
			continue
		}
		programs++
		text := step.Carry(p)
		q, err := step.Uncarry(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if diff := cmp.Diff(string(NormalForm(p)), string(NormalForm(q))); diff != "" {
			t.Errorf("%s (-before +after):\n%s", path, diff)
		}
		if !bytes.Equal(step.Carry(q), text) {
			t.Errorf("%s: written again it is different", path)
		}
		for i := 0; i < len(text); i += 1 + len(text)/20 {
			if _, err := step.Uncarry(text[:i]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are a program", path, i, len(text))
			}
			other := bytes.Clone(text)
			other[i] ^= 0x55
			if _, err := step.Uncarry(other); err == nil {
				t.Errorf("%s: byte %d was changed, and nobody noticed", path, i)
			}
		}
	}
	if programs < 50 {
		t.Errorf("%d programs", programs)
	}
}

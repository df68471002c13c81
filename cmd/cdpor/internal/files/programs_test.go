package files

import "testing"

// TestByteOrderMark: a text that begins with a byte order mark is what it is without.
func TestByteOrderMark(t *testing.T) {
	if !IsConstraintFile([]byte("\ufeffcdpor-constraints: 1\n")) || !IsProgram([]byte("\ufeffcdpor: 1\n")) {
		t.Error("a file with a byte order mark is not known")
	}
}

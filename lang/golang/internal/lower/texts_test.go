package lower

import (
	"slices"
	"testing"
)

// TestTexts: a text has one number, the empty one 0, and a number without a text is quoted as such.
func TestTexts(t *testing.T) {
	s := newTexts()
	a, b := s.text("a"), s.text("b")
	if a != s.text("a") || a == b || s.text("") != 0 {
		t.Errorf("a is %d, then %d, b is %d, the empty one %d", a, s.text("a"), b, s.text(""))
	}
	for number, want := range map[int64]string{0: `""`, a: `"a"`, b: `"b"`, unknownText: "a text", 99: `""`} {
		if got := s.quoted(number); got != want {
			t.Errorf("%d is %s, not %s", number, got, want)
		}
	}
	if !slices.Equal(s.all, []string{"", "a", "b"}) {
		t.Errorf("the texts are %q", s.all)
	}
}

// TestNames: names of Go become names that a constraint file can have, each once.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"x": "x", "f$1": "f_1", "1st": "x1st", "é": "x", "lock": "lock_", "p": "p_",
	} {
		if got := variable(name); got != want {
			t.Errorf("%s becomes %s, not %s", name, got, want)
		}
	}
	taken := map[string]bool{}
	if a, b, c := unique(taken, "x"), unique(taken, "x"), unique(taken, "x_2"); a != "x" || b != "x_2" || c != "x_2_2" {
		t.Errorf("x, x and x_2 become %s, %s and %s", a, b, c)
	}
}

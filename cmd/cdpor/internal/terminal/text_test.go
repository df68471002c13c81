package terminal

import "testing"

func TestPlural(t *testing.T) {
	for _, c := range []struct {
		n           int64
		noun, short string
	}{
		{0, "execution", "0 executions"},
		{1, "execution", "1 execution"},
		{2, "process", "2 processes"},
		{1, "process", "1 process"},
		{3, "branch", "3 branches"},
		{1500, "execution", "1.5k executions"},
	} {
		if got := ShortPlural(c.n, c.noun); got != c.short {
			t.Errorf("%d: %q, want %q", c.n, got, c.short)
		}
	}
	if got := Plural(1500, "pair"); got != "1500 pairs" {
		t.Error(got)
	}
}

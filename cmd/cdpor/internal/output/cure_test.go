package output

import "testing"

// The first reason that fits gives the cure, and there is always one.
func TestCure(t *testing.T) {
	for why, want := range map[string]string{
		"the budget of questions and work was used up":                           cures[0].cure,
		"a process that is started does more than compute before its first step": cures[2].cure,
		"the weakest condition is too large, or the language cannot say it":      cures[6].cure,
		"a list is too large":                                     cures[7].cure,
		"a set, bag or map has composite elements":                cures[12].cure,
		"a set, bag or map is used by key and as a whole":         cures[13].cure,
		"the expression means a process by number":                Cure(""),
		"the solver could not prove the condition that was found": cures[10].cure,
	} {
		if got := Cure(why); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
}

package step_test

import (
	"testing"

	"cdpor/lang"
	"cdpor/lang/step"
)

// TestEmptyArrays compiles accesses to arrays without elements, the last shared variables of their programs: they touch
// nothing.
func TestEmptyArrays(t *testing.T) {
	for _, text := range []string{
		"cdpor: 1\nshared: {x: int, a: 'array[0] int'}\nthreads: {t: 'let i = x; a[i] = 1', u: x = 1}\n",
		"cdpor: 1\nshared: {a: 'array[0] int', b: 'array[0] int'}\nthreads: {t: 'a = b'}\n",
		"cdpor: 1\nshared: {r: A}\nactors: {A: {fields: {n: int}, methods: {m(): n += 1}}}\n" +
			"main: atomic { if r != null { r!m() } }\n",
	} {
		s, err := lang.Load("test.yaml", []byte(text), lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := step.NewMachine(s.Program); err != nil {
			t.Error(err)
		}
	}
}

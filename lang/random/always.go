package random

import "fmt"

// Always writes a condition over one or two of the variables of a program with this configuration, for check.always.
func Always(r Source, c Config) string {
	x, y, k := term(r, c), term(r, c), r.Intn(3)
	return []string{
		fmt.Sprintf("%s != %d", x, k), fmt.Sprintf("%s <= %d", x, k),
		fmt.Sprintf("%s != %d || %s != %d", x, k, y, r.Intn(2)),
		fmt.Sprintf("%s + %s != %d", x, y, k), fmt.Sprintf("%s <= %s", x, y),
		fmt.Sprintf("%s == %d || %s != %d", x, k, y, r.Intn(2)),
	}[r.Intn(6)]
}

func term(r Source, c Config) string {
	switch n := r.Intn(10); {
	case n < 4 && c.Arrays:
		return fmt.Sprintf("t[%d]", r.Intn(2))
	case n < 6 && c.Locks:
		return "(m.held() ? 1 : 0)"
	}
	return name(r.Intn(c.Vars))
}

package constraints

// suggest is a "did you mean" for a name that is nearly one of those known, else empty.
func suggest(name string, known []string) string {
	best, distance := "", 1+len(name)/3
	for _, k := range known {
		if d := editDistance(name, k); d <= distance && (best == "" || d < distance) {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

package results

import "fmt"

// What the counts of a search let expect of other algorithms.

// A Stretch counts the nodes that a search has entered for a while.
type Stretch struct {
	Nodes  int64 // entered one after another; 0: it has not looked yet
	States int64 // different ones among them
}

// Short writes a number with commas.
func Short(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

package execution

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"cdpor/explore/replay"
)

// Histories of operations, for people.

const (
	laneWidth  = 80 // of lanes among other text, unless it is known how many columns there are
	laneIndent = "  "
)

// PrintHistory writes the lanes of a history, and why it is not linearizable.
func PrintHistory(w io.Writer, columns int, h *replay.History) {
	if len(h.Operations) == 0 {
		fmt.Fprintln(w, laneIndent+"no operations")
	}
	for _, lane := range h.Draw(cmp.Or(columns, laneWidth) - len(laneIndent)) {
		fmt.Fprintln(w, strings.TrimRight(laneIndent+lane, " "))
	}
	for _, text := range h.Reasons() {
		fmt.Fprintln(w, laneIndent+text)
	}
}

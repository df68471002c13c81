package terminal

import (
	"fmt"
	"io"
	"slices"
)

// refusedLines is the number of lines that a package that does not load has at most.
const refusedLines = 5

// WriteRefusal says why a package does not load.
func WriteRefusal(w io.Writer, path string, lines []string) error {
	if n := len(lines) - refusedLines; n > 0 {
		lines = append(slices.Clone(lines[:refusedLines]), fmt.Sprintf("and %d more", n))
	}
	if _, err := fmt.Fprintf(w, "%s does not load\n", path); err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(w, "  %s\n", line); err != nil {
			return err
		}
	}
	return nil
}

package native

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// WriteSchedule writes a schedule of a test to a file of a folder, which go test with an overlay follows where the
// environment variable CDPOR_REPLAY names it (_runtime/replay.go).
func WriteSchedule(folder, test string, names []int32, width, events int, schedule []int32) (file string, err error) {
	text := fmt.Appendf(nil, "%s\n%s\n%d %d %d", test, strings.Join(settings, "\n"), width, events, len(names))
	for _, list := range [][]int32{names, schedule} {
		for _, n := range list {
			text = fmt.Appendf(text, " %d", n)
		}
	}
	file = filepath.Join(folder, test+".schedule")
	return file, os.WriteFile(file, append(text, '\n'), 0o644)
}

//go:build go1.23

package cdporgate

import (
	_ "embed"
	"os"
	"strconv"
	"strings"
)

// An entry is a step of the schedule.
type entry struct {
	proc   int
	at     string // the gate; file:line:column, or start: of a goroutine
	inner  bool   // it goes on with an operation, and has no gate
	fires  bool   // a timer fires
	way    int    // which case of a select; -1: none, or default
	number int    // a random number
	starts int    // the goroutine that it starts; -1: none
	used   bool
}

//go:embed schedule.txt
var text string

var (
	entries []entry
	names   []string // of the goroutines
)

// read reads the schedule, from another file if the environment says so.
func read() {
	if file := os.Getenv("CDPOR_SCHEDULE"); file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			os.Stderr.WriteString("cdpor: " + err.Error() + "\n")
			os.Exit(unsupported)
		}
		text = string(data)
	}
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] == "#" {
			continue
		}
		if f[0] == "goroutine" {
			names = append(names, f[2])
			continue
		}
		e := entry{at: f[1], way: -1, starts: -1}
		e.proc, _ = strconv.Atoi(f[0])
		for _, more := range f[2:] {
			key, value, _ := strings.Cut(more, "=")
			n, _ := strconv.Atoi(value)
			switch key {
			case "inner":
				e.inner = true
			case "fires":
				e.fires, e.inner = true, true
			case "case":
				e.way = n
			case "number":
				e.number = n
			case "starts":
				e.starts = n
			}
		}
		entries = append(entries, e)
	}
}

package compare

import (
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"cdpor/cmd/cdpor/internal/fault"
)

// RangeSyntax is a parameter that is swept: -p N=2..6.
var RangeSyntax = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\w+)=(-?\d+)\.\.(-?\d+)$`) })

// maxRows bounds how many combinations of parameters are run.
const maxRows = 1000

// Ranges expands ranges among -p flags into one list of flags per combination, the last range the fastest. swept are
// the names of the parameters with ranges.
func Ranges(params []string) (rows [][]string, swept []string, err error) {
	rows = [][]string{nil}
	for _, p := range params {
		values := []string{p}
		if m := RangeSyntax().FindStringSubmatch(p); m != nil {
			name := m[1]
			from, err1 := strconv.ParseInt(m[2], 10, 64)
			to, err2 := strconv.ParseInt(m[3], 10, 64)
			size, borrow := bits.Sub64(uint64(to), uint64(from), 0)
			switch {
			case err1 != nil || err2 != nil || to >= from && (borrow != 0 && from >= 0 || size >= maxRows):
				return nil, nil, fault.Inputf("-p %s: more than %d values", p, maxRows)
			case to < from:
				return nil, nil, fault.Inputf("-p %s: the range is empty", p)
			}
			swept, values = append(swept, name), nil
			for v := from; v <= to; v++ {
				values = append(values, name+"="+strconv.FormatInt(v, 10))
			}
		}
		var next [][]string
		for _, row := range rows {
			for _, v := range values {
				next = append(next, append(row[:len(row):len(row)], v))
			}
		}
		if rows = next; len(rows) > maxRows {
			return nil, nil, fault.Inputf("-p %s: more than %d combinations", strings.Join(params, " -p "), maxRows)
		}
	}
	return rows, swept, nil
}

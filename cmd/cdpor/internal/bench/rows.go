package bench

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/testdata"
)

// A Row is a program with parameters for which times of other tools are known.
type Row struct {
	program string
	params  string
	traces  int64 // Mazurkiewicz traces, whether steps are those of the program or single accesses
	// CPU seconds of the peers for a C version with the same steps.
	nidhugg, genmc float64
}

// Rows are the programs that are measured.
var Rows = []Row{
	{"readers", "N=13", 8192, 1.87, 0.26},
	{"lastzero", "N=10", 3328, 0.62, 0.32},
	{"lastzero", "N=15", 147456, 40.2, 19.7},
	{"indexer", "N=15", 4096, 2.8, 2.1},
	{"locked-buffer", "N=8", 12870, 2.40, 7.57},
	{"fetch-add", "N=8", 40320, 5.1, 3.6},
	{"last-write", "N=7", 5040, 0.74, 0.11},
	{"fib-observed", "N=5", 218243, 14.4, 5.2},
}

// Programs are the programs of the rows, each once.
func Programs() (names []string) {
	for i := range Rows {
		names = append(names, Rows[i].program)
	}
	return slices.Compact(names)
}

// Title names the program with its parameters.
func (r *Row) Title() string { return r.program + " " + r.params }
func (r *Row) peer() float64 { return min(r.nidhugg, r.genmc) }

// called reports whether a name is that of the row or of its program.
func (r *Row) called(name string) bool { return name == r.program || name == r.Title() }

// Choose are those whose program or title is asked for, all if nothing is.
func Choose(names []string) ([]*Row, error) {
	var chosen []*Row
	for i := range Rows {
		row := &Rows[i]
		if len(names) == 0 || slices.ContainsFunc(names, row.called) {
			chosen = append(chosen, row)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(chosen, func(r *Row) bool { return r.called(name) }) {
			return nil, fault.Inputf("there is no row %q; there are %s", name, strings.Join(Programs(), ", "))
		}
	}
	return chosen, nil
}

// Write writes the program to a folder.
func (r *Row) Write(dir string) (path string, err error) {
	text, err := fs.ReadFile(testdata.Files, "programs/"+r.program+".yaml")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, r.program+".yaml")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return "", fault.FileError(err)
	}
	return path, nil
}

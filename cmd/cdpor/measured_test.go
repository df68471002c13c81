package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/synth"

	"github.com/google/go-cmp/cmp"
)

var measure = flag.Bool("measure", false, "measure testdata/tables/algorithms.md anew")

const (
	measuredMemory = "2GB"       // the memory that each search has
	measuredAgain  = time.Second // what takes less is run three times, and the median counts
	tablePath      = "testdata/tables/algorithms.md"
)

// measuringStick are programs with parameters that make them large for one algorithm or another.
var measuringStick = []string{
	"producer-consumer N=10 MAX=12", "h2o HYDROGEN=4 OXYGEN=2", "roller-coaster PASSENGERS=4 SEATS=2",
	"santa-claus REINDEER=3 ELVES=3", "mailbox-bag WORKERS=5", "worker-pool WORKERS=3 JOBS=5",
	"philosophers-waiter N=5", "many-producers PRODUCERS=4 SIZE=2", "striped-map KEYS=5",
	"barrier-phases N=3 PHASES=2", "seqlock READERS=2 WRITES=2", "once-init N=4",
	"actors/leader-votes CANDIDATES=3", "semaphore-barrier N=4", "locked-buffer N=7", "last-write N=7",
	"dining-philosophers N=7", "lastzero N=10", "readers N=11", "indexer N=12", "ainc N=20",
}

// largerSizes are programs on which the best algorithm takes some tenths of a second, largestSizes those on which it
// takes some seconds.
var (
	largerSizes = []string{
		"philosophers-waiter N=7", "lamport-fast-mutex N=4", "seqlock READERS=3", "once-init N=7",
		"dining-philosophers N=13", "lastzero N=14", "readers N=16", "indexer N=15", "fetch-add N=9",
		"locked-buffer N=9", "fib-observed N=5", "cached-setting N=10", "ticket-queue N=9", "bakery N=4",
		"clh-lock N=5", "dropping-logger THREADS=3 MESSAGES=3 SIZE=2", "many-producers PRODUCERS=4 SIZE=3",
	}
	largestSizes = []string{
		"philosophers-waiter N=8", "lamport-fast-mutex N=5", "seqlock READERS=4", "dining-philosophers N=16",
		"lastzero N=17", "readers N=19", "indexer N=17", "fetch-add N=10", "fib-observed N=6", "cached-setting N=12",
		"ticket-queue N=10",
	}
)

// explodingFamilies are the programs whose states and executions both explode (testdata/tables/showcase.md), with
// parameters that show it.
var explodingFamilies = []string{
	"barrier-counters N=6", "sharded-map N=6", "logged-readers N=7", "actors/independent-accounts N=8",
	"roomy-pipeline N=6", "producer-consumer-pairs N=6",
}

// shippedPrograms are all programs, as they are.
func shippedPrograms(t *testing.T) (names []string) {
	for _, dir := range []string{"programs", "actors"} {
		paths, err := files.Programs([]string{"testdata/" + dir})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range paths {
			name := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if dir != "programs" {
				name = path.Join(dir, name)
			}
			names = append(names, name)
		}
	}
	return names
}

// TestTable holds the rows of testdata/tables/algorithms.md against the programs that there are. With -measure it
// measures the table anew, each search in a process of its own, and writes it.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	shipped := shippedPrograms(t)
	parts := []tablePart{
		{"The measuring stick", measuringStick, time.Second, false},
		{"Larger sizes", largerSizes, 3 * time.Second, false},
		{"The largest sizes", largestSizes, 10 * time.Second, false},
		{"Families in which states and executions both explode", explodingFamilies, 2 * time.Second, false},
		{"Shipped programs, with the parameters that they have", shipped, time.Second, true},
	}
	if *measure {
		if err := synth.Available(); err != nil {
			t.Fatal(err)
		}
		m := newMeasurer(t)
		page := m.page(parts)
		if err := os.WriteFile(tablePath, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(tablePath)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) == 1 || cells[0] != "" {
			continue
		}
		if name := strings.TrimSpace(cells[1]); name != "program" && name != "---" {
			got = append(got, name)
		}
	}
	want := slices.Concat(measuringStick, largerSizes, largestSizes, explodingFamilies)
	part := max(0, len(got)-len(want))
	if diff := cmp.Diff(want, got[:len(got)-part]); diff != "" {
		t.Errorf("programs (-) and rows of %s (+); refresh with .ci/measure:\n%s", tablePath, diff)
	}
	for _, name := range got[len(got)-part:] {
		if !slices.Contains(shipped, name) {
			t.Errorf("%s has a row for %s, which is not there; refresh with .ci/measure", tablePath, name)
		}
	}
	if all := fmt.Sprintf(" of %d rows", len(want)+len(shipped)); !strings.Contains(string(text), all) {
		t.Errorf("%s does not say%s; refresh with .ci/measure", tablePath, all)
	}
}

// A tablePart is a section of the page, with the names of its rows: a program and its parameters.
type tablePart struct {
	title string
	names []string
	limit time.Duration // of each search
	brief bool          // only rows of which there is something to say
}

// A measurer measures rows and writes the page.
type measurer struct {
	*testing.T
	cdpor      string // the binary
	algorithms []string
}

func newMeasurer(t *testing.T) *measurer {
	file := filepath.Join(t.TempDir(), "cdpor")
	if out, err := exec.Command("go", "build", "-o", file, "./cmd/cdpor").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return &measurer{t, file, registered("auto", "constrained", "source", "optimal", "context", "exhaustive")}
}

// subject is the algorithm that the others are compared with: the first one.
func (m *measurer) subject() string { return m.algorithms[0] }

// A measuredRow has the counts and times of each algorithm on a program.
type measuredRow struct {
	name  string
	cells []measuredCell // by algorithm
}

type measuredCell struct {
	stopped string // why the search ended, if it is not complete
	cpu     float64
	nodes   int64
	memory  int64 // MiB at most, of the whole process
}

func (c *measuredCell) complete() bool { return c.stopped == "" }

func (m *measurer) rows(part *tablePart) (rows []*measuredRow) {
	for _, name := range part.names {
		row, verdict := &measuredRow{name: name}, explore.Verdict("")
		for _, algorithm := range m.algorithms {
			cell, v := m.cell(name, algorithm, part.limit)
			if cell.complete() && v != explore.Bounded { // that is no contradiction
				if verdict != "" && v != verdict {
					m.Errorf("%s: %s finds the verdict %s, others %s", name, algorithm, v, verdict)
				}
				verdict = v
			}
			row.cells = append(row.cells, cell)
		}
		m.Log(name, row.cells)
		rows = append(rows, row)
	}
	return rows
}

// cell runs an algorithm on the program of a row, for so long at most.
func (m *measurer) cell(name, algorithm string, limit time.Duration) (c measuredCell, verdict explore.Verdict) {
	words := strings.Fields(name)
	file := words[0]
	if !strings.Contains(file, "/") {
		file = "programs/" + file
	}
	args := []string{"run", "testdata/" + file + ".yaml", "--algorithm", algorithm, "--no-cache", "--json",
		"--timeout", limit.String(), "--max-memory", measuredMemory}
	for _, p := range words[1:] {
		args = append(args, "-p", p)
	}
	var cpu []float64
	var memory []int64
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*limit+time.Minute)
		run, err := runProcess(ctx, m.cdpor, args...)
		cancel()
		if err != nil {
			m.Fatalf("%s with %s: %v", name, algorithm, err)
		}
		cpu, memory = append(cpu, run.cpu), append(memory, run.memory)
		c.nodes, verdict = run.said.Search.Nodes-run.said.Search.MetAgain, run.said.Verdict
		if run.said.Stopped != explore.StoppedComplete {
			c.stopped = run.said.Stopped
		}
		if !c.complete() || run.cpu >= measuredAgain.Seconds() {
			break
		}
	}
	slices.Sort(cpu)
	slices.Sort(memory)
	c.cpu, c.memory = cpu[len(cpu)/2], memory[len(memory)/2]
	return c, verdict
}

// A measured is one side of a comparison.
type measured struct {
	what string
	of   func(c *measuredCell) float64
	goal func(best float64) float64 // the most that the first algorithm should take
}

var (
	measuredCPU = measured{
		what: "seconds",
		of:   func(c *measuredCell) float64 { return c.cpu },
		goal: func(best float64) float64 { return 1.5*best + 0.050 },
	}
	measuredPeak = measured{
		what: "memory",
		of:   func(c *measuredCell) float64 { return float64(c.memory) },
		goal: func(best float64) float64 { return 2 * best },
	}
	bothMeasures = []*measured{&measuredCPU, &measuredPeak}
)

// A judgement compares the first algorithm of a row with the others.
type judgement struct {
	missed bool // the goal, beside the fastest of the others that are complete
	half   bool // of what each of the others had taken when it ended, or less
}

func (x *measured) judge(row *measuredRow) (j judgement) {
	first, others := &row.cells[0], row.cells[1:]
	var best *measuredCell
	j.half = first.complete()
	for i := range others {
		c := &others[i]
		j.half = j.half && 2*x.of(first) <= x.of(c)
		if c.complete() && (best == nil || c.cpu < best.cpu) {
			best = c
		}
	}
	j.missed = best != nil && (!first.complete() || x.of(first) > x.goal(x.of(best)))
	return j
}

// table writes rows, if brief only those of a search that missed a goal.
func (m *measurer) table(b *strings.Builder, rows []*measuredRow, brief bool) {
	fmt.Fprintf(b, "| program | %s | `%s` |\n|%s\n", strings.Join(m.algorithms, " | "), m.subject(),
		strings.Repeat("---|", len(m.algorithms)+2))
	for _, row := range rows {
		missed := false
		var marks []string
		for _, x := range bothMeasures {
			j := x.judge(row)
			missed = missed || j.missed
			switch {
			case j.missed:
				marks = append(marks, "misses "+x.what)
			case j.half:
				marks = append(marks, "half the "+x.what)
			}
		}
		line := "| " + row.name
		for i := range row.cells {
			c := &row.cells[i]
			text := fmt.Sprintf("%.2f %s %d", c.cpu, rounded(c.nodes), c.memory)
			if !c.complete() {
				text = ">" + text
			}
			line += " | " + text
		}
		if missed || !brief {
			fmt.Fprintf(b, "%s | %s |\n", line, strings.Join(marks, ", "))
		}
	}
}

// rounded is a number with three digits.
func rounded(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return strconv.FormatFloat(float64(n)/1e3, 'g', 3, 64) + "k"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'g', 3, 64) + "M"
}

// page is the text of the page.
func (m *measurer) page(parts []tablePart) string {
	var rows [][]*measuredRow
	for i := range parts {
		rows = append(rows, m.rows(&parts[i]))
	}
	all := slices.Concat(rows...)
	var b strings.Builder
	b.WriteString("# Every algorithm on every program\n\n")
	command := "cdpor run --no-cache --json --max-memory " + measuredMemory
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		m.Fatal(err)
	}
	paragraph(&b, fmt.Sprintf("Written by `.ci/measure` on %s, %s, with %s: do not edit. "+
		"Each search is a process of its own, `%s`, with a `--timeout`. What takes less than a second is run "+
		"three times, and the median counts. A cell has the CPU seconds of the whole process, user and system, "+
		"start-up, synthesis and the judgement of termination included; the nodes: the states that the search "+
		"enters, for `exhaustive` the states that there are; and the MiB of memory at most, which are not told apart "+
		"below %d: a process begins with those of the one that starts it. `>` stands before what a search had taken "+
		"when time or memory ran out.",
		processor(), terminal.Plural(runtime.NumCPU(), "core"), runtime.Version(), command, own.Maxrss>>10))
	subject := "`" + m.subject() + "`"
	paragraph(&b, "The goals for "+subject+", beside the fastest of the others that end: at most 1.5 times its CPU "+
		"seconds, and 50 ms more; at most twice its memory. The last column says where a goal is missed, and where "+
		subject+" takes half of what each of the others takes, or less.")
	for _, x := range bothMeasures {
		missed, half := 0, 0
		for _, row := range all {
			j := x.judge(row)
			if j.missed {
				missed++
			}
			if j.half {
				half++
			}
		}
		paragraph(&b, fmt.Sprintf("%s: %s misses the goal in %d of %d rows, and takes half or less in %d.",
			strings.ToUpper(x.what[:1])+x.what[1:], subject, missed, len(all), half))
	}
	for i, part := range parts {
		text := fmt.Sprintf("Each search has %v.", part.limit)
		if part.brief {
			text += " Listed are those of which " + subject + " misses a goal."
		}
		fmt.Fprintf(&b, "## %s\n\n", part.title)
		paragraph(&b, text)
		m.table(&b, rows[i], part.brief)
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func paragraph(b *strings.Builder, text string) {
	fmt.Fprintf(b, "%s\n\n", strings.Join(terminal.Wrap(text, 118), "\n"))
}

// TestJudge: what the page says of a row. An incomplete search counts with what it had taken, as a bound.
func TestJudge(t *testing.T) {
	ends := func(cpu float64, memory int64) measuredCell { return measuredCell{cpu: cpu, memory: memory} }
	cut := func(cpu float64, memory int64) measuredCell {
		return measuredCell{cpu: cpu, memory: memory, stopped: explore.StoppedTime}
	}
	for _, test := range []struct {
		cells           []measuredCell // the first algorithm, then the others
		seconds, memory judgement
	}{
		{[]measuredCell{ends(1.5, 40), ends(1, 20), ends(2, 10)}, judgement{}, judgement{}},
		{[]measuredCell{ends(1.56, 41), ends(3, 80), ends(1, 20)}, judgement{missed: true}, judgement{missed: true}},
		{[]measuredCell{ends(0.05, 20), ends(0.1, 39), cut(0.1, 40)}, judgement{half: true}, judgement{}},
		{[]measuredCell{ends(0.05, 20), ends(0.1, 40), cut(0.09, 40)}, judgement{}, judgement{half: true}},
		{[]measuredCell{cut(2, 20), cut(1, 20), ends(2, 20)}, judgement{missed: true}, judgement{missed: true}},
		{[]measuredCell{cut(1, 20), cut(2, 40), cut(2, 40)}, judgement{}, judgement{}},
	} {
		row := &measuredRow{cells: test.cells}
		if got := measuredCPU.judge(row); got != test.seconds {
			t.Errorf("%+v: seconds: %+v, want %+v", test.cells, got, test.seconds)
		}
		if got := measuredPeak.judge(row); got != test.memory {
			t.Errorf("%+v: memory: %+v, want %+v", test.cells, got, test.memory)
		}
	}
}

// A processRun is a cdpor process that has come to its end.
type processRun struct {
	said   said
	cpu    float64 // seconds, user and system, of all threads
	memory int64   // MiB, the most that were resident
}

// said is what is read of a report in JSON.
type said struct {
	Verdict explore.Verdict
	Stopped string
	Search  struct {
		Nodes    int64
		MetAgain int64 `json:"met_again"`
	}
}

// read reads a report piece by piece: a process begins with as much memory as the one that starts it, so none is kept.
func (s *said) read(r io.Reader) error {
	decoder := json.NewDecoder(r)
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		var to any
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth == 0 {
				return nil
			}
		case "verdict":
			to = &s.Verdict
		case "stopped":
			to = &s.Stopped
		case "search":
			to = &s.Search
		}
		if to != nil && depth == 1 {
			if err := decoder.Decode(to); err != nil {
				return err
			}
		}
	}
}

// runProcess runs a cdpor command in a process of its own. It is no error if the search is not complete or finds a
// violation.
func runProcess(ctx context.Context, file string, args ...string) (*processRun, error) {
	var r processRun
	var stderr bytes.Buffer
	run := exec.CommandContext(ctx, file, args...)
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = 5 * time.Second
	run.Stderr = &stderr
	stdout, err := run.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := run.Start(); err != nil {
		return nil, err
	}
	reading := r.said.read(stdout)
	io.Copy(io.Discard, stdout)
	err = run.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == int(fault.ExitIncomplete) ||
		exit.ExitCode() == int(fault.ExitViolation)) {
		err = nil
	}
	if err == nil {
		err = reading
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &stderr)
	}
	p := run.ProcessState
	r.cpu, r.memory = (p.UserTime() + p.SystemTime()).Seconds(), p.SysUsage().(*syscall.Rusage).Maxrss>>10
	return &r, nil
}

// processor names the processor that was measured on.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// registered are those of some names that are algorithms.
func registered(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := explore.Find(name)
		return err != nil
	})
}

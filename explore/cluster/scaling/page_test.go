package scaling

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"cdpor/explore/cluster"
)

var write = flag.Bool("write", false, "measure, simulate, and write SCALING.md and its pictures: some minutes")

const (
	page     = "../SCALING.md"
	pictures = "../pictures/"
	command  = "go test ./explore/cluster/scaling -run Page -timeout 2h -args -write"
)

var (
	crews     = []int{2, 10, 50, 200, 1000, 10_000}
	latencies = []time.Duration{100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond}
)

// meanings say in words what limits a search.
var meanings = []struct {
	limit Limit
	text  string
}{
	{ByWork, "nothing yet: the workers explore for more than half of their time"},
	{ByServer, "the server is at work for four fifths of the time"},
	{ByFold, "the coordinator reads records for four fifths of the time"},
	{ByJoining, "it adds up what they have found for four fifths of the time"},
	{ByRecords, "workers wait until their records are stored"},
	{ByParcels, "workers wait for answers between two parcels, or replay the way to one"},
	{ByHandOut, "something waits, and is on its way from a record over the coordinator to a worker: five latencies"},
	{ByHints, "workers could give something away, and are told so ten times a second at most"},
	{ByChains, "nobody knows of more to be explored: insertions wait for a record, and what they lead to inserts more"},
	{ByTail, "the same, to the end of the search: the last parcels are too few"},
	{BySuperfluous, "workers explore states that others have explored"},
}

// A report collects what is written.
type report struct {
	t    *testing.T
	b    strings.Builder
	runs map[string]run
	list []*search
}

// key names a simulation.
func key(s *search, alone, latency time.Duration, workers int) string {
	return fmt.Sprint(s, alone, latency, workers)
}

// simulateAll runs the simulations that the pictures and tables show, three at a time.
func (r *report) simulateAll() {
	var mu sync.Mutex
	var all sync.WaitGroup
	places := make(chan bool, 3)
	add := func(s *search, alone, latency time.Duration, workers int) {
		places <- true
		all.Go(func() {
			defer func() { <-places }()
			one := s.simulate(r.t, alone, s.parameters(workers, latency))
			mu.Lock()
			defer mu.Unlock()
			r.runs[key(s, alone, latency, workers)] = one
		})
	}
	for _, s := range r.list {
		for _, n := range crews {
			for _, l := range latencies {
				add(s, time.Hour, l, n)
			}
			add(s, 0, time.Millisecond, n)
			add(s, time.Minute, time.Millisecond, n)
		}
	}
	all.Wait()
}

func (r *report) say(format string, args ...any) { fmt.Fprintf(&r.b, format, args...) }

// tell writes a paragraph, in lines of at most 118 columns.
func (r *report) tell(format string, args ...any) {
	r.say("\n")
	columns := 0
	for _, word := range strings.Fields(fmt.Sprintf(format, args...)) {
		switch n := len([]rune(word)); {
		case columns == 0:
			columns = n
		case columns+1+n > 118:
			r.say("\n")
			columns = n
		default:
			r.say(" ")
			columns += 1 + n
		}
		r.say("%s", word)
	}
	r.say("\n")
}

// row writes a row of a table.
func (r *report) row(cells ...string) { r.say("| %s |\n", strings.Join(cells, " | ")) }

// head writes the head of a table.
func (r *report) head(cells ...string) {
	r.say("\n")
	r.row(cells...)
	r.say("|%s\n", strings.Repeat("---|", len(cells)))
}

func ms(d time.Duration) string { return fmt.Sprintf("%g ms", float64(d.Microseconds())/1000) }

// short is a number with about two digits that matter.
func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// TestPage holds that SCALING.md names all limits and shows its pictures, or measures everything and writes it.
func TestPage(t *testing.T) {
	if *write {
		writePage(t)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range meanings {
		if !strings.Contains(string(text), "| *"+string(m.limit)+"* | "+m.text) {
			t.Errorf("the limit %s is not explained", m.limit)
		}
	}
	for _, s := range searches() {
		if !strings.Contains(string(text), s.String()) {
			t.Errorf("%v is not there", s)
		}
	}
	for _, picture := range []string{"speedup", "lengths", "time"} {
		if _, err := os.Stat(pictures + picture + ".svg"); err != nil ||
			!strings.Contains(string(text), "pictures/"+picture+".svg") {
			t.Errorf("picture %s: %v", picture, err)
		}
	}
	if !strings.Contains(string(text), command) {
		t.Error("it does not say where it comes from")
	}
}

func writePage(t *testing.T) {
	r := &report{t: t, runs: map[string]run{}, list: searches()}
	for _, s := range r.list {
		s.prepare(t)
	}
	r.simulateAll()
	t.Log("simulated")
	r.introduce()
	r.conclude()
	r.scaling()
	r.operators()
	r.costs()
	r.draw()
	r.store() // the rest takes long
	r.variants()
	r.checked()
	r.store()
}

func (r *report) store() {
	if err := os.WriteFile(page, []byte(r.b.String()), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *report) introduce() {
	r.say("# Where a search by many workers stops scaling\n")
	r.tell("Simulated: workers that replay recorded trees of six searches, under the fold of the log, the rule " +
		"by which parcels are split, and the decisions about slices, hints and handing out that the real " +
		"ones take ([README](../README.md), section 19; packages `scaling`, `joblog` and `pacing`). Time, " +
		"messages, the server and the coordinator are simulated. All on this page is written by")
	r.say("\n    %s\n", command)
	r.tell("Searches as recorded take a second or less. For longer ones, each execution of a recorded tree " +
		"stands for more of the same, so that one worker would take a minute or an hour: a real search of " +
		"that length has a larger tree, and can be divided better. Speed-up is against one worker without a " +
		"server.")
	r.tell("The limits, by name: what takes the largest part of the workers' time once they explore for less " +
		"than half of it.")
	r.head("limit", "means")
	for _, m := range meanings {
		r.row("*"+string(m.limit)+"*", m.text)
	}
}

// conclude says it in a few words.
func (r *report) conclude() {
	r.say("\n## In a few words\n")
	reading, adding, records, server := time.Hour, time.Hour, 0.0, 0.0
	few, many := crews[len(crews)-1], 0
	for _, s := range r.list {
		for _, c := range s.records {
			reading, adding = min(reading, c.Fold), min(adding, c.Join)
		}
		o := r.runs[key(s, time.Hour, time.Millisecond, 1000)].o
		records = max(records, float64(o.Records)/o.Time.Seconds())
		server = max(server, o.Server.Seconds()/o.Time.Seconds())
		n, _ := r.most(s, time.Hour, time.Millisecond)
		few, many = min(few, n), max(many, n)
	}
	r.say(`
- What ends it first is the coordinator: one process reads all records (*fold*), and beside that adds up what they have
  found (*adding up*). A search of an hour keeps %d to %d workers busy, by what it finds.
- A record takes the coordinator %s at least to read, and %s to add up what it has found. With 1,000
  workers it reads at most %s a second.
- Where most executions end in different ways, adding up the outcomes takes a good part of the time that it took to find
  them, and the coordinator is at its end with as few as %d workers: more of them only wait.
- Workers that nobody waits for write one record a second, those that give something away twenty: more workers than the
  coordinator can follow make that worse, since somebody always waits.
- The server comes next: with 1,000 workers it is busy for %s at most.
- A parcel takes five latencies from the record that gives it away to the worker that takes it. Where adding up is the
  limit that matters little; elsewhere far fewer workers are kept busy with 50 ms than with 1 ms.
- Short searches gain little: as recorded, in a second or less, nothing is worth more than ten workers.
`, few, many, ms(reading), ms(adding), short(records), few, percent(server))
}

// most is up to how many workers they explore for more than half of their time, and what limits more.
func (r *report) most(s *search, alone, latency time.Duration) (n int, limit Limit) {
	limit = ByWork
	for _, n := range crews {
		if one := r.runs[key(s, alone, latency, n)]; one.limit() != ByWork {
			limit = one.limit()
			break
		}
	}
	share := func(n int) float64 { return r.runs[key(s, alone, latency, n)].speedUp() / float64(n) }
	for i, k := range crews {
		if share(k) < 0.5 {
			if i == 0 {
				return 1, limit
			}
			a, b := crews[i-1], k // between the two, in proportion
			part := (share(a) - 0.5) / (share(a) - share(b))
			return a + int(part*float64(b-a)), limit
		}
	}
	return crews[len(crews)-1], ByWork
}

func (r *report) scaling() {
	r.say("\n## Speed-up\n")
	r.tell("Searches of an hour, by the latency of a message one way:")
	r.say("\n![speed-up over workers, a line for each latency](pictures/speedup.svg)\n")
	r.tell("With 1 ms, by how long one worker takes:")
	r.say("\n![speed-up over workers, a line for each length of the search](pictures/lengths.svg)\n")
	r.tell("What the workers do with their time, searches of an hour, 1 ms:")
	r.say("\n![parts of the workers' time over workers](pictures/time.svg)\n")
	r.tell("Up to about how many workers a search keeps them busy for more than half of their time, and what " +
		"limits it from then on:")
	head := []string{"search"}
	for _, l := range latencies {
		head = append(head, "an hour, "+ms(l))
	}
	r.head(append(head, "a minute, 1 ms", "as recorded, 1 ms")...)
	for _, s := range r.list {
		cells := []string{s.String()}
		cell := func(alone, latency time.Duration) {
			n, limit := r.most(s, alone, latency)
			if limit == ByWork {
				cells = append(cells, fmt.Sprintf("more than %d", n))
				return
			}
			cells = append(cells, fmt.Sprintf("%d, *%s*", n, limit))
		}
		for _, l := range latencies {
			cell(time.Hour, l)
		}
		cell(time.Minute, time.Millisecond)
		cell(0, time.Millisecond)
		r.row(cells...)
	}
	r.tell("Speed-up and limit, searches of an hour, 1 ms:")
	head = []string{"search"}
	for _, n := range crews {
		head = append(head, fmt.Sprint(n))
	}
	r.head(head...)
	for _, s := range r.list {
		cells := []string{s.String()}
		for _, n := range crews {
			one := r.runs[key(s, time.Hour, time.Millisecond, n)]
			cells = append(cells, fmt.Sprintf("%s *%s*", short(one.speedUp()), one.limit()))
		}
		r.row(cells...)
	}
}

func (r *report) draw() {
	var byLatency, byLength, parts []panel
	at := func(s *search, label string, alone, latency time.Duration) line {
		l := line{label: label}
		for _, n := range crews {
			l.x = append(l.x, float64(n))
			l.y = append(l.y, r.runs[key(s, alone, latency, n)].speedUp())
		}
		return l
	}
	for _, s := range r.list {
		p := panel{title: s.String()}
		for _, l := range latencies {
			p.lines = append(p.lines, at(s, ms(l), time.Hour, l))
		}
		byLatency = append(byLatency, p)
		byLength = append(byLength, panel{s.String(), []line{at(s, "as recorded", 0, time.Millisecond),
			at(s, "a minute", time.Minute, time.Millisecond), at(s, "an hour", time.Hour, time.Millisecond)}})
		p = panel{title: s.String(), lines: []line{{label: "explore"}, {label: string(BySuperfluous)},
			{label: string(ByRecords)}, {label: string(ByParcels)}, {label: string(ByHandOut)},
			{label: string(ByHints)}, {label: string(ByChains)}, {label: string(ByTail)}}}
		for _, n := range crews {
			w := r.runs[key(s, time.Hour, time.Millisecond, n)].shares()
			for i, v := range []float64{w.Useful, w.Superfluous, w.Records, w.Parcels, w.HandOut, w.Hints, w.Chains,
				w.Tail} {
				p.lines[i].x, p.lines[i].y = append(p.lines[i].x, float64(n)), append(p.lines[i].y, v)
			}
		}
		parts = append(parts, p)
	}
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		r.t.Fatal(err)
	}
	for name, text := range map[string]string{"speedup": drawLines(byLatency), "lengths": drawLines(byLength),
		"time": drawParts(parts)} {
		if err := os.WriteFile(pictures+name+".svg", []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
}

// measuredRatio explores a search over a real server, with one worker and with two.
func measuredRatio(t *testing.T, s *search) (one, two time.Duration) {
	t.Helper()
	server, err := cluster.Serve(cluster.ServerOptions{Store: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	nc, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for range 3 {
		a, b := s.overServer(t, nc, 1), s.overServer(t, nc, 2)
		if one == 0 || a < one {
			one = a
		}
		if two == 0 || b < two {
			two = b
		}
	}
	return one, two
}

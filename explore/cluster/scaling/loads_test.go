package scaling

import (
	"fmt"
	"time"
)

// What SCALING.md says about loads, and how it was checked.

// operators says what a worker costs the server and the coordinator.
func (r *report) operators() {
	r.say("\n## Sizing\n")
	r.tell("What workers cost the server and the coordinator: searches of an hour, 1 ms. For each, with the " +
		"most workers of the table above that explore for more than half of their time; how many would make " +
		"the server or the coordinator busy for four fifths of its time, in proportion; the coordinator with reading " +
		"records or with adding up, whichever takes longer.")
	r.head("search", "workers", "records/s", "KB a record", "log, MB/s", "log of a worker, MB/h", "server busy",
		"a server carries", "coordinator busy", "a coordinator carries", "longest wait at the server")
	for _, s := range r.list {
		var one run
		for _, n := range crews {
			k := r.runs[key(s, time.Hour, time.Millisecond, n)]
			if one.o == nil || k.limit() == ByWork {
				one = k
			}
		}
		o, seconds := one.o, one.o.Time.Seconds()
		server, fold := o.Server.Seconds()/seconds, o.Coordinating().Seconds()/seconds
		n := float64(one.p.Workers)
		r.row(s.String(), fmt.Sprint(one.p.Workers), short(float64(o.Records)/seconds),
			short(o.Bytes/float64(o.Records)/1000), short(o.Bytes/seconds/1e6), short(o.Bytes/seconds/n*3600/1e6),
			percent(server), short(n*0.8/server), percent(fold), short(n*0.8/fold), ms(o.Late))
	}
	r.tell("The same with 1,000 workers, whatever the limit:")
	r.head("search", "speed-up", "limit", "records/s", "log, MB/s", "server busy", "coordinator busy",
		"without a parcel", "hints", "parcels")
	for _, s := range r.list {
		one := r.runs[key(s, time.Hour, time.Millisecond, 1000)]
		o, seconds := one.o, one.o.Time.Seconds()
		shares := one.shares()
		r.row(s.String(), short(one.speedUp()), "*"+string(one.limit())+"*", short(float64(o.Records)/seconds),
			short(o.Bytes/seconds/1e6), percent(o.Server.Seconds()/seconds),
			percent(o.Coordinating().Seconds()/seconds),
			percent(shares.Starving()), fmt.Sprint(o.Hints), fmt.Sprint(o.Parcels))
	}
}

func percent(v float64) string { return short(100*v) + " %" }

// variants says what parameters are worth.
func (r *report) variants() {
	r.say("\n## What parameters are worth\n")
	r.tell("Speed-up of 200 workers, searches of an hour, 10 ms, with one thing changed. *One by one*: the " +
		"coordinator waits for the server twice for each parcel that it hands out, as it once did. " +
		"*Findings at no cost*: records are short, and adding up what they have found takes no time to " +
		"speak of.")
	list := []struct {
		name   string
		change func(*Parameters)
	}{
		{"as it is", func(*Parameters) {}},
		{"three servers", func(p *Parameters) { p.Replicas = 3 }},
		{"one by one", func(p *Parameters) { p.OneByOne = true }},
		{"slices of 10 ms", func(p *Parameters) { p.Slice = 10 * time.Millisecond }},
		{"slices of 250 ms", func(p *Parameters) { p.Slice = 250 * time.Millisecond }},
		{"findings at no cost", func(p *Parameters) {
			p.Records = Defaults(1, 0).Records
		}},
		{"a death per worker and hour", func(p *Parameters) { p.Deaths = 1 }},
		{"ten deaths", func(p *Parameters) { p.Deaths = 10 }},
	}
	head := []string{"search"}
	for _, v := range list {
		head = append(head, v.name)
	}
	r.head(append(head, "nodes explored in vain, ten deaths")...)
	for _, s := range r.list {
		cells := []string{s.String()}
		wasted := 0.0
		for _, v := range list {
			p := s.parameters(200, 10*time.Millisecond)
			v.change(&p)
			one := s.simulate(r.t, time.Hour, p)
			cells = append(cells, short(one.speedUp()))
			wasted = float64(one.o.Wasted) / float64(one.whole)
		}
		r.row(append(cells, percent(wasted))...)
	}
}

// costs says what was measured, and what was not.
func (r *report) costs() {
	p := Defaults(1, 0)
	r.say("\n## What everything costs\n")
	r.tell("The searches, and what they cost, in processor time: measured here, with shipped programs. Later: " +
		"children that were asked for only by what was found below an earlier sibling. What a record takes " +
		"after a slice, and one of the whole search.")
	r.head("search", "nodes", "executions", "depth", "later", "node", "replaying an event", "record of", "KB",
		"making", "reading", "adding up", "record of all, KB", "making", "reading", "adding up")
	for _, s := range r.list {
		slice, all := s.records[min(2, len(s.records)-1)], s.records[len(s.records)-1]
		r.row(s.String(), fmt.Sprint(s.tree.Nodes()), fmt.Sprint(s.executions), fmt.Sprint(s.tree.Depth()),
			fmt.Sprint(s.tree.Later()), fmt.Sprintf("%d ns", s.node.Nanoseconds()),
			fmt.Sprintf("%d ns", s.replay.Nanoseconds()), fmt.Sprintf("%d nodes", slice.Nodes), short(slice.Bytes/1000),
			ms(slice.Encode), ms(slice.Fold), ms(slice.Join), short(all.Bytes/1000), ms(all.Encode), ms(all.Fold),
			ms(all.Join))
	}
	r.tell("A longer slice than the recorded search is taken to find no more than that. Not measured here but "+
		"assumed, from what a server on the same machine took: %v of the server for what it stores and %v "+
		"for what it answers, %v for each worker that gets a hint, %g ns for a byte; %v of the coordinator "+
		"to receive a record; with three servers %v and a latency more. A worker that dies is replaced "+
		"after %v, its parcel given to another one after %v.",
		p.Store, p.Answer, p.Pass, p.ServerByte, p.Receive, p.Replicate, p.Restart, p.Wait)
}

// checked says how the simulation was.
func (r *report) checked() {
	r.say("\n## How far to trust it\n")
	r.tell("`go test ./explore/cluster/scaling` holds that each node is explored once if nobody dies, that " +
		"what is explored and not lost is what there is if somebody does, that one worker takes the sum of " +
		"the costs, and that whatever costs more takes longer. `TestLive` lets workers explore themselves " +
		"under the same server and coordinator.")
	r.tell("Workers that explore themselves, searches of a minute, 1 ms: how long they take beside those that " +
		"replay, and the nodes that they explore beside those of one worker.")
	head := []string{"search"}
	few := []int{8, 64}
	for _, n := range few {
		head = append(head, fmt.Sprintf("%d: time, live / replayed", n), "nodes / those of one")
	}
	r.head(head...)
	for _, s := range r.list {
		cells := []string{s.String()}
		for _, n := range few {
			p := s.parameters(n, time.Millisecond)
			p.Node = time.Minute / time.Duration(s.tree.Nodes())
			p.Records = Defaults(1, 0).Records
			live, _ := newLive(r.t, s.m, s.a, s.opt).run(r.t, p)
			replay := NewReplay(s.tree, 0, false)
			o, err := Simulate(replay.Work(), p)
			if err != nil {
				r.t.Fatal(err)
			}
			cells = append(cells, short(live.Time.Seconds()/o.Time.Seconds()),
				fmt.Sprintf("%.3f, replayed %.3f", float64(live.Explored)/float64(s.tree.Nodes()),
					float64(o.Explored)/float64(replay.Whole())))
		}
		r.row(cells...)
		r.t.Logf("%v: live", s)
	}
	r.tell("Two workers beside one over a real server in the same process, the least elapsed time of " +
		"three, on a machine of two cores that many others kept busy: it says little then. Beside it what " +
		"the simulation says with a latency of 0.05 ms. Workers, server and coordinator share the cores " +
		"there, which the simulation does not know.")
	r.head("search", "one worker", "two", "ratio", "simulated: one", "two", "ratio")
	for _, s := range r.list {
		one, two := measuredRatio(r.t, s)
		a := s.simulate(r.t, 0, s.parameters(1, 50*time.Microsecond)).o.Time
		b := s.simulate(r.t, 0, s.parameters(2, 50*time.Microsecond)).o.Time
		seconds := func(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
		r.row(s.String(), seconds(one), seconds(two), short(one.Seconds()/two.Seconds()), seconds(a), seconds(b),
			short(a.Seconds()/b.Seconds()))
	}
}

package scaling

import (
	"time"

	"cdpor/explore/cluster/internal/pacing"
)

// Parameters say what a search by workers over a server costs. Times are those of one machine or of one message.
type Parameters struct {
	Workers  int
	Latency  time.Duration // of a message, one way
	Replicas int           // of the server; from three on what is stored waits for a second one
	Seed     uint64
	Slice    time.Duration // as cluster.WorkOptions

	Node   time.Duration // exploring one, on the average
	Replay time.Duration // an event on the way to where a parcel begins

	// What the server needs for a record or a parcel that it stores, and for anything else that it is asked or told;
	// for a message that it only passes on, for each who gets it; and, in nanoseconds, for a byte of a record.
	Store, Answer, Pass time.Duration
	ServerByte          float64
	Replicate           time.Duration
	Receive             time.Duration // what the coordinator needs for a message of the log, beside what is in it
	Records             []RecordCost  // by the number of nodes

	Deaths  float64       // of a worker in an hour
	Wait    time.Duration // after how long without a sign of life a parcel is given to somebody else
	Restart time.Duration // after how long another worker takes the place of a dead one

	// The coordinator waits for the server twice for each parcel that it hands out, as that of package cluster once
	// did.
	OneByOne bool
}

// A RecordCost is what a record costs after some nodes.
type RecordCost struct {
	Nodes  int64
	Bytes  float64
	Encode time.Duration // for the worker
	Fold   time.Duration // for the coordinator, to read it
	Join   time.Duration // and to add up what it has found, beside that
}

// Defaults are the parameters for some workers. What they say of nodes and records is for the caller to change.
func Defaults(workers int, latency time.Duration) Parameters {
	return Parameters{Workers: workers, Latency: latency, Replicas: 1, Seed: 1, Slice: pacing.DefaultSlice,
		Node: time.Microsecond, Replay: time.Microsecond,
		Store: 50 * time.Microsecond, Answer: 25 * time.Microsecond, Pass: 4 * time.Microsecond, ServerByte: 0.5,
		Replicate: 300 * time.Microsecond, Receive: 15 * time.Microsecond,
		Records: []RecordCost{{Bytes: 2000, Encode: 100 * time.Microsecond, Fold: 15 * time.Microsecond,
			Join: 10 * time.Microsecond}},
		Wait: 10 * time.Second, Restart: time.Second}
}

// stored is how long a server of several waits for another one.
func (p *Parameters) stored() time.Duration {
	if p.Replicas < 3 {
		return 0
	}
	return p.Replicate + p.Latency
}

// record is what a record costs after some nodes: between two that are given, in proportion.
func (p *Parameters) record(nodes int64) RecordCost {
	for i, r := range p.Records {
		switch {
		case nodes > r.Nodes && i+1 < len(p.Records):
			continue
		case nodes >= r.Nodes || i == 0:
			return r
		}
		below := p.Records[i-1]
		part := float64(nodes-below.Nodes) / float64(r.Nodes-below.Nodes)
		between := func(a, b time.Duration) time.Duration { return a + time.Duration(part*float64(b-a)) }
		return RecordCost{nodes, below.Bytes + part*(r.Bytes-below.Bytes), between(below.Encode, r.Encode),
			between(below.Fold, r.Fold), between(below.Join, r.Join)}
	}
	return RecordCost{}
}

// taken is what a record costs that hands out a parcel.
func (p *Parameters) taken() RecordCost {
	if len(p.Records) == 0 {
		return RecordCost{}
	}
	return RecordCost{Bytes: 60}
}

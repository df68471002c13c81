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
	Encode time.Duration // making a record

	// What the server needs for a record or a parcel that it stores, and for anything else that it is asked or told;
	// for a message that it only passes on, for each who gets it; and for a byte of a record.
	Store, Answer, Pass time.Duration
	ServerByte          float64 // nanoseconds
	Replicate           time.Duration
	// What the coordinator needs for a record, and for a byte of it.
	Fold     time.Duration
	FoldByte float64 // nanoseconds

	// How long a record is: that much, and more for each node that was explored since the last one.
	RecordBytes, NodeBytes float64

	Deaths  float64       // of a worker in an hour
	Wait    time.Duration // after how long without a sign of life a parcel is given to somebody else
	Restart time.Duration // after how long another worker takes the place of a dead one

	// The coordinator waits for the server twice for each parcel that it hands out, as that of package cluster once did.
	OneByOne bool
}

// Defaults are the parameters for some workers. What they say of nodes and bytes is for the caller to set.
func Defaults(workers int, latency time.Duration) Parameters {
	return Parameters{Workers: workers, Latency: latency, Replicas: 1, Seed: 1, Slice: pacing.DefaultSlice,
		Node: time.Microsecond, Replay: time.Microsecond, Encode: 100 * time.Microsecond,
		Store: 50 * time.Microsecond, Answer: 25 * time.Microsecond, Pass: 4 * time.Microsecond, ServerByte: 0.5,
		Replicate: 300 * time.Microsecond, Fold: 40 * time.Microsecond, FoldByte: 2,
		RecordBytes: 2000, Wait: 10 * time.Second, Restart: time.Second}
}

// stored is how long a server of several waits for another one.
func (p *Parameters) stored() time.Duration {
	if p.Replicas < 3 {
		return 0
	}
	return p.Replicate + p.Latency
}

// bytes is how long a record is after some nodes.
func (p *Parameters) bytes(nodes int64) float64 { return p.RecordBytes + p.NodeBytes*float64(nodes) }

package slots

// A Message goes from one worker to another.
type Message struct {
	Stage    string
	From, To string
	// Number is that of a batch among those of this sender to this receiver in this stage, from 0 on; of an
	// acknowledgement, how many batches the receiver has dealt with.
	Number int64
	Ack    bool
	Batch  []byte
}

// A Mode tells the owners of slots what to do.
type Mode int

// The modes.
const (
	Working  Mode = iota // expand states
	Draining             // expand none: what is under way is to arrive
	Storing              // store the slots, and do nothing any more in this stage
)

// An Ask goes from a leader to all workers, again and again. They answer with a Status.
type Ask struct {
	Stage string // empty: there is none yet
	Round int64
	Mode  Mode
}

// A Status describes a worker.
type Status struct {
	Worker string
	Stage  string // empty: none
	Round  int64  // of the question
	// Quiet tells that it has nothing to do and nothing to send any more, as long as nothing comes.
	Quiet          bool
	Sent, Received int64  // batches, in this stage; of those that were sent several times one
	Moved          int64  // grows with all that it does
	Part           string `json:",omitempty"` // the name of what it has stored, if it has
	Coming         bool   `json:",omitempty"` // it is about to be there, and owns nothing yet
	Leaving        bool   `json:",omitempty"` // it wants to own nothing any more
	Gone           bool   `json:",omitempty"` // it does not answer any more
	Violated       bool   `json:",omitempty"` // something wrong has been found in this stage
	States, Events int64  // found in this stage
}

package step

// What a process waits for, for people. It never decides what is possible.

// A Deed is a kind of operation by which processes wait for each other.
type Deed string

const (
	Sends     Deed = "send"
	Receives  Deed = "receive"
	Closes    Deed = "close"
	Locks     Deed = "lock"
	RLocks    Deed = "rlock"
	Unlocks   Deed = "unlock"
	Dones     Deed = "done" // takes something from the counter of a wait group
	WaitsAll  Deed = "wait" // for a wait group
	AwaitsOne Deed = "await"
	Signals   Deed = "signal" // at a condition variable, one or all
)

// A Wait is an operation that may have to wait.
type Wait struct {
	Deed  Deed
	What  string // as it is written: the channel, the mutex
	In    string // the function of a library in which it is, as it is called; empty: in none
	Ready *Expr  // when it need not wait
}

// enders are the operations that may end the wait for one. One that sends does not wait for a close, which makes it
// panic.
var enders = map[Deed][]Deed{Sends: {Receives}, Receives: {Sends, Closes}, Locks: {Unlocks}, RLocks: {Unlocks},
	WaitsAll: {Dones}, AwaitsOne: {Signals}}

// Ends reports whether an operation may end the wait for another one.
func (d Deed) Ends(wait Deed) bool {
	for _, e := range enders[wait] {
		if d == e {
			return true
		}
	}
	return false
}

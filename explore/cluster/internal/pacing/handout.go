package pacing

import "time"

// HintAgain is the time between two messages to workers that tasks are missing.
const HintAgain = 200 * time.Millisecond

// MostTakes is the number of tasks that a coordinator hands out before it waits for the server.
const MostTakes = 512

// MostUnjoined is the number of records that may wait until what they have found is added up: then the coordinator
// waits, too.
const MostUnjoined = 256

// Missing is the number of tasks that should be under way in addition: one for each worker, and one more that it
// finds next.
func Missing(workers, underWay int) int { return 2*workers - underWay }

// A Move is the next action of a coordinator, after a record.
type Move int

// The moves.
const (
	Rest Move = iota // nothing
	Take             // hand out what waits
	Hint             // tell the workers that tasks are missing
)

// Next is the move of a coordinator. pending tells that it has taken something that it has not read yet; waits, asked
// when it matters, whether something can be taken.
func Next(pending bool, missing int, waits func() bool) Move {
	switch {
	case pending || missing <= 0:
		return Rest
	case waits():
		return Take
	}
	return Hint
}

// hintPerWorker is how long after a hint the next one may follow at the earliest, for each worker: all read it.
const hintPerWorker = 5 * time.Millisecond

// MayHint reports whether workers are to be told that tasks are missing, when they were told some time ago.
func MayHint(workers, missing int, ago time.Duration, waits func() bool) bool {
	return missing > 0 && ago >= min(HintAgain/2, time.Duration(workers)*hintPerWorker) && !waits()
}

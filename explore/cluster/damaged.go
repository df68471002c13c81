package cluster

import (
	"errors"
	"fmt"
)

// What is in a log, in a queue or in a message may be anything: a store loses blocks, and who may write may write what
// is none of the search. What cannot be read, or does not fit, is left out and counted, and the search goes on. What
// others rest on is put right: the coordinator appends to the chain of a part what is left of it. Where that is not
// known any more the search ends as explore.StoppedLost.

// errDamaged says that something cannot be read, or does not fit where it is.
var errDamaged = errors.New("it cannot be read, or does not fit")

// guarded calls a function that deals with what others have written, and makes an error of a panic.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	return f()
}

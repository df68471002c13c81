package flags

import (
	"cmp"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
)

// CheckpointFlags say when a search is saved, and where.
type CheckpointFlags struct {
	Checkpoint      string        `predictor:"file" placeholder:"FILE" help:"Save the search in this file now and then, and when it ends early, so that cdpor resume can go on with it. Without this flag and the next, it is saved when it is interrupted, in cdpor/checkpoints of the user's cache folder."`
	CheckpointEvery time.Duration `placeholder:"TIME" help:"How often to save the search; less often if that took a tenth of the time. Default: 1m."`
}

// defaultEvery is the interval at which a search is saved if that is wanted at all.
const defaultEvery = time.Minute

func (f *CheckpointFlags) Check() error {
	if f.CheckpointEvery < 0 {
		return fault.Inputf("--checkpoint-every cannot be negative")
	}
	return nil
}

// Every is the interval at which the search is saved; 0 stands for when it is interrupted.
func (f *CheckpointFlags) Every() time.Duration {
	if f.Checkpoint == "" {
		return f.CheckpointEvery
	}
	return cmp.Or(f.CheckpointEvery, defaultEvery)
}

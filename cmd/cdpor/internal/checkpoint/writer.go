package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
)

// A Writer writes the checkpoints of one search.
type Writer struct {
	Progress *progress.Progress
	Run      *Run
	Path     string        // "": where place says
	Base     string        // of the name of the file then; "": that of the program
	Every    time.Duration // 0: never while the search is under way
	Ends     bool          // whatever ends the search early, not only an interrupt
	Begun    time.Time     // of this part of the search
	Earlier  time.Duration
	Last     time.Time     // when the last one was written
	took     time.Duration // how long that took
	written  bool          // the search has ended early and can be gone on with
	Off      bool          // the search is not to be saved
	Enough   func() bool   // the search has been ended because it has found enough; nil: it never is
	asked    bool          // the search has ended early, between two executions
	saves    int           // how often it has been saved
}

// share is how much longer than for saving the search works at least, while it is under way.
const share = 10

// Offer is the checkpoint callback of a search.
func (w *Writer) Offer(stopped string, save func() *explore.Checkpoint) {
	w.asked = w.asked || stopped != ""
	now := w.Progress.Env.Now()
	due := w.Every > 0 && now.Sub(w.Last) >= max(w.Every, share*w.took)
	if ended := stopped == explore.StoppedContext || stopped != "" && w.Ends; !ended && (stopped != "" || !due) {
		return
	}
	if stopped != "" && !w.Ends && w.Enough != nil && w.Enough() {
		return
	}
	if w.Path == "" {
		w.Path = w.place()
	}
	w.Run.Every, w.Run.Spent = w.Every, w.Earlier+now.Sub(w.Begun)
	if err := write(w.Path, w.Run, save()); err != nil {
		w.Progress.Done()
		fmt.Fprintf(w.Progress.Env.Stderr, "cdpor: the search could not be saved: %v\n", err)
	} else {
		w.saves++
		w.written = stopped != ""
	}
	w.Last = w.Progress.Env.Now()
	w.took = w.Last.Sub(now)
}

// Saved is the file with the unfinished search that has had a result, empty if there is none, and what there is to
// say if the search was given up inside an execution: then the file has it as it was before.
func (w *Writer) Saved(res *explore.Result) (path, lost string) {
	if w.written {
		return w.Path, ""
	}
	switch {
	case res == nil || w.asked || w.Off:
		return "", ""
	case res.Stopped != explore.StoppedContext && res.Stopped != explore.StoppedTime &&
		res.Stopped != explore.StoppedMemory:
		return "", ""
	case w.saves > 0:
		ago := progress.Roughly(w.Progress.Env.Now().Sub(w.Last))
		return w.Path, "the execution under way was given up; the search is saved as it was " + ago + " before"
	case w.Earlier > 0:
		return w.Path, "the execution under way was given up; the search is saved as it was when this began"
	case res.Stopped == explore.StoppedContext || w.Ends:
		return "", "the execution under way was given up, so the search is not saved"
	}
	return "", ""
}

// place is where the checkpoint of a program goes if nothing else is said: beside the program if checkpoints are
// wanted, else into the folder of the user's cache, where those older than a month are removed.
func (w *Writer) place() string {
	base := cmp.Or(w.Base, source.WithoutYAML(w.Run.Program))
	if w.Ends {
		return freePath(base)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	dir = filepath.Join(dir, "cdpor", "checkpoints")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return freePath(base)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "*.checkpoint"))
	for _, path := range kept {
		if info, err := os.Lstat(path); err == nil && w.Progress.Env.Now().Sub(info.ModTime()) > month {
			_ = os.Remove(path) // what cannot be removed stays
		}
	}
	return freePath(filepath.Join(dir, filepath.Base(base)))
}

const month = 30 * 24 * time.Hour

// freePath is the first name that is not taken: nothing is overwritten.
func freePath(base string) string {
	for n := 1; ; n++ {
		path := base + ".checkpoint"
		if n > 1 {
			path = fmt.Sprintf("%s-%d.checkpoint", base, n)
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || n == 1000 {
			return path
		}
	}
}

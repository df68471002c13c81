package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang/step"
)

// A checkpoint file is a line "cdpor-checkpoint VERSION SHA256", with the checksum of the rest; then a line of JSON, a
// checkpointRun; then the search as package explore writes it.

// checkpointVersion is the version of the format of checkpoint files. That of the search has a version of its own.
const checkpointVersion = 1

// A checkpointRun is what a run knows besides its search: everything that it was given.
type checkpointRun struct {
	Cdpor       string   // the version that wrote it
	Program     string   // where the program came from
	Param       []string `json:",omitempty"` // NAME=VALUE, as given on the command line
	Atomicity   string   `json:",omitempty"` // if given on the command line
	Text        string   // of the program
	Constraints *checkpointConstraints
	Simulated   []string      `json:",omitempty"` // schedules that showed something wrong before the search
	Every       time.Duration // how often checkpoints are written; 0: when the search is interrupted
	Spent       time.Duration // exploring
}

// checkpointConstraints are a knowledge in text.
type checkpointConstraints struct {
	Text   string `json:",omitempty"` // of a constraint file; none if empty
	Trust  source.Trust
	Origin string
	Path   string        `json:",omitempty"`
	Time   time.Duration `json:",omitempty"`
}

func newCheckpointRun(f *programFlags, k *source.Source) *checkpointRun {
	return &checkpointRun{Cdpor: version, Program: f.Program, Param: f.Param, Atomicity: f.Atomicity, Text: string(f.text), Constraints: saveKnowledge(k)}
}

func saveKnowledge(k *source.Source) *checkpointConstraints {
	c := &checkpointConstraints{Trust: k.Trust, Origin: k.Origin, Path: k.Path, Time: k.Time}
	if k.Set != nil {
		c.Text = string(k.Set.Format())
	}
	return c
}

// load makes the program and the constraints again.
func (c *checkpointRun) load(covering *coverageFlag) (*step.Machine, *source.Source, error) {
	change := changeFlags{Param: c.Param, Atomicity: c.Atomicity}
	src, err := change.loadText(c.Program, []byte(c.Text))
	if err != nil {
		return nil, nil, err
	}
	k := &source.Source{Trust: c.Constraints.Trust, Origin: c.Constraints.Origin, Path: c.Constraints.Path, Time: c.Constraints.Time}
	if c.Constraints.Text != "" {
		if k.Set, err = constraints.Load(src.Program, cmp.Or(c.Constraints.Path, "constraints"), []byte(c.Constraints.Text)); err != nil {
			return nil, nil, err
		}
	}
	m, err := covering.machine(src.Program)
	return m, k, err
}

// A checkpointWriter writes the checkpoints of one search.
type checkpointWriter struct {
	progress *progress.Progress
	run      *checkpointRun
	path     string        // "": beside the program, under a name that is not taken
	every    time.Duration // 0: never while the search is under way
	ends     bool          // whatever ends the search early, not only an interrupt
	begun    time.Time     // of this part of the search
	earlier  time.Duration
	last     time.Time     // when the last one was written
	took     time.Duration // how long that took
	written  bool          // the search has ended early and can be gone on with
	asked    bool          // the search has ended early, between two executions
	saves    int           // how often it has been saved
}

// share is how much longer than for saving the search works at least, while it is under way.
const share = 10

// offer is the checkpoint callback of a search.
func (w *checkpointWriter) offer(stopped string, save func() *explore.Checkpoint) {
	w.asked = w.asked || stopped != ""
	now := w.progress.Env.Now()
	due := w.every > 0 && now.Sub(w.last) >= max(w.every, share*w.took)
	if ended := stopped == explore.StoppedContext || stopped != "" && w.ends; !ended && (stopped != "" || !due) {
		return
	}
	if w.path == "" {
		w.path = freePath(w.run.Program)
	}
	w.run.Every, w.run.Spent = w.every, w.earlier+now.Sub(w.begun)
	if err := writeCheckpoint(w.path, w.run, save()); err != nil {
		w.progress.Done()
		fmt.Fprintf(w.progress.Env.Stderr, "cdpor: the search could not be saved: %v\n", err)
	} else {
		w.saves++
		w.written = stopped != ""
	}
	w.last = w.progress.Env.Now()
	w.took = w.last.Sub(now)
}

// saved is the file with the unfinished search that has had a result, empty if there is none, and what there is to
// say if the search was given up inside an execution: then the file has it as it was before.
func (w *checkpointWriter) saved(res *explore.Result) (path, lost string) {
	if w.written {
		return w.path, ""
	}
	switch {
	case res == nil || w.asked:
		return "", ""
	case res.Stopped != explore.StoppedContext && res.Stopped != explore.StoppedTime && res.Stopped != explore.StoppedMemory:
		return "", ""
	case w.saves > 0:
		ago := progress.Roughly(w.progress.Env.Now().Sub(w.last))
		return w.path, "the execution under way was given up; the search is saved as it was " + ago + " before"
	case w.earlier > 0:
		return w.path, "the execution under way was given up; the search is saved as it was when this began"
	case res.Stopped == explore.StoppedContext || w.ends:
		return "", "the execution under way was given up, so the search is not saved"
	}
	return "", ""
}

// freePath is where the checkpoint of a program goes if nothing else is said: nothing is overwritten.
func freePath(program string) string {
	base := source.WithoutYAML(program)
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

// writeCheckpoint replaces a file at once: whatever happens, there is the old one or the new one.
func writeCheckpoint(path string, run *checkpointRun, cp *explore.Checkpoint) error {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return fault.FileError(err)
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fault.FileError(err)
	}
	err = writeCheckpointTo(f, run, cp)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return fault.FileError(err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // the name is in the folder
		_ = dir.Sync() // not every file system can
		dir.Close()
	}
	return nil
}

func writeCheckpointTo(f *os.File, run *checkpointRun, cp *explore.Checkpoint) error {
	sum := sha256.New()
	if _, err := f.WriteString(checkpointHeader(sum)); err != nil { // takes the place of the true one
		return err
	}
	out := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
	text := json.NewEncoder(out)
	text.SetEscapeHTML(false)
	if err := text.Encode(run); err != nil {
		return err
	}
	if err := cp.Write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(checkpointHeader(sum)), 0)
	return err
}

const checkpointMagic = "cdpor-checkpoint "

func checkpointHeader(sum hash.Hash) string {
	return fmt.Sprintf("%s%d %x\n", checkpointMagic, checkpointVersion, sum.Sum(nil))
}

// readCheckpoint reads a checkpoint file.
func readCheckpoint(path string) (*checkpointRun, *explore.Checkpoint, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fault.FileError(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, nil, fault.Inputf("%s is a folder, not a file", path)
	}
	in := bufio.NewReader(io.LimitReader(f, int64(len(checkpointHeader(sha256.New())))))
	header, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fault.FileError(err)
	}
	rest, ok := strings.CutPrefix(header, checkpointMagic)
	number, _, _ := strings.Cut(rest, " ")
	if _, err := strconv.ParseUint(number, 10, 32); !ok || err != nil {
		return nil, nil, fault.Inputf("%s is no checkpoint: it does not begin with %s%d", path, checkpointMagic, checkpointVersion)
	}
	if number != fmt.Sprint(checkpointVersion) {
		return nil, nil, fault.Inputf("%s has version %s of the format; this cdpor reads version %d", path, number, checkpointVersion)
	}
	sum := sha256.New()
	if _, err := f.Seek(int64(len(header)), io.SeekStart); err != nil {
		return nil, nil, fault.FileError(err)
	}
	if _, err := io.Copy(sum, f); err != nil {
		return nil, nil, fault.FileError(err)
	}
	if header != checkpointHeader(sum) {
		return nil, nil, fault.Inputf("%s is damaged: its checksum is wrong", path)
	}
	if _, err := f.Seek(int64(len(header)), io.SeekStart); err != nil {
		return nil, nil, fault.FileError(err)
	}
	body := bufio.NewReaderSize(f, 1<<16)
	line, err := body.ReadBytes('\n')
	if err != nil {
		return nil, nil, fault.Inputf("%s is no checkpoint: %v", path, err)
	}
	run := &checkpointRun{}
	if err := json.Unmarshal(line, run); err != nil || run.Constraints == nil {
		return nil, nil, fault.Inputf("%s is no checkpoint: what it says of the run cannot be read", path)
	}
	cp, err := explore.ReadCheckpoint(body)
	if err != nil {
		return nil, nil, fault.Inputf("%s cannot be gone on with: %w (it was written by cdpor %s)", path, err, run.Cdpor)
	}
	return run, cp, nil
}

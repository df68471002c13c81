package checkpoint

import (
	"bufio"
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

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/explore"
)

// version is the version of the format of checkpoint files. That of the search has a version of its own.
const version = 1

// write replaces a file at once: whatever happens, there is the old one or the new one.
func write(path string, run *Run, cp *explore.Checkpoint) error {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return fault.FileErrorOf(path, err)
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fault.FileErrorOf(path, err)
	}
	err = writeTo(f, run, cp)
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
		return fault.FileErrorOf(path, err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // the name is in the folder
		_ = dir.Sync() // not every file system can
		dir.Close()
	}
	return nil
}

func writeTo(f *os.File, run *Run, cp *explore.Checkpoint) error {
	sum := sha256.New()
	if _, err := f.WriteString(header(sum)); err != nil { // takes the place of the true one
		return err
	}
	out := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
	text := json.NewEncoder(out)
	text.SetEscapeHTML(false)
	if err := text.Encode(run); err != nil {
		return err
	}
	if run.Ran == nil {
		if err := cp.Write(out); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(header(sum)), 0)
	return err
}

// Magic begins every checkpoint file.
const Magic = "cdpor-checkpoint "

func header(sum hash.Hash) string {
	return fmt.Sprintf("%s%d %x\n", Magic, version, sum.Sum(nil))
}

// Read reads a checkpoint file.
func Read(path string) (*Run, *explore.Checkpoint, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fault.FileError(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, nil, fault.Inputf("%s is a folder, not a file", path)
	}
	in := bufio.NewReader(io.LimitReader(f, int64(len(header(sha256.New())))))
	first, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fault.FileError(err)
	}
	rest, ok := strings.CutPrefix(first, Magic)
	number, _, _ := strings.Cut(rest, " ")
	if _, err := strconv.ParseUint(number, 10, 32); !ok || err != nil {
		if text, err := files.Read(path); err == nil {
			if other := files.Mistaken(path, text, "a checkpoint"); other != nil {
				return nil, nil, other
			}
		}
		return nil, nil, fault.Inputf("%s is no checkpoint: it does not begin with %s%d", path, Magic, version)
	}
	if number != fmt.Sprint(version) {
		return nil, nil, fault.Inputf("%s has version %s of the format; this cdpor reads version %d",
			path, number, version)
	}
	sum := sha256.New()
	if _, err := f.Seek(int64(len(first)), io.SeekStart); err != nil {
		return nil, nil, fault.FileError(err)
	}
	if _, err := io.Copy(sum, f); err != nil {
		return nil, nil, fault.FileError(err)
	}
	if first != header(sum) {
		return nil, nil, fault.Inputf("%s is damaged: its checksum is wrong", path)
	}
	if _, err := f.Seek(int64(len(first)), io.SeekStart); err != nil {
		return nil, nil, fault.FileError(err)
	}
	body := bufio.NewReaderSize(f, 1<<16)
	line, err := body.ReadBytes('\n')
	if err != nil {
		return nil, nil, fault.Inputf("%s is no checkpoint: %v", path, err)
	}
	run := &Run{}
	if err := json.Unmarshal(line, run); err != nil || run.Constraints == nil {
		return nil, nil, fault.Inputf("%s is no checkpoint: what it says of the run cannot be read", path)
	}
	if run.Ran != nil {
		return run, nil, nil
	}
	cp, err := explore.ReadCheckpoint(body)
	if err != nil {
		return nil, nil, fault.Inputf("%s cannot be gone on with: %w (it was written by cdpor %s)",
			path, err, run.Cdpor)
	}
	return run, cp, nil
}

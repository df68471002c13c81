// Package files reads and writes the files of a command line: read.go, write.go; programs.go finds the programs among
// them.
package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/lang"
)

// Reading the files of a command line. A pipe or a device may keep a reader waiting, which an interrupt must end.

// maxFile is the largest file that is read. The front end has a limit of its own; this one keeps it from being handed a
// disk.
const maxFile = 64 << 20

// StandardInput is how a command line calls it.
const StandardInput = "-"

// pipePatience is the time for which a command waits for a pipe before it says what it waits for.
const pipePatience = time.Second

// Read reads a file, a pipe, a device or, for "-", standard input, which can be asked for again.
func Read(path string) ([]byte, error) {
	if path == StandardInput {
		return readStandardInput()
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Inputf("%w%s", fault.FileError(err), near(path))
	case err != nil:
		return nil, fault.FileError(err)
	case info.IsDir():
		return nil, fault.Inputf("%s is a folder, not a file", path)
	case !info.Mode().IsRegular():
		return interruptible(path, func() ([]byte, error) { return readLimited(path) })
	case info.Size() > maxFile:
		return nil, tooLarge(path)
	}
	return readLimited(path)
}

// importPath is how a package is named in Go, such as example.org/module/package.
var importPath = regexp.MustCompile(`^[\w-]+\.[\w.-]+/`)

// near asks for a file of a like name beside one that is not there, or a folder where the name could be of one; empty
// if there is none.
func near(path string) string {
	stem := func(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
	entries, _ := os.ReadDir(filepath.Dir(path))
	wanted := stem(filepath.Base(path))
	best, name := 1+(len(wanted)+1)/4, ""
	for _, e := range entries {
		meant := e.Type().IsRegular() || e.IsDir() && filepath.Ext(path) == ""
		if d := lang.EditDistance(wanted, stem(e.Name())); d < best && meant {
			best, name = d, e.Name()
		}
	}
	switch {
	case name == "" && strings.HasPrefix(path, "Test"):
		return "; one test is run by cdpor run . --func " + path
	case name == "" && importPath.MatchString(path):
		return "; a Go package is named by its folder, such as . or ./pkg"
	case name == "":
		return ""
	}
	meant := filepath.Join(filepath.Dir(path), name)
	if strings.HasPrefix(path, "./") {
		meant = "./" + meant
	}
	return "; did you mean " + meant + "?"
}

func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.FileError(err)
	}
	defer f.Close()
	return readAll(path, f)
}

// readAll reads what there is, up to the limit.
func readAll(name string, from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err != nil {
		return nil, fault.FileError(err)
	}
	if len(text) > maxFile {
		return nil, tooLarge(name)
	}
	return text, nil
}

func tooLarge(path string) error {
	return fault.Inputf("%s has more than %d bytes", path, maxFile)
}

var readStandardInput = sync.OnceValues(func() ([]byte, error) {
	return interruptible("standard input", func() ([]byte, error) { return readAll("standard input", os.Stdin) })
})

// interruptible reads what may keep it waiting. It says so after a while, and an interrupt ends the command.
func interruptible(name string, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupt)
	late := time.After(pipePatience)
	for {
		select {
		case r := <-done:
			return r.text, r.err
		case <-late:
			fmt.Fprintf(os.Stderr, "cdpor: waiting for %s, a pipe without a writer yet; Ctrl-C ends\n", name)
		case <-interrupt:
			return nil, fault.ExitIncomplete
		}
	}
}

// Changed reports whether a file is still there and has another text now.
func Changed(path, text string) bool {
	now, err := os.ReadFile(path)
	return err == nil && string(now) != text
}

// Exists reports whether there is a file or a folder.
func Exists(path string) bool {
	_, err := os.Stat(strings.TrimSuffix(path, "/..."))
	return err == nil
}

// Git runs git in a folder and returns its output.
func Git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &said
	out, err := cmd.Output()
	if err != nil {
		return "", fault.Inputf("git %s: %w\n%s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}

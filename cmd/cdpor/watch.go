package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
)

// watchPeriod is how often files are looked at for a change.
const watchPeriod = 200 * time.Millisecond

var errFileChanged = errors.New("a file has changed")

// watch runs the command again whenever the program or its constraint file changes, also in the middle of a run, until
// an interrupt. The exit code is that of the last run.
func (c *runCommand) watch(e *environment.Environment) error {
	if _, err := os.Stat(c.Program); err != nil { // more likely a slip than a file that is about to come
		return fault.FileError(err)
	}
	files := []string{c.Program, source.FileBeside(c.Program)}
	if c.Constraints != "" {
		files[1] = c.Constraints
	}
	interrupted := e.Context
	defer func() { e.Context = interrupted }()
	for {
		seen := stamps(files)
		ctx, cancel := context.WithCancelCause(interrupted)
		go func() {
			awaitChange(ctx, files, seen)
			cancel(errFileChanged)
		}()
		e.Context = ctx
		var code fault.Code
		if s, ok := e.Stdout.(*terminal.Sink); ok {
			s.Renew()
		}
		if err := c.once(e); err != nil {
			code = e.End(err)
		}
		if interrupted.Err() == nil && ctx.Err() == nil {
			fmt.Fprintf(e.Stderr, "cdpor: waiting for a change of %s or %s; Ctrl-C leaves\n", files[0], files[1])
		}
		<-ctx.Done()
		switch {
		case code == fault.ExitInternal, interrupted.Err() != nil && code != fault.ExitOK:
			return code
		case interrupted.Err() != nil:
			return nil
		}
		if !c.JSON && terminal.IsTerminal(e.Stdout) {
			// home, clear the screen, clear what has been scrolled away
			fmt.Fprint(e.Stdout, terminal.Control("\x1b[H\x1b[2J\x1b[3J"))
		}
	}
}

// A stamp tells versions of a file apart.
type stamp struct {
	exists   bool
	modified time.Time
	size     int64
}

func stamps(files []string) (list [2]stamp) {
	for i, path := range files {
		if info, err := os.Stat(path); err == nil {
			list[i] = stamp{true, info.ModTime(), info.Size()}
		}
	}
	return list
}

// awaitChange returns when files have changed and then kept still for a moment, so that nothing is read that is half
// written. It returns as well when the context ends.
func awaitChange(ctx context.Context, files []string, seen [2]stamp) {
	tick := time.NewTicker(watchPeriod)
	defer tick.Stop()
	before := seen
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := stamps(files)
		if now != seen && now == before {
			return
		}
		before = now
	}
}

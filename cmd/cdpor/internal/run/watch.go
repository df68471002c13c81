package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
)

// watchPeriod is the interval at which files are looked at for a change.
const watchPeriod = 200 * time.Millisecond

var errFileChanged = errors.New("a file has changed")

// watch runs the command again whenever the program or its constraint file changes, also in the middle of a run, until
// an interrupt. The exit code is that of the last run.
func (c *Command) watch(e *environment.Environment) error {
	// A file that is not there is more likely a slip than one that is about to come.
	if _, err := os.Stat(strings.TrimSuffix(c.Program, "/...")); err != nil {
		return fault.FileError(err)
	}
	front := c.frontEnd()
	interrupted := e.Context
	defer func() { e.Context = interrupted }()
	for {
		files := front.watched(interrupted, c)
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
			fmt.Fprintf(e.Stderr, "cdpor: waiting for a change of %s; Ctrl-C leaves\n", strings.Join(files, " or "))
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
	modified time.Time
	size     int64
}

// stamps are those of files, some of them given by a pattern.
func stamps(files []string) map[string]stamp {
	list := map[string]stamp{}
	for _, pattern := range files {
		paths := []string{pattern}
		if strings.HasSuffix(pattern, "/*.go") {
			paths, _ = filepath.Glob(pattern)
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil {
				list[path] = stamp{info.ModTime(), info.Size()}
			}
		}
	}
	return list
}

// awaitChange returns when files have changed and then kept still for a moment, so that nothing is read that is half
// written. It returns as well when the context ends.
func awaitChange(ctx context.Context, files []string, seen map[string]stamp) {
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
		if !maps.Equal(now, seen) && maps.Equal(now, before) {
			return
		}
		before = now
	}
}

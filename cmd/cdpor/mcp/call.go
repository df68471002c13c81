package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A call is a command line of cdpor, without --json.
type call struct {
	args    []string
	seconds *int   // that the agent grants, nil: as many as the server does
	file    string // that it writes, which is the text of the result
	whole   bool   // a list is wanted as a whole
}

const (
	maxOutput = 32 << 20 // bytes that a call prints at most
	maxList   = 20       // elements of a list in a result, and if that is much
	minList   = 3
	maxWhole  = 1000      // of what is listed as a whole
	much      = 256 << 10 // bytes
	grace     = 10 * time.Second
)

// run runs cdpor on the copied files.
func (s *server) run(ctx context.Context, c *copied, made *call) (*result, error) {
	limit := s.Timeout
	if n := made.seconds; n != nil && *n <= 0 {
		return nil, errors.New("timeout_seconds must be more than 0")
	} else if n != nil {
		limit = min(limit, time.Duration(min(*n, 1<<30))*time.Second)
	}
	args := append(made.args, "--json", "--config="+os.DevNull)
	switch args[0] {
	case "run":
		args = append(args, "--timeout="+limit.String(), "--max-memory="+s.Memory)
	case "synth", "check":
		args = append(args, "--timeout="+limit.String())
	}
	ctx, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Program, args...)
	stdout, stderr := limited{left: maxOutput}, limited{left: much}
	cmd.Args[0], cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.Name, c.place(), s.environment(c), &stdout, &stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, grace
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return nil, fmt.Errorf("cdpor does not run: %w", err)
	}
	out := &result{ExitCode: cmd.ProcessState.ExitCode(), Messages: s.named(c, stderr.String())}
	out.Meaning = cmp.Or(meanings[out.ExitCode], "cdpor was ended: "+cmd.ProcessState.String())
	if stdout.left == 0 {
		return nil, fmt.Errorf("the result has more than %d bytes: bound the search", maxOutput)
	}
	if text := stdout.String(); strings.HasPrefix(text, "{") {
		if err := json.Unmarshal([]byte(s.named(c, text)), &out.Result); err != nil {
			return nil, fmt.Errorf("no result: %w", err)
		}
	}
	if made.file != "" {
		if text, err := os.ReadFile(filepath.Join(c.dir, made.file)); err == nil {
			out.Text = s.named(c, string(text))
		}
	}
	most := maxList
	if made.whole {
		most = maxWhole
	}
	for _, most := range []int{most, minList} {
		cut(out.Result, most, "", &out.Cut)
		if text, err := json.Marshal(out.Result); err != nil || len(text) <= much {
			break
		}
	}
	slices.Sort(out.Cut)
	return out, nil
}

// environment is that of cdpor, without settings of it. Go may neither fetch anything, nor run another tool chain or a
// C compiler, nor look at a workspace.
func (s *server) environment(c *copied) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CDPOR_") })
	if dir, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		env = append(env, "GOCACHE="+filepath.Join(dir, "go-build"))
	}
	return append(env, "CDPOR_NO_RUN=1", "CGO_ENABLED=0", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=",
		"GOENV=off", "NO_COLOR=1", "XDG_CACHE_HOME="+s.cache, "TMPDIR="+c.dir, "GOMEMLIMIT=2GiB")
}

// flags matches messages about flags that no agent has written: --save is none of its arguments.
var flags = regexp.MustCompile(`(?m)^cdpor: --save: .*\n|--(show) `)

// named is a text with the folder in the place of that with its copies, and arguments in that of flags.
func (s *server) named(c *copied, text string) string {
	if c.from != nil {
		text = strings.ReplaceAll(text, c.place(), c.from.path)
	}
	text = flags.ReplaceAllStringFunc(text, func(of string) string {
		if of == "--show " {
			return "outcome "
		}
		return ""
	})
	return strings.ReplaceAll(text, c.dir+string(filepath.Separator), "")
}

func (c *copied) remove() { os.RemoveAll(c.dir) }

// cut leaves the beginnings of long lists.
func cut(v any, most int, at string, said *[]string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, part := range v {
			v[name] = cut(part, most, strings.TrimPrefix(at+"."+name, "."), said)
		}
	case []any:
		if len(v) > most {
			*said = append(*said, fmt.Sprintf("%s: %d of %d", at, most, len(v)))
			v = v[:most]
		}
		for i, part := range v {
			v[i] = cut(part, most, fmt.Sprintf("%s[%d]", at, i), said)
		}
		return v
	}
	return v
}

// A limited buffer keeps the first bytes.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.Buffer.Write(p[:n])
	return len(p), nil
}

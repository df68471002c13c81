package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cdpor/explore/replay"
)

// A program is the subject of most tools: a file, or a text.
type program struct {
	Program    string            `json:"program,omitempty" jsonschema:"path of a program in YAML, or of the folder of a Go package; a module must be in the same folder of the server"`
	Text       string            `json:"text,omitempty" jsonschema:"in place of program: the text of a program in YAML"`
	Func       string            `json:"func,omitempty" jsonschema:"of a Go package: the test to begin with"`
	Parameters map[string]string `json:"parameters,omitempty" jsonschema:"of a program in YAML: values of its params"`
	Seconds    *int              `json:"timeout_seconds,omitempty" jsonschema:"stop after so long"`
}

// inText is the file name of a program that was given as a text.
const inText = "program.yaml"

// beside is the name of its constraint file.
const beside = ".constraints.yaml"

// copy copies the files of a program, and begins a command line for it.
func (p *program) copy(s *server, c *copied, command string) (*call, error) {
	made := &call{args: []string{command}, seconds: p.Seconds}
	path := inText
	switch {
	case (p.Program == "") == (p.Text == ""):
		return nil, errors.New("give either program or text")
	case p.Text != "":
		if err := c.write(inText, []byte(p.Text)); err != nil {
			return nil, err
		}
	default:
		f, name, err := s.find(p.Program)
		if err != nil {
			return nil, err
		}
		path = name
		if info, err := f.root.Stat(name); err == nil && info.IsDir() {
			if err := c.module(f, name); err != nil {
				return nil, err
			}
			if strings.HasSuffix(p.Program, "/...") {
				path += "/..."
			}
			break
		}
		if err := c.file(f, name); err != nil {
			return nil, err
		}
		constraints := strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".yml") + beside
		if _, err := f.root.Lstat(constraints); err == nil {
			if err := c.file(f, constraints); err != nil {
				return nil, err
			}
		}
	}
	made.args = append(made.args, "./"+filepath.ToSlash(path))
	if p.Func != "" {
		made.args = append(made.args, "--func="+p.Func)
	}
	for name, value := range p.Parameters {
		made.args = append(made.args, "--param="+name+"="+value)
	}
	return made, nil
}

// other copies a further file, given by its path or its text, under a name, and returns what the command line calls it.
func (s *server) other(c *copied, path, text, name string) (string, error) {
	if (path == "") == (text == "") {
		return "", fmt.Errorf("give %s either as a file or as a text", name)
	}
	content := []byte(text)
	if path != "" {
		f, at, err := s.find(path)
		if err != nil {
			return "", err
		}
		if content, err = f.read(at); err != nil {
			return "", err
		}
	}
	full := filepath.Join(c.dir, name)
	return full, os.WriteFile(full, content, 0o600)
}

type runInput struct {
	program
	Algorithm     string `json:"algorithm,omitempty" jsonschema:"auto if left out; explain tells about others"`
	MaxExecutions int    `json:"max_executions,omitempty" jsonschema:"stop after so many"`
	MaxDepth      int    `json:"max_depth,omitempty" jsonschema:"cut executions after so many steps"`
	NoConstraints bool   `json:"no_constraints,omitempty" jsonschema:"explore without constraints"`
	Outcome       int    `json:"outcome,omitempty" jsonschema:"give the schedule of the outcome of this number as text, in place of that of a violation"`
}

type replayInput struct {
	program
	File     string `json:"file,omitempty" jsonschema:"path of a replay file, in place of program and schedule"`
	Schedule string `json:"schedule,omitempty" jsonschema:"as run gives it, such as 0,1,1,0"`
}

type checkInput struct {
	program
	Constraints     string `json:"constraints,omitempty" jsonschema:"path of the constraint file"`
	ConstraintsText string `json:"constraints_text,omitempty" jsonschema:"its text, in place of that"`
}

type diffInput struct {
	checkInput
	Older     string `json:"older,omitempty" jsonschema:"path of the older constraint file, or of the older program"`
	OlderText string `json:"older_text,omitempty" jsonschema:"its text, in place of that"`
}

type explainInput struct {
	What string `json:"what,omitempty" jsonschema:"a code such as W001, the name of an algorithm, or algorithms; left out: lists the codes"`
}

type examplesInput struct {
	Name string `json:"name,omitempty" jsonschema:"the program whose text is wanted; left out: lists all"`
}

// schedules are written so; a file is none.
var schedules = regexp.MustCompile(`^[0-9(][0-9,.*/()]*$`)

// words are names of codes, algorithms and examples.
var words = regexp.MustCompile(`^[A-Za-z0-9][\w./-]*$`)

// tools adds the tools.
func (s *server) tools(to *sdk.Server) {
	add(s, to, "run", "Explore a program or a Go test in every order of its steps that makes a difference: outcomes, "+
		"violations and their schedules. The text of the result is the replay file of the first violation.",
		func(c *copied, in *runInput) (*call, error) {
			made, err := in.copy(s, c, "run")
			if err != nil {
				return nil, err
			}
			if in.Algorithm != "" {
				made.args = append(made.args, "--algorithm="+in.Algorithm)
			}
			if in.NoConstraints {
				made.args = append(made.args, "--no-constraints")
			}
			for flag, n := range map[string]int{"max-executions": in.MaxExecutions, "max-depth": in.MaxDepth,
				"show": in.Outcome} {
				if n != 0 {
					made.args = append(made.args, fmt.Sprintf("--%s=%d", flag, n))
				}
			}
			info, err := os.Stat(filepath.Join(c.place(), made.args[1]))
			if err == nil && (!info.IsDir() || in.Func != "") {
				made.file = "found.replay.yaml"
				made.args = append(made.args, "--save="+filepath.Join(c.dir, made.file))
			}
			return made, nil
		})
	add(s, to, "replay", "Follow one schedule and tell every step: what it reads and writes, who waits for what, and "+
		"what is wrong at the end.", s.replay)
	add(s, to, "synth", "Find the constraints under which pairs of steps commute. The text of the result is the "+
		"constraint file; nothing is written.", func(c *copied, in *program) (*call, error) {
		made, err := in.copy(s, c, "synth")
		if err == nil {
			made.file = "found.constraints.yaml"
			made.args = append(made.args, "-o", filepath.Join(c.dir, made.file))
		}
		return made, err
	})
	add(s, to, "check", "Prove the entries of a constraint file, or refute them with a state.",
		func(c *copied, in *checkInput) (*call, error) { return in.check(s, c) })
	add(s, to, "diff", "Compare two constraint files of a program by what they mean, or its constraints with "+
		"those of an older version.",
		func(c *copied, in *diffInput) (*call, error) {
			made, err := in.check(s, c)
			if err != nil {
				return nil, err
			}
			older, err := s.other(c, in.Older, in.OlderText, "older"+beside)
			made.args = append(made.args, "--against="+older)
			return made, err
		})
	add(s, to, "explain", "Explain the code of an error or a remark with an example, or an algorithm.",
		func(_ *copied, in *explainInput) (*call, error) { return named("explain", nil, in.What) })
	add(s, to, "examples", "List the programs that are part of cdpor, or give the text of one.",
		func(_ *copied, in *examplesInput) (*call, error) {
			if in.Name == "" {
				return named("examples", []string{"list"}, "")
			}
			return named("examples", []string{"show"}, in.Name)
		})
}

// named is a call with a word, if there is one.
func named(command string, args []string, word string) (*call, error) {
	made := &call{args: append([]string{command}, args...), whole: true}
	switch {
	case word == "":
	case !words.MatchString(word):
		return nil, fmt.Errorf("%q is no name", word)
	default:
		made.args = append(made.args, word)
	}
	return made, nil
}

func (in *checkInput) check(s *server, c *copied) (*call, error) {
	made, err := in.copy(s, c, "check")
	if err != nil {
		return nil, err
	}
	file, err := s.other(c, in.Constraints, in.ConstraintsText, "given"+beside)
	made.args = append(made.args, file)
	return made, err
}

// replay prepares to follow a schedule. What a replay file says of where its program is does not count: one of YAML is
// in the file, a Go package is named.
func (s *server) replay(c *copied, in *replayInput) (*call, error) {
	if in.File == "" {
		if !schedules.MatchString(in.Schedule) {
			return nil, fmt.Errorf("%q is no schedule", in.Schedule)
		}
		made, err := in.copy(s, c, "run")
		if err == nil {
			made.args = append(made.args, "--schedule="+in.Schedule)
		}
		return made, err
	}
	f, at, err := s.find(in.File)
	if err != nil {
		return nil, err
	}
	text, err := f.read(at)
	if err != nil {
		return nil, err
	}
	r, err := replay.Decode(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is no replay file", in.File)
	case r.Go != nil && r.Go.Engine == "run":
		return nil, errors.New("the schedule is of a test that is executed, and cdpor mcp executes nothing")
	case r.Go != nil && in.Program == "":
		return nil, errors.New("name the folder of the Go package in program")
	case r.Go == nil:
		in.program = program{Text: r.Text, Seconds: in.Seconds}
	}
	r.Program = "./" + inText
	made, err := in.copy(s, c, "run")
	if err != nil {
		return nil, err
	}
	var again bytes.Buffer
	if err := r.Encode(&again); err != nil {
		return nil, err
	}
	name, err := s.other(c, "", again.String(), "given.replay.yaml")
	made.args = append(made.args[:2], "--schedule="+name)
	return made, err
}

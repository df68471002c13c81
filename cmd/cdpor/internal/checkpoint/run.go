package checkpoint

import (
	"cmp"
	"time"

	"cdpor/cmd/cdpor/internal/source"
	"cdpor/constraints"
	"cdpor/explore/native"
	"cdpor/lang/step"
)

// A Run has the input of a run: the program, its flags and constraints.
type Run struct {
	Cdpor       string   // the version that wrote it
	Program     string   // where the program came from
	Param       []string `json:",omitempty"` // NAME=VALUE, as given on the command line
	Atomicity   string   `json:",omitempty"` // if given on the command line
	Text        string   // of the program
	Go          *Go      `json:",omitempty"` // of a Go program, which is read where it is, in place of the text
	Constraints *Constraints
	Ran         *native.Saved `json:",omitempty"` // the search of a test that is executed, in place of the other one
	Simulated   []string      `json:",omitempty"` // schedules that showed something wrong before the search
	Every       time.Duration // how often checkpoints are written; 0: when the search is interrupted
	Spent       time.Duration // exploring
}

// Go says which Go program a run is about, beside the path of its package.
type Go struct {
	Func        string
	Given       string         `json:",omitempty"` // --func, as it was given
	Bounds      map[string]int `json:",omitempty"`
	NoRaces     bool           `json:",omitempty"`
	EarlyTimers bool           `json:",omitempty"`
	Binary      string         `json:",omitempty"` // digest of the tests with gates, where they are executed
}

// Constraints are those of a run as text.
type Constraints struct {
	Text   string `json:",omitempty"` // of a constraint file; none if empty
	Trust  source.Trust
	Origin string
	Path   string        `json:",omitempty"`
	Time   time.Duration `json:",omitempty"`
}

// SaveConstraints is the constraints of a run as text.
func SaveConstraints(k *source.Source) *Constraints {
	c := &Constraints{Trust: k.Trust, Origin: k.Origin, Path: k.Path, Time: k.Time}
	if k.Set != nil {
		c.Text = string(k.Set.Format())
	}
	return c
}

// Source makes the constraints of the program again.
func (c *Constraints) Source(prog *step.Program) (*source.Source, error) {
	k := &source.Source{Trust: c.Trust, Origin: c.Origin, Path: c.Path, Time: c.Time}
	if c.Text == "" {
		return k, nil
	}
	var err error
	if k.Set, err = constraints.Load(prog, cmp.Or(c.Path, "constraints"), []byte(c.Text)); err != nil {
		return nil, err
	}
	return k, nil
}

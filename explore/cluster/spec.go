package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/cluster/build"
	"cdpor/explore/distributed"
	"cdpor/lang/step"
)

// A Spec says what is searched, and how. It is all that a worker needs.
type Spec struct {
	Build       string // which cdpor it is of
	Title       string // for people: the program, and its parameters
	Program     []byte // as step.Carry writes it
	Constraints string `json:",omitempty"` // a constraint file, empty: none
	Algorithm   string
	Covering    bool `json:",omitempty"` // executions note what they go through
	// Options of the search.
	MaxExecutions int64 `json:",omitempty"`
	MaxDepth      int   `json:",omitempty"`
	Preemptions   *int  `json:",omitempty"`
	Seed          int64 `json:",omitempty"`
	NoAnticipate  bool  `json:",omitempty"`
	NoGuide       bool  `json:",omitempty"`
	Visited       bool  `json:",omitempty"`
	VisitedMemory int64 `json:",omitempty"`
	StopAtFirst   bool  `json:",omitempty"`
	// Origins are the names that the submitter's machine has given to the processes it has started.
	Origins [][]step.Origin `json:",omitempty"`
	// Back lets the submitter come back to the job.
	Back []byte `json:",omitempty"`
}

// NewSpec is the search of a machine by an algorithm. The error says why it cannot be cut into tasks. Conditions of
// the options must be those of the constraint file.
func NewSpec(m *step.Machine, a *explore.Algorithm, opt explore.Options, file string) (*Spec, error) {
	build, err := Build()
	if err != nil {
		return nil, err
	}
	if _, err := distributed.NewFindings(context.Background(), m.Fresh(), a, explore.Options{
		Visited: opt.Visited, Symmetry: opt.Symmetry, Observer: opt.Observer}); err != nil {
		return nil, err
	}
	s := &Spec{Build: build, Program: step.Carry(m.Program), Constraints: file, Algorithm: a.Name,
		MaxExecutions: opt.MaxExecutions, MaxDepth: opt.MaxDepth, Seed: opt.Seed, NoAnticipate: opt.NoAnticipate,
		NoGuide: opt.NoGuide, Visited: opt.Visited, VisitedMemory: opt.VisitedMemory, StopAtFirst: opt.StopAtFirst,
		Covering: m.Covering()}
	if origins := m.Origins(); len(slices.Concat(origins...)) > 0 {
		s.Origins = origins
	}
	if opt.Preempt {
		s.Preemptions = &opt.Preemptions
	}
	return s, nil
}

// options are those of a search by one worker.
func (s *Spec) options() explore.Options {
	opt := explore.Options{MaxDepth: s.MaxDepth, Seed: s.Seed, NoAnticipate: s.NoAnticipate, NoGuide: s.NoGuide,
		Visited: s.Visited, VisitedMemory: s.VisitedMemory}
	if opt.Preempt = s.Preemptions != nil; opt.Preempt {
		opt.Preemptions = *s.Preemptions
	}
	return opt
}

// Machine makes the machine of the program.
func (s *Spec) Machine() (m *step.Machine, err error) {
	if build, err := Build(); err != nil || build != s.Build {
		return nil, errors.Join(err, &OtherBuild{s.Build, build})
	}
	err = guarded(func() error {
		p, err := step.Uncarry(s.Program)
		if err != nil {
			return err
		}
		if s.Covering {
			m, err = step.NewCoveringMachine(p)
		} else {
			m, err = step.NewMachine(p)
		}
		return err
	})
	return m, err
}

// Search returns the algorithm and the options of a search on a machine of the program.
func (s *Spec) Search(m *step.Machine) (a *explore.Algorithm, opt explore.Options, err error) {
	opt = s.options()
	if a, err = explore.Find(s.Algorithm); err != nil || s.Constraints == "" {
		return a, opt, err
	}
	err = guarded(func() error {
		set, err := constraints.Load(m.Program, "the constraints of the job", []byte(s.Constraints))
		if err == nil {
			opt.Conditions = set.Compile(m)
		}
		return err
	})
	return a, opt, err
}

// OtherBuild is the error of a job that another build of cdpor has made. They need not explore the same tree.
type OtherBuild struct{ Job, This string }

func (e *OtherBuild) Error() string {
	return fmt.Sprintf("the job is of another build of cdpor (%s; this is %s): use the same binary for all",
		e.Job, e.This)
}

// Build identifies this build of cdpor, in so few digits that people can compare them.
func Build() (string, error) {
	digest, err := build.Digest()
	if err != nil {
		return "", err
	}
	return digest[:16], nil
}

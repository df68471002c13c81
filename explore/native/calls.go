package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// Types of the user's own whose methods are taken for one step each. Beside the package under test stands a model,
// TYPE.atomic.yaml, with a thread for each method, and what cdpor synth has proved of it, TYPE.atomic.constraints.yaml.
// Two calls are independent if their constraint is true, or says that the keys of the calls differ. So what is known
// of two calls does not depend on what others do, and is uniform.
//
// Assumed are three things that are not proved here: each call is a step, the model is what the methods do, and keys
// are told apart as the model's few are.

// Calls are what is known of calls that are taken for one step.
type Calls struct {
	Types   []native.Whole
	methods []callTouches // by number
}

// A callTouch is a place of an object for a pair of methods, or one for each key.
type callTouch struct {
	pair         int
	byKey, write bool
}

type callTouches []callTouch

const atomicModel = ".atomic.yaml"

// LoadCalls reads the models beside a package; nil: there are none.
func LoadCalls(dir string) (*Calls, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+atomicModel))
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	c := &Calls{}
	for _, path := range paths {
		if err := c.load(path); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Assumes says in a line what is assumed.
func (c *Calls) Assumes() string {
	var names []string
	for _, t := range c.Types {
		names = append(names, t.Type)
	}
	return "each call of a method of " + strings.Join(names, ", ") +
		" is one step, as its model beside the package says"
}

func (c *Calls) load(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	source, err := lang.Load(path, text, lang.Options{})
	if err != nil {
		return err
	}
	file := strings.TrimSuffix(path, ".yaml") + ".constraints.yaml"
	if text, err = os.ReadFile(file); err != nil {
		return fmt.Errorf("%w; cdpor synth %s writes it", err, path)
	}
	set, err := constraints.Load(source.Program, file, text)
	if err != nil {
		return err
	}
	if set.Stale() || set.HasManual() || !set.Headed() || len(set.Edited()) > 0 {
		return fmt.Errorf("%s is not as cdpor has written and proved it for %s; cdpor synth %[2]s does that again",
			file, path)
	}
	var steps []*step.Step
	of := native.Whole{Type: strings.TrimSuffix(filepath.Base(path), atomicModel)}
	for _, t := range source.Program.Templates {
		s, err := methodStep(t)
		if err != nil {
			return fmt.Errorf("%s: thread %s %w", path, t.Name, err)
		}
		steps = append(steps, s)
		of.Methods = append(of.Methods, native.WholeMethod{Name: t.Name, Number: len(c.methods)})
		c.methods = append(c.methods, nil)
	}
	for _, f := range set.Assumed {
		if f.At != nil && mentionsSelf(f.That) {
			return fmt.Errorf("%s: %s holds for few calls only; a thread should take any key", path, f)
		}
	}
	for i, a := range steps {
		for j := i; j < len(steps); j++ {
			if err := c.relate(&of, set, i, j, a, steps[j]); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	c.Types = append(c.Types, of)
	return nil
}

// methodStep is the only step of a thread that has a label.
func methodStep(t *step.Template) (found *step.Step, err error) {
	for _, s := range t.Steps {
		if _, err := strconv.Atoi(s.Label); err == nil {
			continue
		}
		if found != nil {
			return nil, errors.New("has two steps with labels, and a call is one")
		}
		found = s
	}
	if found == nil {
		return nil, errors.New("has no step with a label, which would be the call")
	}
	return found, nil
}

// relate notes when two methods of a type are in conflict.
func (c *Calls) relate(of *native.Whole, set *constraints.Set, i, j int, a, b *step.Step) error {
	p, q, how := conflictOf(set, a, b)
	if how == free {
		return nil
	}
	if how == sameKey {
		for _, one := range []struct {
			method int
			key    string
		}{{i, p}, {j, q}} {
			m := &of.Methods[one.method]
			if m.Key != "" && m.Key != one.key {
				return fmt.Errorf("%s and %s are both keys of %s", m.Key, one.key, m.Name)
			}
			m.Key = one.key
		}
	}
	m, n := of.Methods[i].Number, of.Methods[j].Number
	pair := m<<8 | n
	if i == j {
		c.methods[m] = append(c.methods[m], callTouch{pair, how == sameKey, true})
		return nil
	}
	// One of them writes at least: who is in conflict with itself there anyway, or loses least by that.
	costA, costB := costOfWriting(set, a, how), costOfWriting(set, b, how)
	c.methods[m] = append(c.methods[m], callTouch{pair, how == sameKey, costA == 0 || costA < costB})
	c.methods[n] = append(c.methods[n], callTouch{pair, how == sameKey, costB == 0 || costB <= costA})
	return nil
}

// A callConflict says when two calls are in conflict.
type callConflict int

const (
	free callConflict = iota
	sameKey
	always
)

// conflictOf is that of two steps, and the keys.
func conflictOf(set *constraints.Set, a, b *step.Step) (p, q string, how callConflict) {
	pair, swapped := set.Find(a, b)
	if pair == nil {
		return "", "", always
	}
	if constraints.IsTrue(pair.Uniform) {
		return "", "", free
	}
	p, q, apart := differ(pair.Uniform)
	if swapped {
		p, q = q, p
	}
	if !apart {
		return "", "", always
	}
	return p, q, sameKey
}

// costOfWriting says what it costs if calls of a method write a place that they share with another method: those of
// its own are in conflict there, too.
func costOfWriting(set *constraints.Set, a *step.Step, how callConflict) int {
	_, _, own := conflictOf(set, a, a)
	switch {
	case own >= how:
		return 0
	case own == free:
		return 1
	}
	return 2
}

// differ reports whether a condition holds where parameters of two calls differ, and which.
func differ(e *step.Expr) (p, q string, yes bool) {
	switch e.Op {
	case step.Or:
		for _, part := range e.Args {
			if p, q, yes = differ(part); yes {
				return p, q, true
			}
		}
	case step.Ne:
		a, b := e.Args[0], e.Args[1]
		if a.Of == step.Q {
			a, b = b, a
		}
		local := func(e *step.Expr, of int) bool { return e.Op == step.VarRef && !e.Var.Shared && e.Of == of }
		if local(a, step.P) && local(b, step.Q) {
			return a.Var.Name, b.Var.Name, true
		}
	}
	return "", "", false
}

func mentionsSelf(e *step.Expr) bool {
	if e.Op == step.Self || e.Op == step.Me {
		return true
	}
	for _, a := range e.Args {
		if mentionsSelf(a) {
			return true
		}
	}
	return false
}

// accesses calls slot for the places that a call touches.
func (c *Calls) accesses(method, key int, slot func(k int, write bool)) {
	for _, t := range c.methods[method] {
		k := t.pair * 8191
		if t.byKey {
			k += 1 + key
		}
		slot(k, t.write)
	}
}

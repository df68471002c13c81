package constraints

import (
	"regexp"
	"strings"
	"sync"

	"cdpor/lang/step"
)

// A step without a label is called by a number, which changes when a statement is inserted before it. A file says what
// such steps are, so that an entry finds its steps again.

// A statement is a step without a label, as it stands in a file.
type statement struct{ name, text string }

var numberedLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|\.)\d+$`) })

// mentioned lists the steps without a label that the file of a set names, so that it grows by these only.
func (s *Set) mentioned() []statement {
	named := map[*step.Step]bool{}
	for _, p := range s.Pairs {
		if !(p.Status == Exact && Independent(p.A, p.B)) {
			named[p.A], named[p.B] = true, true
		}
	}
	for _, f := range s.Assumed {
		named[f.At], named[f.With] = true, true
	}
	return statements(s.Program, func(st *step.Step) bool { return named[st] })
}

// statements lists the steps of a program without a label for which f holds.
func statements(prog *step.Program, f func(*step.Step) bool) (list []statement) {
	for _, t := range prog.Templates {
		for _, s := range t.Steps {
			if text := t.Nodes[s.Entry].Text; text != "" && numberedLabel().MatchString(s.Label) && f(s) {
				list = append(list, statement{s.Name(), text})
			}
		}
	}
	return list
}

// foundAgain says which step of a program each statement of a file is now: the one with its text. Of several with one
// text the order decides, if there are as many as before. A statement that is not found is the step that has its name,
// unless this is another one now; nil if there is none.
func foundAgain(old []statement, prog *step.Program) map[string]*step.Step {
	steps := map[string]*step.Step{}
	for _, t := range prog.Templates {
		for _, s := range t.Steps {
			steps[s.Name()] = s
		}
	}
	thread := func(name string) (of string) {
		for _, t := range prog.Templates {
			if strings.HasPrefix(name, t.Name+".") && len(t.Name) > len(of) {
				of = t.Name
			}
		}
		return of
	}
	before, after := map[statement][]string{}, map[statement][]string{}
	for _, s := range old {
		key := statement{thread(s.name), s.text}
		before[key] = append(before[key], s.name)
	}
	for _, s := range statements(prog, func(*step.Step) bool { return true }) {
		key := statement{thread(s.name), s.text}
		after[key] = append(after[key], s.name)
	}
	now, taken := map[string]*step.Step{}, map[*step.Step]bool{}
	for key, names := range before {
		for i, name := range names {
			if len(names) == len(after[key]) {
				s := steps[after[key][i]]
				now[name], taken[s] = s, true
			}
		}
	}
	for _, s := range old {
		if now[s.name] != nil {
			continue
		}
		if now[s.name] = steps[s.name]; taken[steps[s.name]] {
			now[s.name] = nil // known, and gone
		}
	}
	return now
}

// NameOf is what the file of a set calls a step: by another number, where statements were inserted since.
func (s *Set) NameOf(st *step.Step) string {
	if name, known := s.was[st]; known {
		return name
	}
	return st.Name()
}

// nameNow is what a step of the file of a set is called now; empty if it is gone.
func (s *Set) nameNow(name string) string {
	switch now, known := s.now[name]; {
	case !known:
		return name
	case now == nil:
		return ""
	default:
		return now.Name()
	}
}

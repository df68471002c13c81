package lower

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"
)

var placed = regexp.MustCompile(`^\S+\.go:\d+:\d+: `)

// refusals collects the messages on constructs that are not supported.
type refusals struct {
	src    *source.Program
	errors []string
}

// refuse notes something that is not supported.
func (f *refusals) refuse(pos token.Pos, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !placed.MatchString(text) { // what is not supported is a type, say, which is used here
		text = f.where(pos) + ": " + text
	}
	for _, e := range f.errors {
		if e == text {
			return
		}
	}
	f.errors = append(f.errors, text)
}

// refuseIn notes something that is not supported in an instance. In the library it is the call that the user's code
// makes of it, once for all that is in its way.
func (f *refusals) refuseIn(in *pointsto.Instance, pos token.Pos, format string, args ...any) {
	if !f.src.InLibrary(pos) {
		f.refuse(pos, format, args...)
		return
	}
	for x := in; x != nil && x.Site != nil; x = x.Caller {
		if f.src.InLibrary(x.Site.Pos()) || !x.Site.Pos().IsValid() {
			continue
		}
		text := fmt.Sprintf("%s: %s is not supported: ", f.where(x.Site.Pos()), x.Func.RelString(nil))
		if !slices.ContainsFunc(f.errors, func(e string) bool { return strings.HasPrefix(e, text) }) {
			f.errors = append(f.errors, fmt.Sprintf("%sat %s %s", text, f.where(pos), fmt.Sprintf(format, args...)))
		}
		return
	}
	f.refuse(pos, format, args...)
}

// failed reports whether so much is not supported that there is no use in going on.
func (f *refusals) failed() bool { return len(f.errors) > 20 }

func (f *refusals) where(pos token.Pos) string { return f.src.Where(pos) }

func (f *refusals) pos(pos token.Pos) step.Pos {
	at := f.src.At(pos)
	return step.Pos{Line: at.Line, Col: at.Col, File: at.File}
}

package lower

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"cdpor/lang/golang/internal/model"
	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"

	"golang.org/x/tools/go/ssa"
)

// Packages of the library that are neither entered nor modelled: they do what no exploration can repeat, or are far too
// large to be written out. A program may import them, and what it gets to of them is refused where it is used, with
// what to write instead.

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
	if slices.Contains(f.errors, text) {
		return
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

// unmodelled are import paths, which stand for the packages below them, too, and what their users can do.
var unmodelled = []struct {
	paths   []string
	instead string
}{
	{[]string{"net", "database/sql", "crypto/tls", "log/syslog"}, "the outside world is not modelled: " +
		"let the code take an interface, which the test implements with channels"},
	{[]string{"os", "io/fs", "io/ioutil", "syscall", "embed", "plugin", "path/filepath"},
		"files and processes are not modelled: let the code take an interface, which the test implements with " +
			"variables and channels"},
	{[]string{"encoding/json", "encoding/xml", "encoding/gob", "encoding/csv", "encoding/hex", "encoding/base64",
		"encoding/pem", "encoding/asn1", "regexp", "text", "html", "bufio", "unicode", "mime", "compress", "archive",
		"image", "go", "debug"}, "the bytes of texts are not modelled: begin the test behind it, with the values " +
		"that it would return"},
	{[]string{"crypto", "math/big", "math/cmplx"}, "only integers of the machine are modelled: let the test " +
		"replace it by a function over small numbers"},
	{[]string{"reflect", "runtime/debug", "runtime/pprof", "runtime/trace", "runtime/metrics", "expvar", "log/slog",
		"testing/quick", "testing/fstest", "net/http/httptest"}, "the library does too much for it to be " +
		"written out: call the code directly, with values of known types"},
	{[]string{"go.uber.org/goleak"}, "goroutines that are left behind are looked for in any case: let the test " +
		"run without it, or TestMain call m.Run"},
}

// modelled are the packages that have a model, which is entered.
var modelled = model.Paths()

// outside reports whether a function belongs to a package that is not entered at all.
func outside(fn *ssa.Function) bool {
	return fn.Pkg != nil && !modelled[fn.Pkg.Pkg.Path()] && instead(fn.Pkg) != ""
}

// instead is the advice for a package that is not entered; empty for the others.
func instead(pkg *ssa.Package) string {
	if pkg == nil {
		return ""
	}
	best, advice := "", ""
	for _, u := range unmodelled {
		for _, path := range u.paths {
			if of := pkg.Pkg.Path(); (of == path || strings.HasPrefix(of, path+"/")) && len(path) > len(best) {
				best, advice = path, u.instead
			}
		}
	}
	return advice
}

// insteadOf is the advice for a construct that the pointer analysis does not support.
func insteadOf(why string) string {
	if strings.HasPrefix(why, "unsafe.") {
		return ": use pointers and slices of the types that are meant"
	}
	return ""
}

var placed = regexp.MustCompile(`^\S+\.go:\d+:\d+: `)

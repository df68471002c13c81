package lower

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/model"
)

// Packages of the library that are neither entered nor modelled: they do what no exploration can repeat, or are far too
// large to be written out. A program may import them, and what it gets to of them is refused where it is used, with
// what to write instead.

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

// refuseOutside refuses the use of what a package of the library exports.
func refuseOutside(c *code, pkg *ssa.Package, name string) {
	advice := instead(pkg)
	if name == "testing.testMainElsewhere" {
		name, advice = "TestMain of another package", "move it into a file of the package of the test"
	}
	if advice == "" {
		advice = "it has no body, and there is no model of it"
	}
	c.refuse("%s is not supported: %s", name, advice)
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

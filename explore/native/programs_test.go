package native

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/explore/dpor"
)

var programs = flag.String("programs", "lockorder,lostsignal,bothsendfirst",
	"run the tests of these programs of testdata/go; all: of all of them, with the race detector")

// The programs of testdata/go, which the reading engine explores as well: it finds something in each TestBug and
// nothing in each TestFixed, and so does the running one.
func TestPrograms(t *testing.T) {
	list, race := strings.Split(*programs, ","), false
	if *programs == "all" {
		list, race = nil, true
		paths, err := filepath.Glob("../../testdata/go/*/*_test.go")
		if err != nil || len(paths) == 0 {
			t.Fatal(paths, err)
		}
		for _, p := range paths {
			list = append(list, filepath.Base(filepath.Dir(p)))
		}
	}
	for _, program := range list {
		t.Run(program, func(t *testing.T) {
			test := builtWith(t, "../go/"+program, race)
			defer os.Remove(test.Binary)
			for name, wrong := range map[string]bool{"TestBug": true, "TestFixed": false} {
				r := explored(t, test, name, Options{Algorithm: dpor.SourceAlgorithm, Executions: 20_000, Random: 20})
				switch {
				case wrong && len(r.Findings) == 0 && (missed[program] != "" || r.Early != nil):
				case wrong != (len(r.Findings) > 0), !wrong && r.Stopped != "":
					t.Errorf("%s: %+v", name, r)
				}
			}
		})
	}
}

// missed are programs whose bug the running engine does not see, and why.
var missed = map[string]string{
	"maporder": "maps have one order",
}

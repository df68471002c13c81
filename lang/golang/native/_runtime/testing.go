package testing

import (
	"context"
	"internal/cdpor"
	"strings"
)

// cdporExplored explores one of the tests, if the environment says so.
func cdporExplored(modulePath, importPath string, matchString func(pat, str string) (bool, error),
	tests []InternalTest) bool {
	return cdpor.Explored(func(name string) (run func(), said func() (text string, failed bool)) {
		var out strings.Builder
		state := newTestState(1<<20, newMatcher(matchString, "", "-test.run", ""))
		ctx, cancel := context.WithCancel(context.Background())
		t := &T{
			common: common{signal: make(chan bool, 1), barrier: make(chan bool), w: &out, ctx: ctx, cancelCtx: cancel,
				modulePath: modulePath, importPath: importPath},
			tstate: state,
		}
		var own *T
		run = func() {
			tRunner(t, func(t *T) {
				for _, test := range tests {
					if test.Name == name {
						t.Run(name, func(t *T) { own = t; test.F(t) })
					}
				}
			})
		}
		return run, func() (string, bool) {
			text := out.String()
			if text == "" && own != nil {
				text = string(own.output)
			}
			return text, t.failed || own != nil && own.failed
		}
	})
}

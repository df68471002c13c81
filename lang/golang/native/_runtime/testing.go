package testing

import (
	"context"
	"internal/cdpor"
	"os"
	"runtime"
	"strings"
	"sync"
)

// cdporExplored explores a test, the seed corpus of a fuzz target, or a benchmark once, if the environment says so.
func cdporExplored(m *M) bool {
	return cdpor.Explored(os.Args, os.ReadFile, func(name string) (run func(), said func() (text string, failed bool)) {
		var out strings.Builder
		ctx, cancel := context.WithCancel(context.Background())
		c := common{signal: make(chan bool, 1), barrier: make(chan bool), name: name, w: &out, ctx: ctx,
			cancelCtx: cancel, modulePath: m.deps.ModulePath(), importPath: m.deps.ImportPath()}
		matches := newMatcher(m.deps.MatchString, "", "-test.run", "")
		for _, f := range m.fuzzTargets {
			if f.Name == name {
				return cdporFuzzed(m, c, newTestState(1<<20, matches), f.Fn)
			}
		}
		for _, b := range m.benchmarks {
			if b.Name == name {
				return cdporMeasured(m, c, matches, b.F)
			}
		}
		c.name = ""
		benchTime = durationOrCountFlag{n: 1} // of what the test measures
		t := &T{common: c, tstate: newTestState(1<<20, matches)}
		var own *T
		run = func() {
			tRunner(t, func(t *T) {
				for _, test := range m.tests {
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

// cdporFuzzed runs the seed corpus of a fuzz target.
func cdporFuzzed(m *M, c common, state *testState, fn func(*F)) (run func(), said func() (text string, failed bool)) {
	out := c.w.(*strings.Builder)
	c.parent = &common{w: out}
	f := &F{common: c, tstate: state, fstate: &fuzzState{deps: m.deps, mode: seedCorpusOnly}}
	f.w = indenter{&f.common}
	f.setOutputWriter()
	run = func() {
		go fRunner(f, fn)
		<-f.signal
	}
	return run, func() (string, bool) {
		text := out.String()
		if text == "" {
			text = string(f.output)
		}
		return text, f.failed
	}
}

// cdporMeasured runs a benchmark, and those in it, once.
func cdporMeasured(m *M, c common, matches *matcher, fn func(*B)) (run func(), said func() (text string, failed bool)) {
	benchmarkLock = cdporRWMutex{}
	c.bench = true
	b := &B{common: c, importPath: m.deps.ImportPath(), benchFunc: fn, benchTime: durationOrCountFlag{n: 1},
		bstate: &benchState{match: matches}}
	b.setOutputWriter()
	return func() { b.run1() }, func() (string, bool) { return c.w.(*strings.Builder).String(), b.failed }
}

// cdporDuration is the text for how long a test has taken, if anybody will see it.
func (t *T) cdporDuration() string {
	if !t.failed && t.chatty == nil {
		return ""
	}
	return fmtDuration(t.duration)
}

// A cdporRWMutex is a RWMutex without gates.
type cdporRWMutex struct{ m sync.RWMutex }

func (m *cdporRWMutex) Lock()    { runtime.CdporOff(1); m.m.Lock(); runtime.CdporOff(-1) }
func (m *cdporRWMutex) Unlock()  { runtime.CdporOff(1); m.m.Unlock(); runtime.CdporOff(-1) }
func (m *cdporRWMutex) RLock()   { runtime.CdporOff(1); m.m.RLock(); runtime.CdporOff(-1) }
func (m *cdporRWMutex) RUnlock() { runtime.CdporOff(1); m.m.RUnlock(); runtime.CdporOff(-1) }

// A cdporMap is a Map without gates.
type cdporMap struct{ m sync.Map }

func (m *cdporMap) Store(key, value any) {
	runtime.CdporOff(1)
	m.m.Store(key, value)
	runtime.CdporOff(-1)
}
func (m *cdporMap) Delete(key any) { runtime.CdporOff(1); m.m.Delete(key); runtime.CdporOff(-1) }
func (m *cdporMap) Range(f func(key, value any) bool) {
	runtime.CdporOff(1)
	m.m.Range(f)
	runtime.CdporOff(-1)
}

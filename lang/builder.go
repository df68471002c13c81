package lang

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A builder makes the nodes of a template, and knows the constructs of the language around.
type builder struct {
	*build.Builder
	loops  []loop
	withs  []func()   // release what the with blocks around hold, innermost last
	actor  *actorCode // in methods, which are steps from await to await
	blocks int        // atomic blocks around, in methods
}

type loop struct {
	withs     int // with blocks around the loop
	breaks    []*int
	continues []*int
}

func newBuilder(t *step.Template, access bool) *builder {
	return &builder{Builder: build.New(t, access)}
}

// split reports whether shared reads and writes are steps of their own here.
func (b *builder) split() bool { return b != nil && b.Split() }

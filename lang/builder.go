package lang

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A builder makes the nodes of a template, and knows the actor whose code they are.
type builder struct {
	*build.Builder
	actor  *actorCode // in methods, which are steps from await to await
	blocks int        // atomic blocks around, in methods
}

func newBuilder(t *step.Template, access bool) *builder {
	return &builder{Builder: build.New(t, access)}
}

// split reports whether shared reads and writes are steps of their own here.
func (b *builder) split() bool { return b != nil && b.Split() }

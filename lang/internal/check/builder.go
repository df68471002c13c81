package check

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Builder makes the nodes of a template, and knows the actor whose code they are.
type Builder struct {
	*build.Builder
	Actor  *ActorCode // in methods, which are steps from await to await
	Blocks int        // atomic blocks around, in methods
}

// NewBuilder is a builder for the code of a template; access makes each shared access a step.
func NewBuilder(t *step.Template, access bool) *Builder {
	return &Builder{Builder: build.New(t, access)}
}

// Split reports whether shared reads and writes are steps of their own here.
func (b *Builder) Split() bool { return b != nil && b.Builder.Split() }

package main

import (
	"context"
	"errors"

	"cdpor/constraints"
	"cdpor/lang"
)

type checkCommand struct {
	programFlags
}

func (c *checkCommand) Run(e *environment) error { return errors.New("not yet") }

func prove(ctx context.Context, src *lang.Source, set *constraints.Set, p *progress) (refuted, open int, err error) {
	return 0, 0, errors.New("not yet")
}

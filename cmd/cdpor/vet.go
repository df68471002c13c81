package main

import (
	"fmt"

	"cdpor/lang"
)

type vetCommand struct {
	Path []string `arg:"" help:"Programs, and folders that are searched for programs."`
	changeFlags
	formatFlags
}

func (c *vetCommand) Help() string {
	return `Remarks are about programs that can be run but are probably not what was meant: a statement that reads and writes shared
data in one step although nothing says that it is atomic, names that are not used, code that cannot be reached, loops
that wait by going round, properties that cannot fail. Exit codes: 0 nothing to remark, 1 remarks, 2 a file cannot be used.`
}

func (c *vetCommand) Run(e *environment) error {
	files, err := programsIn(c.Path)
	if err != nil {
		return err
	}
	remarks, unusable := 0, false
	for _, path := range files {
		src, err := c.loadFile(path)
		if err != nil {
			if e.fail(err) != exitInput {
				return exitInternal
			}
			unusable = true
			continue
		}
		for _, w := range lang.Vet(src) {
			remarks++
			e.message(e.stdout, w)
		}
	}
	switch {
	case unusable:
		return exitInput
	case remarks > 0:
		fmt.Fprintf(e.stdout, "%s in %s\n", plural(remarks, "remark"), plural(len(files), "file"))
		return exitViolation
	}
	return nil
}

package prove

import (
	"context"
	"fmt"
	"os"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth"
)

// rewrite writes a constraint file, also over one that is there. A symbolic link whose name the
// user has not given is not followed, see write.
func (c *Synth) rewrite(ctx context.Context, e *environment.Environment, made *constraints.Set, path string,
	opt synth.Options) error {
	text := made.Format()
	look := os.Lstat
	if c.Output != "" {
		look = os.Stat
	}
	switch info, err := look(path); {
	case err != nil:
	case info.Mode()&os.ModeSymlink != 0:
		fmt.Fprintf(e.Stderr, "cdpor: %s was a link; it is a file of its own now, with nothing of what people have "+
			"written into the other\n", path)
	case info.Mode().IsRegular() && !c.Force:
		if text, err = c.merged(ctx, e, made, path, opt); err != nil {
			return err
		}
	}
	return c.write(path, text)
}

// merged is the text of a constraint file that is written over one that is there, with what people have done to that.
func (c *Synth) merged(ctx context.Context, e *environment.Environment, made *constraints.Set, path string,
	opt synth.Options) ([]byte, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	if !files.IsConstraintFile(text) {
		return nil, fault.Inputf("%s is there already and is no constraint file; --force writes over it", path)
	}
	old, lost, err := constraints.LoadParts(made.Program, path, text)
	if err != nil {
		fmt.Fprintf(e.Stderr, "cdpor: what is in %s cannot be kept; correct it, or write it anew with --force\n", path)
		return nil, err
	}
	m, err := synth.Merge(ctx, made, old, opt)
	if err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		fmt.Fprintf(e.Stderr, "cdpor: %s before the entries in %s were proved; it is left as it was\n",
			environment.WhyStopped(ctx), path)
		return nil, fault.ExitIncomplete
	}
	made.DefineAs(old)
	made.SealAll(m.Facts...)
	for _, p := range m.Kept {
		p.Seal = made.SealOf(p)
		fmt.Fprintf(e.Stderr, "cdpor: kept: %s | %s%s, written by hand and proved\n", p.A.Name(), p.B.Name(),
			renumbered(old, p.A, p.B))
	}
	for _, f := range m.Facts {
		fmt.Fprintf(e.Stderr, "cdpor: kept: %s%s, written by hand and proved\n", f, renumbered(old, f.At))
	}
	for _, p := range m.Narrowed {
		fmt.Fprintf(e.Stderr, "cdpor: %s | %s: the uniform part is false beside what is kept\n", p.A.Name(), p.B.Name())
	}
	var at []string
	for _, f := range m.Dropped {
		lines := f.Text()
		if f.Fact != nil {
			at = append(at, "not proved ("+lines[0]+"):", "  - "+f.Fact.String())
			e.Message(e.Stderr, &lang.Error{File: old.File, Pos: f.Pos, Msg: lines[0] + "; it stays as a comment"})
			continue
		}
		e.Message(e.Stderr, &lang.Error{File: old.File, Pos: f.Pos,
			Msg: lines[0] + "; what was found takes its place, and it stays there as a comment"})
		printFolded(e.Stderr, made.Program, f, lines[1:])
	}
	gone := 0
	for _, l := range lost {
		if l.Made {
			gone++
			continue
		}
		at = append(at, "does not fit the program ("+l.Why+"):")
		at = append(at, l.Text...)
		e.Message(e.Stderr, &lang.Error{File: old.File, Pos: l.Pos, Msg: l.Why + "; the entry stays as a comment"})
	}
	if gone > 0 {
		fmt.Fprintf(e.Stderr, "cdpor: left out what cdpor synth had found in %s of steps or variables that are no "+
			"longer there, in entries without edits (%d)\n", path, gone)
	}
	return made.Rewrite(old, m.Notes, at), nil
}

// renumbered says what a constraint file called steps that have another number now.
func renumbered(old *constraints.Set, steps ...*step.Step) string {
	var before []string
	changed := false
	for _, s := range steps {
		if s != nil { // of a fact about every state
			before = append(before, old.NameOf(s))
			changed = changed || old.NameOf(s) != s.Name()
		}
	}
	if !changed {
		return ""
	}
	return " (" + strings.Join(before, " | ") + " before)"
}

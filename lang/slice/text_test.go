package slice_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cdpor/lang"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// A written slice is one with its text.
type writtenSlice struct {
	*slice.Result
	text []byte // laid out
	src  *lang.Source
}

// write slices a program, makes a text of the slice, and checks that this is the slice.
func write(src *lang.Source, o *lang.Outline, g *slice.Graph, c slice.Criterion, mode slice.Mode, q lang.Question) (*writtenSlice, error) {
	r, err := g.Slice(c, mode, 0, func(r *slice.Result, add func(n, because *step.Node)) { o.Close(r, add) })
	if err != nil {
		return nil, err
	}
	e, err := o.Cut(r, q)
	if err != nil {
		return nil, err
	}
	part, err := lang.Load(src.File.Name, e.InFile, lang.Options{})
	if err != nil {
		return nil, fmt.Errorf("the slice cannot be loaded: %w\n%s", err, e.InFile)
	}
	if err := r.Matches(part.Program, e.Origin); err != nil {
		return nil, fmt.Errorf("the text is another slice: %w\n%s", err, e.Text)
	}
	laid, err := lang.Load(src.File.Name, e.Text, lang.Options{})
	if err != nil {
		return nil, fmt.Errorf("the formatted slice cannot be loaded: %w\n%s", err, e.Text)
	}
	if !bytes.Equal(lang.NormalForm(part.Program), lang.NormalForm(laid.Program)) {
		return nil, fmt.Errorf("the formatted slice is another program\n%s", e.Text)
	}
	return &writtenSlice{r, e.Text, laid}, nil
}

// A topic is a criterion with the question that its text is for.
type topic struct {
	name     string
	c        slice.Criterion
	question lang.Question
}

// topics are the criteria of a program.
func topics(p *step.Program) (list []topic) {
	for _, v := range p.Shared {
		if !v.Temp && v.Type.Words() > 0 {
			list = append(list, topic{v.Name, slice.Variable(v), lang.Question{Observe: lang.Observable(v)}})
		}
	}
	for i, f := range p.Checks.Final {
		list = append(list, topic{fmt.Sprintf("final:%d", i+1), slice.Final(f), lang.Question{Deadlock: true, Property: func(q *step.Property) bool { return q == f }}})
	}
	for k := 1; ; k++ {
		c, err := slice.Named(p, fmt.Sprintf("assert:%d", k))
		if err != nil {
			return list
		}
		list = append(list, topic{fmt.Sprintf("assert:%d", k), c, lang.Question{}})
	}
}

// TestTextOfShipped writes the slices of the programs of the repository for all their criteria.
func TestTextOfShipped(t *testing.T) {
	for _, path := range shipped(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src, err := lang.Load(path, text, lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		o := lang.NewOutline(src)
		for _, preserve := range []slice.Preserve{slice.Deadlock, slice.Values} {
			g := slice.New(src.Program, preserve)
			for _, c := range topics(src.Program) {
				for _, mode := range []slice.Mode{slice.Context, slice.Insensitive} {
					if _, err := write(src, o, g, c.c, mode, c.question); err != nil {
						t.Errorf("%s for %s (preserve %d, mode %d): %v", path, c.name, preserve, mode, err)
					}
				}
			}
		}
	}
}

// shipped are the programs of the repository.
func shipped(t *testing.T) (paths []string) {
	t.Helper()
	for _, dir := range []string{"programs", "actors", "traps"} {
		list, err := filepath.Glob("../../testdata/" + dir + "/*.yaml")
		if err != nil || len(list) == 0 {
			t.Fatal("no programs in ", dir, err)
		}
		paths = append(paths, list...)
	}
	slices.Sort(paths)
	return paths
}

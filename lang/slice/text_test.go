package slice_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"path/filepath"
	"slices"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang"
	"cdpor/lang/excerpt"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// A written slice is one with its text.
type writtenSlice struct {
	*slice.Result
	text []byte // laid out
	src  *lang.Source
}

// write slices a program, makes a text of the slice, and checks that this is the slice. It is nil if nothing leads to
// the criterion.
func write(src *lang.Source, o *excerpt.Outline, g *slice.Graph, c slice.Criterion, mode slice.Mode,
	q excerpt.Question) (*writtenSlice, error) {
	r, err := g.Slice(c, mode, 0, func(r *slice.Result, add func(n, because *step.Node)) { o.Close(r, add) })
	if err != nil {
		return nil, nil // dead code
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
	question excerpt.Question
}

// topics are the criteria of a program.
func topics(p *step.Program) (list []topic) {
	for _, v := range p.Shared {
		if !v.Temp && v.Type.Words() > 0 {
			list = append(list, topic{v.Name, slice.Variable(v), excerpt.Question{Observe: lang.Observable(v)}})
		}
	}
	for i, f := range p.Checks.Final {
		list = append(list, topic{fmt.Sprintf("final:%d", i+1), slice.Final(f),
			excerpt.Question{Deadlock: true, Property: func(q *step.Property) bool { return q == f }}})
	}
	for k := 1; ; k++ {
		c, err := slice.Named(p, fmt.Sprintf("assert:%d", k))
		if err != nil {
			return list
		}
		list = append(list, topic{fmt.Sprintf("assert:%d", k), c, excerpt.Question{}})
	}
}

// TestTextOfShipped writes the slices of the programs of the repository for all their criteria, and compares what they
// do where that is small enough.
func TestTextOfShipped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a minute")
	}
	var total tally
	for _, path := range shipped(t) {
		src := load(t, path)
		if src.Program.Spec != nil || src.Program.Checks.RacesForbidden {
			continue // cdpor slice refuses these
		}
		o := excerpt.NewOutline(src)
		for _, preserve := range []slice.Preserve{slice.Deadlock, slice.Values} {
			g := slice.New(src.Program, preserve)
			for _, c := range topics(src.Program) {
				if _, err := write(src, o, g, c.c, slice.Insensitive, c.question); err != nil {
					t.Errorf("%s for %s (preserve %d, insensitive): %v", path, c.name, preserve, err)
				}
				if err := total.topic(src, o, c, preserve, slice.Context); err != nil {
					t.Errorf("%s for %s (preserve %d, context): %v", path, c.name, preserve, err)
				}
			}
		}
	}
	t.Logf("%+v", total)
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

// everything is the part that leaves nothing out.
type everything struct{}

func (everything) Keeps(*step.Node) bool              { return true }
func (everything) Pauses(func(left, next *step.Node)) {}

// compareText compares programs with their slices as text, for some of their criteria.
func (c *tally) compareText(text string, rng *rand.Rand, some int) error {
	src, err := lang.Load("random.yaml", []byte(text), lang.Options{})
	if err != nil {
		return err
	}
	if src.Program.Crashes() {
		return nil // cdpor slice refuses these
	}
	o := excerpt.NewOutline(src)
	list := topics(src.Program)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, topic := range list[:min(len(list), some)] {
		for _, preserve := range []slice.Preserve{slice.Deadlock, slice.Values} {
			mode := slice.Mode(rng.Intn(2))
			if err := c.topic(src, o, topic, preserve, mode); err != nil {
				return fmt.Errorf("%s (preserve %d, mode %d): %w", topic.name, preserve, mode, err)
			}
		}
	}
	return nil
}

func (c *tally) topic(src *lang.Source, o *excerpt.Outline, topic topic, preserve slice.Preserve,
	mode slice.Mode) error {
	part, err := write(src, o, slice.New(src.Program, preserve), topic.c, mode, topic.question)
	if part == nil || err != nil {
		return err
	}
	whole, err := o.Cut(everything{}, topic.question)
	if err != nil {
		return err
	}
	same, err := lang.Load("whole.yaml", whole.Text, lang.Options{})
	if err != nil {
		return fmt.Errorf("the whole program cannot be loaded: %w\n%s", err, whole.Text)
	}
	format := lang.FormatValue
	if slices.ContainsFunc(src.Program.Templates, func(t *step.Template) bool { return t.Pool != nil }) {
		format = anonymous
	}
	want, err := endings(same.Program, topic.c, preserve == slice.Values, format)
	if err != nil {
		c.Large++
		return nil
	}
	got, err := endings(part.src.Program, topic.c, false, format)
	if err != nil {
		c.Large++
		return nil
	}
	c.Slices++
	for e := range want {
		if !got[e] {
			return fmt.Errorf("lost %s: program %v, slice %v\n%s", e, slices.Sorted(maps.Keys(want)),
				slices.Sorted(maps.Keys(got)), part.text)
		}
	}
	if preserve == slice.Deadlock && len(got) > len(want) {
		return fmt.Errorf("invented: program %v, slice %v\n%s", slices.Sorted(maps.Keys(want)),
			slices.Sorted(maps.Keys(got)), part.text)
	}
	if len(part.text) < len(whole.Text) {
		c.Smaller++
	}
	return nil
}

// endings are what a criterion is about: what is observed in the states in which nothing is enabled, with how they end
// if it asks for that, or which assertions fail.
func endings(p *step.Program, c slice.Criterion, normal bool, format func(*step.Program, *step.Type, []int64) string) (
	behaviour, error) {
	m, err := step.NewMachine(p)
	if err != nil {
		return nil, err
	}
	graph, err := oracle.Search(m, maxStates)
	if err != nil {
		return nil, err
	}
	if crowded(graph) {
		return nil, oracle.ErrLimit
	}
	r, found := m.NewRunner(), behaviour{}
	for _, s := range graph.Terminals {
		ending := m.EndingOf(s)
		dropped := false
		for p := range m.NumProcs() {
			dropped = dropped || m.Dropped(s, p)
		}
		// a place is reached also if somebody is dropped later
		if dropped && len(c.At) == 0 || normal && ending != step.Ended {
			continue
		}
		words := ""
		for _, o := range p.Observe {
			value, err := m.CompileValue(o.Expr)
			if err != nil {
				return nil, err
			}
			w, _ := value(r, s)
			words += o.Name + "=" + format(p, o.Expr.Type, w) + " "
		}
		for _, f := range p.Checks.Final {
			is, ok := m.CompileCondition(f.Expr, -1, -1)(r, s)
			words += fmt.Sprint(f.Text, " ", is, ok)
		}
		switch {
		case len(c.At) > 0:
			for p := range m.NumProcs() {
				if fault, at, failed := m.Failure(s, p); failed && fault == step.Assertion &&
					slices.ContainsFunc(c.At, func(n *step.Node) bool { return n.Text == at.Text && n.Msg == at.Msg }) {
					found["fails: "+at.Text] = true
				}
			}
		case c.Ends:
			if ending == step.Ended {
				found[words] = true
			} else {
				found[fmt.Sprint("ending ", ending)] = true
			}
		default:
			found[words] = true
		}
	}
	return found, nil
}

// anonymous is a value in a form that does not depend on which identities processes of pools have: these may have other
// names in a slice, and there may be fewer.
func anonymous(p *step.Program, t *step.Type, words []int64) string {
	switch {
	case t.Ref != "" || t.Elem != nil && t.Elem.Ref != "":
		return "?"
	case t.Kind != step.Array:
		return lang.FormatValue(p, t, words)
	}
	var list []string
	for e := range slices.Chunk(words, t.Elem.Words()) {
		if slices.ContainsFunc(e, func(w int64) bool { return w != 0 }) {
			list = append(list, anonymous(p, t.Elem, e))
		}
	}
	slices.Sort(list)
	return fmt.Sprint(list)
}

// TestTextDifferential compares random programs with the texts of their slices.
func TestTextDifferential(t *testing.T) { compareRandom(t, (*tally).compareText, 3) }

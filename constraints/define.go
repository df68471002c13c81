package constraints

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
)

// What a person reads in one go. A longer condition is written with definitions; a shorter one is left as it is unless
// a part that many conditions have in common makes the file clearly shorter.
const (
	MaxCondition  = 160 // characters of a condition, and of what a definition stands for
	leastNamed    = 24  // characters of a part that gets a name because a condition is too long
	leastShared   = 60  // characters of a part that gets a name because it is shared
	sharedBy      = 4   // conditions
	sharedSavings = 240 // characters of the file
	maxDefined    = 64  // definitions of one file
)

// A candidate is a part of conditions that may get a name.
type candidate struct {
	that      *step.Expr
	a, b      *step.Template
	text      string // with all definitions written out
	length    int    // with their names
	of        []int
	count     int          // uses
	in        []*step.Expr // the conditions it is a part of
	whole     bool         // it stands in parentheses, or is a condition of its own
	exchanged bool         // its first use had p and q the other way round
}

// Define gives names to parts of the conditions that are too long, and to long parts that several have in common. The
// names tell what the parts speak of. The same set gets the same definitions.
func (s *Set) Define() { s.define(nil, nil) }

// define begins with some definitions; always says which of these stay even if nothing uses them.
func (s *Set) define(begin []*lang.Definition, always func(*lang.Definition) bool) {
	s.Definitions, s.texts = slices.Clone(begin), lang.NewTexts()
	for len(s.Definitions) < maxDefined {
		d := s.nextDefinition()
		if d == nil {
			break
		}
		s.Definitions = append(s.Definitions, d)
	}
	for s.dropUnused(func(d *lang.Definition) bool { return slices.Contains(begin, d) && always(d) }) {
	}
	s.index, s.texts = nil, nil // pairs may still be added
}

// dropUnused takes definitions out that longer ones have taken the place of.
func (s *Set) dropUnused(stays func(*lang.Definition) bool) bool {
	if len(s.Definitions) == 0 {
		return false
	}
	var text strings.Builder
	for _, w := range s.conditions() {
		text.WriteString(w.text + "\n")
	}
	for _, d := range s.Definitions {
		if d.That != nil {
			text.WriteString(s.texts.Definition(d, s.Definitions) + "\n")
		}
	}
	used := map[string]bool{}
	for _, m := range word.FindAllStringSubmatch(text.String(), -1) {
		used[m[1]+m[2]] = true
	}
	n := len(s.Definitions)
	s.Definitions = slices.DeleteFunc(s.Definitions, func(d *lang.Definition) bool {
		return !used[d.Name] && !stays(d)
	})
	return len(s.Definitions) < n
}

// A condition of the file, or what a definition stands for.
type written struct {
	e    *step.Expr
	a, b *step.Template
	text string
}

// conditions are those that a file shows, in its order.
func (s *Set) conditions() (list []written) {
	for _, p := range s.ordered() {
		if IsTrue(p.Commute) && IsTrue(p.Uniform) || p.Status == Ordered {
			continue
		}
		for _, e := range []*step.Expr{p.Commute, p.Uniform} {
			if !IsTrue(e) && !IsFalse(e) {
				list = append(list, written{e, p.A.Template, p.B.Template, s.Text(p, e)})
			}
		}
	}
	return list
}

// nextDefinition is the definition that is needed most, nil if all is short enough.
func (s *Set) nextDefinition() *lang.Definition {
	list := s.conditions()
	var long []*written
	for i := range list {
		if len(list[i].text) > MaxCondition {
			long = append(long, &list[i])
		}
	}
	worth := slices.DeleteFunc(slices.Clone(list), func(w written) bool { return len(w.text) < leastShared })
	if len(long) == 0 && len(worth) < sharedBy/2 { // a condition may have the part twice
		return nil
	}
	slices.SortStableFunc(long, func(v, w *written) int { return cmp.Compare(len(w.text), len(v.text)) })
	found := map[string]*candidate{}
	var all []*candidate
	for i := range list {
		if w := &list[i]; len(long) > 0 || len(w.text) >= leastShared {
			s.parts(w, w.e, true, func(e *step.Expr, whole bool) { s.offer(found, &all, w, e, whole) })
		}
	}
	var best *candidate
	for _, w := range long {
		if best = s.shortening(w, all); best != nil {
			break
		}
	}
	if len(long) == 0 {
		best = mostShared(all)
	}
	if best == nil {
		return nil
	}
	d := &lang.Definition{Of: best.of, Text: best.text, That: best.that, A: best.a, B: best.b,
		Exchanged: best.exchanged}
	d.Name = s.nameFor(best.text)
	return d
}

// nameLength is what a use of a definition takes, about.
func (k *candidate) nameLength() int { return 12 + 3*len(k.of) }

// shortening is the part of a condition that should get a name: one that makes it short enough, if there is one, with
// what is in parentheses first, then what most conditions have in common, then the shortest; else the longest.
func (s *Set) shortening(w *written, all []*candidate) (best *candidate) {
	need := len(w.text) - MaxCondition
	rank := func(k *candidate) []int {
		saved := k.length - k.nameLength()
		if saved < need+8 { // the name may come out longer
			return []int{0, saved, k.count, 0}
		}
		return []int{1, boolRank(k.whole), k.count, -k.length}
	}
	for _, k := range all {
		if slices.Contains(k.in, w.e) && (best == nil || slices.Compare(rank(k), rank(best)) > 0) {
			best = k
		}
	}
	return best
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mostShared is the part of several conditions that saves most, nil if that is not much.
func mostShared(all []*candidate) (best *candidate) {
	most := sharedSavings - 1
	for _, k := range all {
		saved := k.count*(k.length-k.nameLength()) - k.length - k.nameLength()
		if k.count >= sharedBy && k.length >= leastShared && saved > most {
			best, most = k, saved
		}
	}
	return best
}

// parts calls f for each part of a condition that no definition stands for: those in parentheses, and runs of chains.
func (s *Set) parts(w *written, e *step.Expr, whole bool, f func(e *step.Expr, whole bool)) {
	if s.defined(w, e) {
		return
	}
	f(e, whole)
	args := s.texts.Runs(e)
	for i := 0; i < len(args); {
		n := 1
		for m := len(args) - i; m > 1 && n == 1; m-- {
			if s.defined(w, s.texts.Run(e.Op, args[i:i+m])) {
				n = m
			}
		}
		if n > 1 || s.defined(w, args[i]) {
			i += n
			continue
		}
		for j := i + 2; j <= len(args) && j-i < len(args) && !s.defined(w, args[j-1]); j++ {
			f(s.texts.Run(e.Op, args[i:j]), false)
		}
		s.parts(w, args[i], true, f)
		i++
	}
	if args == nil && (e.Op == step.Not || e.Op == step.Eq && e.Args[0].Type.Kind == step.Bool) {
		for _, a := range e.Args {
			s.parts(w, a, true, f)
		}
	}
}

func (s *Set) defined(w *written, e *step.Expr) bool {
	return s.texts.Defined(e, w.a, w.b, s.Definitions)
}

// offer counts a part as a use of a candidate, with p and q as they stand or exchanged.
func (s *Set) offer(found map[string]*candidate, all *[]*candidate, w *written, e *step.Expr, whole bool) {
	if len(s.texts.Runs(e)) == 0 && e.Op != step.Eq {
		return
	}
	text := s.texts.Qualified(e, w.a, w.b, false)
	length := len(text)
	if len(s.Definitions) > 0 {
		length = len(s.texts.Definition(&lang.Definition{That: e, A: w.a, B: w.b}, s.Definitions))
	}
	if length < leastNamed || length > MaxCondition {
		return
	}
	of := processes(e, nil)
	exchanged := len(of) == 1 && of[0] == step.Q // a definition about one process calls it p
	if exchanged {
		text, of = s.texts.Qualified(e, w.a, w.b, true), []int{step.P}
	}
	k := found[text]
	if k == nil && len(of) == 2 {
		k = found[s.texts.Qualified(e, w.a, w.b, true)]
	}
	if k == nil {
		slices.SortFunc(of, func(a, b int) int { return cmp.Compare(b, a) }) // p, then q
		k = &candidate{that: e, a: w.a, b: w.b, text: text, length: length, of: of, exchanged: exchanged}
		found[text] = k
		*all = append(*all, k)
	}
	k.count++
	k.in, k.whole = append(k.in, w.e), k.whole || whole
}

// processes are those that an expression speaks of.
func processes(e *step.Expr, of []int) []int {
	if (e.Of == step.P || e.Of == step.Q) && !slices.Contains(of, e.Of) && (e.Op == step.Self || e.Op == step.Me ||
		e.Op == step.VarRef && !e.Var.Shared) {
		of = append(of, e.Of)
	}
	for _, a := range e.Args {
		of = processes(a, of)
	}
	return of
}

var word = regexp.MustCompile(`(p\.|q\.)?([A-Za-z_][A-Za-z0-9_]*)(\.|\()?`)

// nameFor makes a name out of the two words that occur most in a text, such as number_most or waiters_done.
func (s *Set) nameFor(text string) string {
	count, first := map[string]int{}, map[string]int{}
	for i, m := range word.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(strings.TrimLeft(m[2], "_"))
		class := m[3] == "." && m[2] != "" && m[2][0] >= 'A' && m[2][0] <= 'Z'
		if class || slices.Contains([]string{"p", "q", "self", "this", "true", "false", "in", "null", "size", ""},
			name) {
			continue
		}
		if count[name]++; count[name] == 1 {
			first[name] = i
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(first[a], first[b]))
	})
	if len(words) == 0 {
		words = []string{"numbers"}
	}
	taken := func(name string) bool {
		return lang.NameMeans(s.Program, name) != "" ||
			slices.ContainsFunc(s.Definitions, func(d *lang.Definition) bool { return d.Name == name })
	}
	for n := min(2, len(words)); n <= len(words); n++ {
		if name := strings.Join(words[:n], "_"); len(name) <= 20 && !taken(name) {
			return name
		}
	}
	for i := 2; ; i++ {
		if name := words[0] + "_" + strconv.Itoa(i); !taken(name) {
			return name
		}
	}
}

package synth

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

// A Cache keeps small texts by key, for later runs. It may forget, and it need not be safe for several goroutines; but what
// it returns must be what was put there.
type Cache interface {
	Get(key string) (value []byte, ok bool)
	Put(key string, value []byte)
}

// Two kinds of answers are kept: what commute is for a pair, by everything this depends on (key.go), and the uniform parts
// of a whole program. After an edit of one step the pairs of the other steps are known; the fixpoint runs again, over
// conditions, and makes cells again only for pairs that a third step disturbs.

// A pairRecord is what is kept of a pair.
type pairRecord struct {
	Status  constraints.Status
	Why     string      `json:",omitempty"`
	Commute condition   // as found
	Uniform condition   // to begin the fixpoint with
	Cells   bool        // whether uniform can be weakened by cells
	Facts   []usedFact  `json:",omitempty"`
	Asked   []askedFact `json:",omitempty"`
}

// A familyRecord is what is kept of a program: the uniform conditions of the pairs with common data, in program order.
type familyRecord struct {
	Uniform []condition
	Facts   []usedFact `json:",omitempty"`
}

// A condition is kept as text. Sum tells whether reading the text gives the expression it was read as when it was kept.
type condition struct{ Text, Sum string }

// A usedFact names a fact that was relied on.
type usedFact struct {
	Step string // its name for a family, "p" or "q" for a pair; empty for shared variables
	Var  string
	Wide bool
}

// An askedFact is a range that the answer depends on; with Lo > Hi nothing was known.
type askedFact struct {
	Step, Var string
	Lo, Hi    int64
}

// cache is where answers are kept; nil if they are not.
func (e *engine) cache() Cache {
	if e.opt.MaxQueries > 0 || e.opt.Dump != nil || e.explain != nil {
		return nil
	}
	return e.opt.Cache
}

// remembered is pair, unless the steps never meet or the cache knows the answer.
func (e *engine) remembered(a, b *step.Step) *entry {
	if e.ordered(a, b) {
		return &entry{a: a, b: b, status: constraints.Ordered, commute: truth(false), uniform: truth(false), t: e.table(a, b)}
	}
	store := e.cache()
	if store == nil || constraints.Independent(a, b) {
		return e.pair(a, b)
	}
	key := e.pairKey(a, b)
	if n := e.recall(store, key, a, b); n != nil {
		return n
	}
	used, usedWide := e.known.used, e.known.usedWide
	e.known.used, e.known.usedWide, e.known.asked = map[factKey]bool{}, map[factKey]bool{}, map[factKey]bool{}
	n := e.pair(a, b)
	facts, asked := e.usedFacts(twoSteps(a, b)), e.askedFacts(twoSteps(a, b))
	maps.Copy(e.known.used, used)
	maps.Copy(e.known.usedWide, usedWide)
	record := pairRecord{Status: n.status, Why: n.why, Cells: n.c != nil, Facts: facts, Asked: asked}
	okC, okU := false, false
	record.Commute, okC = e.keep(n.commute, a, b)
	record.Uniform, okU = e.keep(n.uniform, a, b)
	if okC && okU && e.ctx.Err() == nil && e.late() == 0 {
		put(store, key, record)
	}
	return n
}

// recall makes an entry of what the cache holds, nil if it holds nothing of use.
func (e *engine) recall(store Cache, key string, a, b *step.Step) *entry {
	var record pairRecord
	if !get(store, key, &record) {
		return nil
	}
	n := &entry{a: a, b: b, status: record.Status, why: record.Why, cached: true}
	n.commute, n.uniform = e.read(record.Commute, a, b), e.read(record.Uniform, a, b)
	if n.commute == nil || n.uniform == nil || !slices.Equal(record.Asked, e.askedAgain(record.Asked, twoSteps(a, b))) ||
		!e.useFacts(record.Facts, twoSteps(a, b)) {
		return nil
	}
	n.t, n.reads, n.bare = e.table(a, b), sharedOf(n.uniform, nil), record.Cells
	return n
}

// materialise gives entries that come from the cache their cells.
func (e *engine) materialise(entries ...*entry) {
	for _, n := range entries {
		if n.bare {
			m := e.pair(n.a, n.b)
			n.t, n.names, n.nf, n.c, n.u, n.first, n.bare = m.t, m.names, m.nf, m.c, m.u, m.first, false
		}
	}
}

// uniformParts makes the family uniform, or takes the answer of an earlier run.
func (e *engine) uniformParts() {
	store := e.cache()
	if store == nil {
		e.makeUniform()
		return
	}
	key := e.familyKey()
	if e.recallFamily(store, key) {
		return
	}
	e.makeUniform()
	record := familyRecord{Facts: e.usedFacts(e.allSteps())}
	for _, n := range e.entries {
		if n.independent {
			continue
		}
		c, ok := e.keep(n.uniform, n.a, n.b)
		if !ok {
			return
		}
		record.Uniform = append(record.Uniform, c)
	}
	if e.ctx.Err() == nil && e.late() == 0 {
		put(store, key, record)
	}
}

func (e *engine) recallFamily(store Cache, key string) bool {
	var record familyRecord
	if !get(store, key, &record) {
		return false
	}
	var uniform []*step.Expr
	for _, n := range e.entries {
		if n.independent {
			uniform = append(uniform, n.uniform)
			continue
		}
		if len(record.Uniform) == 0 {
			return false
		}
		x := e.read(record.Uniform[0], n.a, n.b)
		if x == nil {
			return false
		}
		record.Uniform, uniform = record.Uniform[1:], append(uniform, x)
	}
	if len(record.Uniform) > 0 || !e.useFacts(record.Facts, e.allSteps()) {
		return false
	}
	for i, n := range e.entries {
		n.uniform = uniform[i]
	}
	return true
}

// keep writes a condition down; ok is false if it cannot be read again.
func (e *engine) keep(x *step.Expr, a, b *step.Step) (c condition, ok bool) {
	c.Text = lang.FormatExpr(x, a.Template, b.Template)
	y := e.parse(c.Text, a, b)
	if y == nil || lang.FormatExpr(y, a.Template, b.Template) != c.Text {
		return c, false
	}
	c.Sum = structureOf(y)
	return c, true
}

// read is the expression of a condition, nil if the text means something else in this program.
func (e *engine) read(c condition, a, b *step.Step) *step.Expr {
	x := e.parse(c.Text, a, b)
	if x == nil || structureOf(x) != c.Sum {
		return nil
	}
	return x
}

func (e *engine) parse(text string, a, b *step.Step) *step.Expr {
	switch text {
	case "true", "false":
		return truth(text == "true")
	}
	x, err := lang.ParseCondition(e.prog, &lang.File{}, step.Pos{Line: 1, Col: 1}, text, a, b)
	if err != nil {
		return nil
	}
	return x
}

func structureOf(x *step.Expr) string {
	w := &keyWriter{h: sha256.New()}
	w.expr(x)
	return w.sum()
}

// eachFact lists the keys of facts about shared variables and about the locals of some steps.
func (e *engine) eachFact(steps []namedStep, yield func(name string, key factKey)) {
	for _, v := range e.prog.Shared {
		yield("", factKey{nil, v})
	}
	for _, n := range steps {
		for _, v := range n.step.Template.Locals {
			yield(n.name, factKey{n.step, v})
		}
	}
}

// usedFacts lists the facts that have been used, those about the locals of a step under the name it is given.
func (e *engine) usedFacts(steps []namedStep) (list []usedFact) {
	e.eachFact(steps, func(name string, key factKey) {
		if e.known.used[key] {
			list = append(list, usedFact{name, key.v.Name, false})
		}
		if e.known.usedWide[key] {
			list = append(list, usedFact{name, key.v.Name, true})
		}
	})
	return list
}

// useFacts notes facts as used. It reports false if there is no such variable.
func (e *engine) useFacts(list []usedFact, steps []namedStep) bool {
	keys := make([]factKey, len(list))
	for i, f := range list {
		var ok bool
		if keys[i], ok = e.factOf(f.Step, f.Var, steps); !ok {
			return false
		}
	}
	for i, key := range keys {
		if list[i].Wide {
			e.known.usedWide[key] = true
		} else {
			e.known.used[key] = true
		}
	}
	return true
}

// factOf is the key of a fact that was written down.
func (e *engine) factOf(name, variable string, steps []namedStep) (key factKey, ok bool) {
	e.eachFact(steps, func(s string, k factKey) {
		if s == name && k.v.Name == variable {
			key, ok = k, true
		}
	})
	return key, ok
}

// askedFacts lists the ranges that have been asked for.
func (e *engine) askedFacts(steps []namedStep) (list []askedFact) {
	e.eachFact(steps, func(name string, key factKey) {
		if e.known.asked[key] {
			list = append(list, e.ask(name, key))
		}
	})
	return list
}

// askedAgain is what is known now about ranges that were asked for.
func (e *engine) askedAgain(list []askedFact, steps []namedStep) (again []askedFact) {
	for _, f := range list {
		if key, ok := e.factOf(f.Step, f.Var, steps); ok {
			again = append(again, e.ask(f.Step, key))
		}
	}
	return again
}

func (e *engine) ask(name string, key factKey) askedFact {
	s, known := e.known.wide[key]
	if !known {
		s = nothing
	}
	return askedFact{name, key.v.Name, s.lo, s.hi}
}

// A namedStep is a step under the name that facts about it are kept with.
type namedStep struct {
	name string
	step *step.Step
}

func twoSteps(a, b *step.Step) []namedStep {
	if a == b {
		return []namedStep{{"p", a}}
	}
	return []namedStep{{"p", a}, {"q", b}}
}

func (e *engine) allSteps() (list []namedStep) {
	for _, t := range e.prog.Templates {
		for _, s := range t.Steps {
			list = append(list, namedStep{s.Name(), s})
		}
	}
	return list
}

func put(store Cache, key string, record any) {
	if text, err := json.Marshal(record); err == nil {
		store.Put(key, text)
	}
}

func get(store Cache, key string, record any) bool {
	text, ok := store.Get(key)
	return ok && json.Unmarshal(text, record) == nil
}

package synth

import (
	"encoding/json"
	"slices"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/cachekey"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/uniform"
)

// A Memory is a cache in memory, perhaps in front of another one that outlives it. It belongs to one goroutine.
type Memory struct {
	Behind Cache // may be nil
	values map[string][]byte
}

func (m *Memory) Get(key string) ([]byte, bool) {
	if value, ok := m.values[key]; ok || m.Behind == nil {
		return value, ok
	}
	value, ok := m.Behind.Get(key)
	if ok {
		m.keep(key, value)
	}
	return value, ok
}

func (m *Memory) Put(key string, value []byte) {
	m.keep(key, value)
	if m.Behind != nil {
		m.Behind.Put(key, value)
	}
}

func (m *Memory) keep(key string, value []byte) {
	if m.values == nil {
		m.values = map[string][]byte{}
	}
	m.values[key] = value
}

// Two kinds of answers are kept: what commute is for a pair, by everything this depends on (internal/cachekey), and the
// uniform parts of a whole program. After an edit of one step the pairs of the other steps are known; the fixpoint runs
// again, over conditions, and makes cells again only for pairs that a third step disturbs.

// A pairRecord is the entry of a pair in the cache.
type pairRecord struct {
	Status  constraints.Status
	Why     string    `json:",omitempty"`
	Commute condition // as found
	Uniform condition // to begin the fixpoint with
	Cells   bool      // whether uniform can be weakened by cells
	Support []string  `json:",omitempty"` // the shared variables that they depend on
	Cost    Cost
	Long    bool        `json:",omitempty"` // there was a question that Options.Short leaves out
	Facts   []usedFact  `json:",omitempty"`
	Asked   []askedFact `json:",omitempty"`
}

// A familyRecord is the entry of a program in the cache: the uniform conditions of the pairs with common data, in
// program order.
type familyRecord struct {
	Uniform []condition
	Because [][]string        // by pair, the names of third steps
	Shorter map[int]condition `json:",omitempty"` // commute, where a stronger one is read more easily
	Cost    Cost
	Long    bool       `json:",omitempty"`
	Repairs []Attempt  `json:",omitempty"`
	Facts   []usedFact `json:",omitempty"`
}

// A condition is kept as text. Sum reports whether reading the text gives the expression it was read as when it was
// kept.
type condition struct{ Text, Sum string }

// remembered works on an entry, unless the cache knows the answer and the budget is enough for what it cost.
func (e *engine) remembered(n *commute.Entry) {
	before, used := e.Oracle.Used, facts.NewUses()
	e.Facts.Using(used, func() { *n = *e.recalled(n.A, n.B) })
	n.Asked, n.Cost = true, e.Oracle.Used.Minus(before)
	if !n.Open { // else nothing is claimed that facts could be needed for
		e.Facts.Used.Add(used)
	}
}

func (e *engine) recalled(a, b *step.Step) *commute.Entry {
	store := e.cache()
	if store == nil {
		return e.paired(a, b)
	}
	key := e.keys.Pair(a, b)
	if n := e.recall(store, key, a, b); n != nil {
		return n
	}
	before := e.Oracle.Used
	e.Oracle.Long = false
	e.Facts.Asked = map[facts.Key]bool{}
	n := e.paired(a, b)
	n.Refused = e.Oracle.Long && e.opt.Short
	known := e.factsAt(a, b)
	record := pairRecord{Status: n.Status, Why: n.Why, Cells: n.Cells != nil, Facts: known.used(), Asked: known.asked(),
		Cost: e.Oracle.Used.Minus(before), Long: e.Oracle.Long}
	if n.Cells != nil {
		n.Begin = n.Uniform
		for _, v := range e.Prog.Shared {
			if n.Support()[v] {
				record.Support = append(record.Support, v.Name)
			}
		}
	}
	okC, okU := false, false
	record.Commute, okC = e.keep(n.Commute, a, b)
	record.Uniform, okU = e.keep(n.Uniform, a, b)
	if okC && okU && e.keeps() {
		put(store, key, record)
	}
	return n
}

// keeps reports whether what was found just now may be kept: it is what is always found.
func (e *engine) keeps() bool {
	return e.Ctx.Err() == nil && !e.Oracle.Spent && !(e.Oracle.Long && e.opt.Short)
}

// allows reports whether something from the cache would have been found now, and charges it if so.
func (e *engine) allows(c Cost, long bool) bool {
	if long && e.opt.Short {
		return false
	}
	if e.opt.Resume {
		return true
	}
	if !e.Oracle.Used.Plus(c).Within(e.Oracle.Limit) {
		return false
	}
	e.Oracle.Used = e.Oracle.Used.Plus(c)
	return true
}

// recall makes an entry of what the cache holds, nil if it holds nothing of use.
func (e *engine) recall(store Cache, key string, a, b *step.Step) *commute.Entry {
	var record pairRecord
	if !get(store, key, &record) {
		return nil
	}
	n := &commute.Entry{Pair: commute.Pair{A: a, B: b}, Found: commute.Found{Status: record.Status, Why: record.Why,
		Cached: true}}
	n.Commute, n.Uniform = e.read(record.Commute, a, b), e.read(record.Uniform, a, b)
	known := e.factsAt(a, b)
	if n.Commute == nil || n.Uniform == nil || !slices.Equal(record.Asked, known.again(record.Asked)) ||
		!known.know(record.Facts) || !e.allows(record.Cost, record.Long) {
		return nil
	}
	known.use(record.Facts)
	n.Table, n.Bare = e.Table(a, b), record.Cells
	if n.Bare {
		n.Reads = map[*step.Var]bool{}
		for _, v := range e.Prog.Shared {
			n.Reads[v] = slices.Contains(record.Support, v.Name)
		}
	}
	return n
}

// uniformParts makes the family uniform, or takes the answer of an earlier run.
func (e *engine) uniformParts() {
	store := e.cache()
	if store == nil {
		e.MakeUniform()
		e.readable()
		return
	}
	key := e.keys.Family(e.Entries)
	if e.recallFamily(store, key) {
		return
	}
	before := e.Oracle.Used
	e.Oracle.Long = false
	e.MakeUniform()
	replaced := e.readable()
	record := familyRecord{Shorter: map[int]condition{}, Facts: e.allFacts().used(),
		Cost: e.Oracle.Used.Minus(before), Long: e.Oracle.Long, Repairs: e.Attempts}
	for i, n := range e.Entries {
		if !n.Works() {
			continue
		}
		c, ok := e.keep(n.Uniform, n.A, n.B)
		if ok && slices.Contains(replaced, n) {
			record.Shorter[i], ok = e.keep(n.Commute, n.A, n.B)
		}
		if !ok {
			return
		}
		record.Uniform, record.Because = append(record.Uniform, c), append(record.Because, n.Because)
	}
	if e.keeps() {
		put(store, key, record)
	}
}

func (e *engine) recallFamily(store Cache, key string) bool {
	var record familyRecord
	if !get(store, key, &record) {
		return false
	}
	var parts []*step.Expr
	shorter := map[int]*step.Expr{}
	for i, c := range record.Shorter {
		if shorter[i] = e.read(c, e.Entries[i].A, e.Entries[i].B); shorter[i] == nil {
			return false
		}
	}
	for _, n := range e.Entries {
		if !n.Works() {
			parts = append(parts, n.Uniform)
			continue
		}
		if len(record.Uniform) == 0 || len(record.Uniform) != len(record.Because) {
			return false
		}
		x := e.read(record.Uniform[0], n.A, n.B)
		if x == nil {
			return false
		}
		n.Because = record.Because[0]
		record.Uniform, record.Because, parts = record.Uniform[1:], record.Because[1:], append(parts, x)
	}
	if len(record.Uniform) > 0 || !e.allFacts().know(record.Facts) || !e.allows(record.Cost, record.Long) {
		return false
	}
	e.allFacts().use(record.Facts)
	e.Attempts = record.Repairs
	for i, n := range e.Entries {
		n.Uniform = parts[i]
		if x := shorter[i]; x != nil {
			n.Commute, n.Status, n.Why = x, constraints.Partial, WhyStronger
		}
	}
	return true
}

// readable replaces long conditions, if that is asked for.
func (e *engine) readable() []*commute.Entry {
	if !e.opt.Readable {
		return nil
	}
	return e.Readable()
}

// WhyStronger says why a condition is not the weakest: that is long.
const WhyStronger = uniform.WhyStronger

// keep writes a condition down; ok is false if it cannot be read again.
func (e *engine) keep(x *step.Expr, a, b *step.Step) (c condition, ok bool) {
	c.Text = lang.FormatExpr(x, a.Template, b.Template)
	y := e.parse(c.Text, a, b)
	if y == nil || lang.FormatExpr(y, a.Template, b.Template) != c.Text {
		return c, false
	}
	c.Sum = cachekey.Structure(y)
	return c, true
}

// read is the expression of a condition, nil if the text means something else in this program.
func (e *engine) read(c condition, a, b *step.Step) *step.Expr {
	x := e.parse(c.Text, a, b)
	if x == nil || cachekey.Structure(x) != c.Sum {
		return nil
	}
	return x
}

func (e *engine) parse(text string, a, b *step.Step) *step.Expr {
	switch text {
	case "true", "false":
		return constraints.Truth(text == "true")
	}
	x, err := lang.ParseCondition(e.Prog, &lang.File{}, step.Pos{Line: 1, Col: 1}, text, a, b)
	if err != nil {
		return nil
	}
	return x
}

// factsAt are those about two steps.
func (e *engine) factsAt(a, b *step.Step) *namedFacts {
	steps := []namedStep{{"p", a}, {"q", b}}
	if a == b {
		steps = steps[:1]
	}
	return &namedFacts{e.Facts, steps}
}

// allFacts are those about all steps.
func (e *engine) allFacts() *namedFacts {
	all := &namedFacts{Facts: e.Facts}
	for _, t := range e.Prog.Templates {
		for _, s := range t.Steps {
			all.steps = append(all.steps, namedStep{s.Name(), s})
		}
	}
	return all
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

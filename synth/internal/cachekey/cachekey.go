package cachekey

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/question"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/symbolic"
)

// keyFormat changes when the analysis gives other answers, or when what is stored is encoded otherwise.
const keyFormat = 15

// A keyWriter writes down parts of a program by their structure. Every part is written with its length or its kind
// first, so that different parts never give the same bytes.
type keyWriter struct {
	bytes  []byte
	funcs  []*step.Func
	enough map[*step.Pool]bool
	known  writtenParts
}

// writtenParts are hashes of parts of a program that stand in many keys.
type writtenParts struct {
	steps map[*step.Step][]byte // with the processes at them; those that call no function
	types map[*step.Type][]byte
}

// hashed replaces what was written from some place on by its hash.
func (w *keyWriter) hashed(from int) []byte {
	hash := sha256.Sum256(w.bytes[from:])
	w.bytes = append(w.bytes[:from], hash[:]...)
	return hash[:]
}

// Settings are what answers depend on besides the program.
type Settings struct {
	Version  string // of the generator
	RLimit   uint
	MaxCells int
	AnyState bool
	Readable bool // counts for families only
}

// Keys are those of one program.
type Keys struct {
	*question.Program
	settings Settings
	parts    writtenParts
}

// New makes the keys of a program.
func New(p *question.Program, s Settings) *Keys {
	return &Keys{p, s, writtenParts{map[*step.Step][]byte{}, map[*step.Type][]byte{}}}
}

func (k *Keys) newKey(kind string) *keyWriter {
	w := &keyWriter{}
	w.str(kind)
	w.num(keyFormat)
	w.str(k.settings.Version)
	w.num(int64(k.settings.RLimit))
	w.num(int64(k.settings.MaxCells))
	w.flag(k.settings.AnyState)
	return w
}

// Structure is a hash of what an expression is made of.
func Structure(x *step.Expr) string {
	w := &keyWriter{}
	w.expr(x)
	return w.sum()
}

func (w *keyWriter) sum() string {
	hash := sha256.Sum256(w.bytes)
	return hex.EncodeToString(hash[:])
}

func (w *keyWriter) num(n int64) { w.bytes = binary.LittleEndian.AppendUint64(w.bytes, uint64(n)) }

func (w *keyWriter) flag(b bool) {
	if b {
		w.num(1)
	} else {
		w.num(0)
	}
}

func (w *keyWriter) str(s string) {
	w.num(int64(len(s)))
	w.bytes = append(w.bytes, s...)
}

func (w *keyWriter) words(list []int64) {
	w.num(int64(len(list)))
	for _, n := range list {
		w.num(n)
	}
}

func (w *keyWriter) typ(t *step.Type) {
	if t == nil {
		w.num(-1)
		return
	}
	if known, ok := w.known.types[t]; ok {
		w.bytes = append(w.bytes, known...)
		return
	}
	if from := len(w.bytes); w.known.types != nil {
		defer func() { w.known.types[t] = w.hashed(from) }()
	}
	w.num(int64(t.Kind))
	w.str(t.Name)
	w.num(t.Lo)
	w.num(t.Hi)
	w.num(int64(t.Len))
	w.num(int64(t.Bits))
	w.flag(t.Unsigned)
	w.str(t.Sync)
	w.str(t.Ref)
	w.num(int64(len(t.Names)))
	for _, name := range t.Names {
		w.str(name)
	}
	w.num(int64(len(t.Fields)))
	for _, f := range t.Fields {
		w.str(f.Name)
		w.typ(f.Type)
	}
	w.typ(t.Elem)
}

func (w *keyWriter) variable(v *step.Var) {
	w.str(v.Name)
	w.flag(v.Shared)
	w.typ(v.Type)
}

func (w *keyWriter) expr(e *step.Expr) {
	if e == nil {
		w.num(-1)
		return
	}
	w.num(int64(e.Op))
	w.num(int64(e.Of))
	w.num(int64(e.Field))
	w.str(e.Name)
	w.typ(e.Type)
	w.words(e.Words)
	if e.Var != nil {
		w.variable(e.Var)
	}
	if e.Func != nil {
		w.function(e.Func)
	}
	w.num(int64(len(e.Args)))
	for _, a := range e.Args {
		w.expr(a)
	}
}

// function writes the code of a function once, and after that its number.
func (w *keyWriter) function(f *step.Func) {
	if i := slices.Index(w.funcs, f); i >= 0 {
		w.num(int64(i))
		return
	}
	w.num(int64(len(w.funcs)))
	w.funcs = append(w.funcs, f)
	w.num(int64(len(f.Params)))
	w.num(int64(len(f.Locals)))
	for _, v := range f.Locals {
		w.variable(v)
	}
	if f.Result != nil {
		w.variable(f.Result)
	}
	w.num(int64(f.Depth))
	w.num(int64(f.Start))
	w.num(int64(len(f.Nodes)))
	for _, n := range f.Nodes {
		w.node(n, func(next int) { w.num(int64(next)) })
	}
}

func (w *keyWriter) node(n *step.Node, target func(next int)) {
	w.num(int64(n.Kind))
	w.expr(n.Dst)
	w.expr(n.Src)
	w.expr(n.Cond)
	w.flag(n.Otherwise)
	w.num(int64(n.Fault))
	w.num(int64(len(n.Args)))
	for _, a := range n.Args {
		w.expr(a)
	}
	if n.Kind == step.Spawn {
		w.expr(n.Counter)
		w.expr(n.Maker)
		if n.Maker != nil {
			w.num(int64(n.MakerOf.Pool.Size))
		}
		w.started(n.Target)
		w.flag(w.enough[n.Target.Pool])
	}
	target(n.Next)
	if n.Kind == step.Branch {
		target(n.Else)
	}
}

// started writes what starting a process of a template does, but for its prelude, of which only whether there is none,
// or a plain one, matters.
func (w *keyWriter) started(t *step.Template) {
	w.str(t.Name)
	w.pool(t.Pool)
	w.flag(t.Start == step.End)
	w.flag(t.HasPrelude())
	w.flag(t.HasPrelude() && symbolic.PlainPrelude(t))
	for i := 0; ; i++ {
		v := t.Parameter(i)
		if v == nil {
			break
		}
		w.typ(v.Type)
	}
}

func (w *keyWriter) pool(p *step.Pool) {
	w.num(int64(p.Size))
	w.num(int64(p.First))
	w.variable(p.Life)
	w.num(int64(len(p.Fields)))
	for _, v := range p.Fields {
		w.variable(v)
	}
}

// step writes the code of a step. Nodes are numbered from its entry on; where it ends is told by the locals that are
// read afterwards.
func (w *keyWriter) step(s *step.Step) {
	var exits []int
	w.num(int64(len(s.Nodes)))
	for _, i := range s.Nodes {
		w.node(s.Template.Nodes[i], func(next int) {
			if at := slices.Index(s.Nodes, next); at > 0 || at == 0 && !s.Template.Nodes[next].Visible {
				w.num(int64(at))
				return
			}
			at := slices.Index(exits, next)
			if at < 0 {
				at = len(exits)
				exits = append(exits, next)
			}
			w.num(int64(-1 - at))
		})
	}
	for _, next := range exits {
		live := s.Template.LiveIn(next)
		for _, v := range s.Template.Locals {
			if v.IsLive(live) {
				w.variable(v)
			}
		}
		w.num(-1)
	}
}

// process writes what is known about the processes at a step: who they are, and what their locals hold.
func (w *keyWriter) process(e *question.Program, s *step.Step) {
	procs := e.Actors[s.Template].Procs
	w.num(int64(len(procs)))
	w.flag(s.Template.Pool != nil)
	if s.Template.Pool != nil {
		w.flag(s.Ends())
		w.num(int64(s.Template.Pool.First))
	}
	me := usesMe(s)
	for _, p := range procs {
		w.num(p.Self)
		if me {
			w.num(int64(p.Index))
		}
	}
	vars := facts.Mentions(s)
	for _, v := range s.Template.Locals {
		if !vars[v] {
			continue
		}
		w.variable(v)
		assigned := reachable.Assigns(s.Template, v)
		w.flag(assigned)
		for _, p := range procs {
			if !assigned {
				w.words(p.Init[v.Offset : v.Offset+v.Type.Words()])
			}
		}
		for _, f := range reachable.Fields(v.Type) {
			w.facts(e.Facts, facts.Key{At: s, V: v, Off: f.Off})
		}
	}
}

// at writes a step and the processes at it.
func (w *keyWriter) at(e *question.Program, s *step.Step) {
	if known, ok := w.known.steps[s]; ok {
		w.bytes = append(w.bytes, known...)
		return
	}
	from, funcs := len(w.bytes), len(w.funcs)
	w.step(s)
	w.process(e, s)
	if w.known.steps != nil && len(w.funcs) == 0 && funcs == 0 {
		w.known.steps[s] = w.hashed(from)
	}
}

// facts writes what the code of a thread says about a local. The ranges that depend on all threads are not in the key,
// as any edit may move them; the record says which of them were asked for.
func (w *keyWriter) facts(k *facts.Facts, key facts.Key) {
	list := k.Local[key]
	w.num(int64(len(list)))
	for _, s := range list {
		w.num(s.Lo)
		w.num(s.Hi)
	}
	w.expr(k.Each[key])
}

// Pair is the key of what commute finds for two steps.
func (k *Keys) Pair(a, b *step.Step) string {
	w := k.newKey("pair")
	w.known, w.enough = k.parts, k.Enough
	w.flag(a == b)
	w.flag(a.Template == b.Template)
	w.at(k.Program, a)
	w.at(k.Program, b)
	vars := facts.Mentions(a, b)
	for _, inv := range k.Related(a, b) {
		w.expr(inv.Expr)
		expr.Shared(inv.Expr, vars)
	}
	for _, v := range k.Prog.Shared {
		if vars[v] {
			w.variable(v)
		}
	}
	for _, s := range []*step.Step{a, b} {
		w.stepFacts(k.Program, s, vars)
	}
	for _, v := range k.Prog.Shared {
		for _, f := range reachable.Fields(v.Type) {
			key := facts.AtBoth(facts.Key{At: a, V: v, Off: f.Off}, b)
			if r, known := k.Facts.Wide[key]; known && vars[v] {
				w.str(v.Name)
				w.words([]int64{int64(f.Off), r.Lo, r.Hi})
			}
		}
	}
	return w.sum()
}

// stepFacts writes what is known about some shared variables while a process stands at a step.
func (w *keyWriter) stepFacts(e *question.Program, s *step.Step, vars map[*step.Var]bool) {
	for i, cond := range e.Facts.Held[s] {
		if vars[cond.Args[0].Root()] {
			w.num(int64(i))
			w.expr(cond)
		}
	}
	w.num(-1)
	for _, v := range e.Prog.Shared {
		for _, f := range reachable.Fields(v.Type) {
			if r, known := e.Facts.Wide[facts.Key{At: s, V: v, Off: f.Off}]; known && vars[v] {
				w.str(v.Name)
				w.words([]int64{int64(f.Off), r.Lo, r.Hi})
			}
		}
	}
	w.num(-1)
}

// Alike is the key of a pair within its program: steps that are the same may stand behind others, from which their
// locals have other ranges.
func (k *Keys) Alike(a, b *step.Step) string {
	w := &keyWriter{}
	w.str(k.Pair(a, b))
	for _, s := range []*step.Step{a, b} {
		vars := facts.Mentions(s)
		for _, v := range s.Template.Locals {
			for _, f := range reachable.Fields(v.Type) {
				if r, known := k.Facts.Wide[facts.Key{At: s, V: v, Off: f.Off}]; known && vars[v] {
					w.str(v.Name)
					w.words([]int64{int64(f.Off), r.Lo, r.Hi})
				}
			}
		}
		w.num(-1)
	}
	return w.sum()
}

// Family is the key of the uniform parts, which depend on all pairs, and in the choice of repairs on the whole
// program.
func (k *Keys) Family(entries []*commute.Entry) string {
	w := k.newKey("family")
	w.flag(k.settings.Readable)
	w.str(string(lang.NormalForm(k.Prog)))
	for _, t := range k.Prog.Templates { // what the normal form leaves out
		for _, v := range t.Locals {
			w.flag(v.Keep)
		}
	}
	w.num(int64(len(entries)))
	for _, n := range entries {
		w.flag(n.Independent)
		w.flag(n.Works())
		if n.Works() {
			w.str(k.Pair(n.A, n.B))
			w.flag(n.Refused)
		}
	}
	return w.sum()
}

// usesMe reports whether a step asks which process runs it, as locks do.
func usesMe(s *step.Step) bool {
	me := func(x *step.Expr) bool { return x.Op == step.Me || x.Type != nil && x.Type.Kind == step.Mutex }
	return slices.ContainsFunc(s.Nodes, func(i int) bool {
		n := s.Template.Nodes[i]
		return n.Cond.Has(me) || n.Src.Has(me) || n.Dst.Has(me)
	})
}

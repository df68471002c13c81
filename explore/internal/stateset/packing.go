package stateset

import (
	"math/bits"

	"cdpor/lang/step"
)

// Vectors of words are packed into as few bits as their types promise: a boolean takes one, a position in a thread with
// five steps three. A promise that is broken, by an integer that grows, costs time and no correctness: such a word is
// kept beside the others.

// A field is where a word of a vector is kept.
type field struct {
	lo    int64  // the value with code 0
	span  uint64 // values from lo on that have a code
	odd   int64  // a value that has the code span, if it is outside of them
	chunk int32
	shift uint8
	width uint8 // bits of a code
}

// code is the code of a word; large: it has none.
func (f *field) code(w int64) (code uint64, large bool) {
	code = uint64(w - f.lo)
	switch {
	case code < f.span:
		return code, false
	case w == f.odd:
		return f.span, false
	}
	return 0, true
}

// A Packing says where each word of a vector is kept, in chunks.
type Packing struct {
	Fields []field
	Chunks int
	used   int // bits of the last chunk
	room   int // bits of a chunk
}

// A vector that fits is one chunk of 64 bits. Others have chunks of half of that: there are so few different ones of
// each that numbering them takes a table that stays near the processor.
const (
	oneChunk   = 64
	manyChunks = 32
)

// An integer is expected in -1 .. 254: most models count to small numbers, and -1 stands for no process.
const (
	leastInt = -1
	SomeInts = 256
)

// Add appends a word whose values are lo .. lo+span-1, and its initial one.
func (p *Packing) Add(lo int64, span uint64, initial int64) {
	width := bits.Len64(max(span, 1) - 1)
	if uint64(initial-lo) >= span {
		width = bits.Len64(span)
	}
	p.reserve(width)
	p.Fields = append(p.Fields, field{lo: lo, span: span, odd: initial, chunk: int32(p.Chunks - 1),
		shift: uint8(p.used), width: uint8(width)})
	p.used += width
}

// reserve begins a new chunk unless the last one has room for some more bits, or they do not fit into any.
func (p *Packing) reserve(width int) {
	if p.Chunks == 0 || width <= p.room && p.used+width > p.room {
		p.Chunks, p.used = p.Chunks+1, 0
	}
}

// value appends a value of a type.
func (p *Packing) value(m *step.Machine, t *step.Type, initial []int64) {
	one := func(lo, hi int64) {
		if span := uint64(hi-lo) + 1; span != 0 && span < 1<<32 {
			p.Add(lo, span, initial[0])
			return
		}
		p.Add(leastInt, SomeInts, initial[0])
	}
	parts := func(from, n int, elem *step.Type) {
		for i := range n {
			p.value(m, elem, initial[from+i*elem.Words():])
		}
	}
	switch t.Kind {
	case step.Array:
		parts(0, t.Len, t.Elem)
	case step.Record:
		for i, f := range t.Fields {
			p.value(m, f.Type, initial[t.FieldAt(i):])
		}
	case step.List, step.Queue, step.Set, step.Bag, step.Map:
		one(0, int64(t.Len))
		parts(1, t.Len, t.Elem)
	case step.Option:
		one(0, 1)
		parts(1, 1, t.Elem)
	case step.Bool:
		one(0, 1)
	case step.Range: // 0 where there is no value
		one(min(t.Lo, 0), max(t.Hi, 0))
	case step.Enum:
		one(0, int64(len(t.Names))-1)
	case step.Mutex:
		one(0, int64(m.NumProcs()))
	default:
		p.Add(leastInt, SomeInts, initial[0])
	}
}

// PackingOf is how states of a machine are packed.
func PackingOf(m *step.Machine) *Packing {
	if p := packingIn(m, oneChunk); p.Chunks <= 1 {
		return p
	}
	return packingIn(m, manyChunks)
}

func packingIn(m *step.Machine, room int) *Packing {
	p, initial := &Packing{room: room}, m.Initial()
	for _, v := range m.Program.Shared {
		p.value(m, v.Type, initial[v.Offset:])
	}
	for i, proc := range m.Program.Procs {
		one := &Packing{room: room} // a process is best kept in one chunk
		one.process(m, i, proc, initial)
		if one.Chunks == 1 {
			p.reserve(one.used)
		}
		p.process(m, i, proc, initial)
	}
	return p
}

func (p *Packing) process(m *step.Machine, i int, proc *step.Proc, initial step.State) {
	base := m.LocalBase(i)
	// The control word: a step, finished or dropped.
	p.Add(-2, uint64(2+max(1, len(proc.Template.Steps))), initial[base-1])
	for _, v := range proc.Template.Locals {
		p.value(m, v.Type, initial[base+v.Offset:])
	}
}

// A Packed vector.
type Packed struct {
	Chunks  []uint64
	Large   int      // words without a code
	numbers []uint32 // what the chunks and the nodes of the tree above them are numbered in a TreeSet
	inner   bool     // those of the nodes above them are there
	key     uint64   // the compact key, if version is not 0
	Version int      // of the widths of numbers in key
}

// A Change is a chunk of a vector that is not what it is in another vector.
type Change struct {
	bits   uint64 // that differ
	chunk  int32
	number uint32 // of the chunk as it is in the other one, for an writer
}

// Pack fills the chunks of to with the vector v.
func (p *Packing) Pack(to *Packed, v []int64) {
	to.Large = 0
	clear(to.Chunks)
	for i, w := range v {
		f := &p.Fields[i]
		code, large := f.code(w)
		to.Chunks[f.chunk] |= code << f.shift
		if large {
			to.Large++
		}
	}
}

// Unpack fills v with the vector that chunks stand for, all words of which have a code. It reports whether they stand
// for one.
func (p *Packing) Unpack(chunks []uint64, v []int64) bool {
	for i := range p.Fields {
		f := &p.Fields[i]
		code := chunks[f.chunk] >> f.shift & (1<<f.width - 1)
		switch {
		case code < f.span:
			v[i] = f.lo + int64(code)
		case code == f.span && uint64(f.odd-f.lo) >= f.span:
			v[i] = f.odd
		default:
			return false
		}
	}
	return true
}

// A Difference is how a vector differs from another one.
type Difference struct {
	Chunks []Change // each once
	Large  int      // how many more words have no code
}

func (d *Difference) Clear() { d.Chunks, d.Large = d.Chunks[:0], 0 }

// Add makes a word another one.
func (d *Difference) Add(f *field, before, after int64) {
	was, wasLarge := f.code(before)
	is, isLarge := f.code(after)
	if wasLarge {
		d.Large--
	}
	if isLarge {
		d.Large++
	}
	bits := (was ^ is) << f.shift
	if bits == 0 {
		return
	}
	for i := range d.Chunks {
		if d.Chunks[i].chunk == f.chunk {
			d.Chunks[i].bits ^= bits
			return
		}
	}
	d.Chunks = append(d.Chunks, Change{bits: bits, chunk: f.chunk})
}

// Plus fills the chunks of to with those of a vector that differs from p, and the numbers with those of p.
func (p *Packed) Plus(d *Difference, to *Packed) {
	copy(to.Chunks, p.Chunks)
	copy(to.numbers, p.numbers)
	to.Large = p.Large + d.Large
	for i := range d.Chunks {
		to.Chunks[d.Chunks[i].chunk] ^= d.Chunks[i].bits
	}
}

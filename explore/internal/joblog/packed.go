package joblog

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
)

// A Packed is a list of actions, or a wakeup tree as wakeup.Forest.Pack writes it, as bytes. There may be many, and
// most who pass them on need not look at them.
type Packed []byte

// Pack packs a list, none of which is negative.
func Pack(list []int32) Packed {
	if len(list) == 0 {
		return nil
	}
	text := make(Packed, 0, len(list)+len(list)/8)
	for _, a := range list {
		text = binary.AppendUvarint(text, uint64(a))
	}
	return text
}

// Unpack appends what has been packed to a list. The error says that it is no list.
func (p Packed) Unpack(list []int32) ([]int32, error) {
	for len(p) > 0 {
		a, n := binary.Uvarint(p)
		if n <= 0 || a >= 1<<31 {
			return nil, errors.New("a list of actions has no end")
		}
		list, p = append(list, int32(a)), p[n:]
	}
	return list, nil
}

// Add appends a sequence to some that have been packed, of which the last one is given, nil if there is none. Many
// begin as the one before them does.
func (p Packed) Add(sequence, last []int32) Packed {
	same := 0
	for same < min(len(sequence), len(last)) && sequence[same] == last[same] {
		same++
	}
	p = binary.AppendUvarint(binary.AppendUvarint(p, uint64(same)), uint64(len(sequence)-same))
	for _, a := range sequence[same:] {
		p = binary.AppendUvarint(p, uint64(a))
	}
	return p
}

// Each calls a function with each sequence that Add has appended. What it is given is valid until it returns.
func (p Packed) Each(f func(sequence []int32) error) error {
	list, err := p.Unpack(nil)
	for sequence := []int32(nil); err == nil && len(list) > 0; err = f(sequence) {
		if len(list) < 2 || int(list[0]) > len(sequence) || int(list[1]) > len(list)-2 {
			return errors.New("a sequence of actions has no beginning, or no end")
		}
		end := 2 + int(list[1])
		sequence, list = append(sequence[:list[0]], list[2:end]...), list[end:]
	}
	return err
}

// Marshal is a record as text. What has been found and the trees of what is left follow the text after a zero byte, as
// they are: there may be much of them, and who folds the log need not look at the trees.
func (r *Record) Marshal() ([]byte, error) {
	trees := r.Left != nil && r.Left.Trees != nil
	text, err := json.Marshal(r) // Left.Trees and Found are not in it
	if err != nil || len(r.Found) == 0 && !trees {
		return text, err
	}
	text = append(binary.AppendUvarint(append(text, 0), uint64(len(r.Found))), r.Found...)
	if trees {
		text = r.AppendTrees(text)
	}
	return text, nil
}

// AppendTrees appends the trees of what is left to a text.
func (r *Record) AppendTrees(text []byte) []byte {
	for _, tree := range r.Left.Trees {
		text = append(binary.AppendUvarint(text, uint64(len(tree))), tree...)
	}
	return text
}

// WithBeside is the record with its trees stored under a name.
func (r *Record) WithBeside(name string) *Record {
	bare, left := *r, *r.Left
	bare.Left, left.Trees, bare.Beside = &left, nil, name
	return &bare
}

// Unmarshal reads a record, with the trees of what is left if they are wanted.
func (r *Record) Unmarshal(text []byte, trees bool) error {
	text, rest, more := bytes.Cut(text, []byte{0})
	if err := json.Unmarshal(text, r); err != nil || !more {
		return err
	}
	found, rest, err := cutPart(rest)
	if err != nil {
		return err
	}
	if r.Found = found; !trees {
		return nil
	}
	return r.ReadTrees(rest)
}

// cutPart is what is at the front of a text behind its length, and what follows.
func cutPart(text []byte) (part, rest []byte, err error) {
	length, n := binary.Uvarint(text)
	if n <= 0 || length > uint64(len(text)-n) {
		return nil, nil, errors.New("a part of a record has no end")
	}
	end := n + int(length)
	return slices.Clone(text[n:end:end]), text[end:], nil
}

// ReadTrees reads what AppendTrees has written.
func (r *Record) ReadTrees(rest []byte) error {
	for len(rest) > 0 {
		if r.Left == nil {
			return errors.New("a record has trees, and nothing is left")
		}
		tree, more, err := cutPart(rest)
		if err != nil {
			return err
		}
		r.Left.Trees, rest = append(r.Left.Trees, tree), more
	}
	return nil
}

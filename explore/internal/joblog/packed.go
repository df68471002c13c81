package joblog

import (
	"encoding/binary"
	"errors"
)

// A Packed is a list of actions, or a wakeup tree as wakeup.Forest.Save writes it, as bytes. There may be many, and most
// who pass them on need not look at them.
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

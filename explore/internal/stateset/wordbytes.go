package stateset

import "math/bits"

// Words as bytes: small numbers take one byte, others one and as many as they need. Vectors of as many words compare as
// their bytes do, and no two have the same.

// smallWord is how many numbers from zero up, and from minus one down, take one byte.
const smallWord = 112

// EncodeWords appends the bytes of some words.
func EncodeWords(b []byte, words []int64) []byte {
	for _, w := range words {
		size := uint64(w) // of a negative number, that of its complement
		if w < 0 {
			size = ^size
		}
		if size < smallWord {
			b = append(b, byte(0x80+w))
			continue
		}
		n := (bits.Len64(size) + 7) / 8
		if w < 0 {
			b = append(b, byte(0x80-smallWord-n))
		} else {
			b = append(b, byte(0x7f+smallWord+n))
		}
		for n--; n >= 0; n-- {
			b = append(b, byte(w>>(8*n)))
		}
	}
	return b
}

// DecodeWords are the words that EncodeWords has made bytes of.
func DecodeWords(b []byte) []int64 { return DecodeInto(nil, b) }

// DecodeInto appends the words that EncodeWords has made bytes of.
func DecodeInto(words []int64, b []byte) []int64 {
	for len(b) > 0 {
		w := int64(b[0]) - 0x80
		b = b[1:]
		n := 0
		switch {
		case w >= smallWord:
			n, w = int(w-smallWord)+1, 0
		case w < -smallWord:
			n, w = int(-w-smallWord), -1
		}
		for _, c := range b[:n] {
			w = w<<8 | int64(c)
		}
		b = b[n:]
		words = append(words, w)
	}
	return words
}

// CountWords is the number of words that some bytes stand for, if they stand for any.
func CountWords(b []byte) (words int, ok bool) {
	for len(b) > 0 {
		n := 1
		switch w := int(b[0]) - 0x80; {
		case w >= smallWord:
			n += w - smallWord + 1
		case w < -smallWord:
			n += -w - smallWord
		}
		if n > len(b) {
			return 0, false
		}
		b = b[n:]
		words++
	}
	return words, true
}

package checkpoint

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// readPart reads bytes with their number before them, and appends them to buf. It takes no more memory than there are
// bytes.
func readPart(r *bufio.Reader, buf []byte) ([]byte, error) {
	const block = 1 << 16
	left, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, NoEnd(err)
	}
	for left > 0 {
		begin, n := len(buf), int(min(left, block))
		buf = slices.Grow(buf, n)[:begin+n]
		if _, err := io.ReadFull(r, buf[begin:]); err != nil {
			return nil, NoEnd(err)
		}
		left -= uint64(n)
	}
	return buf, nil
}

// NoEnd is an error in words if it is an end of the data that came too early.
func NoEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the checkpoint has no end")
	}
	return err
}

// Package io is what cdpor explores in place of Go's: its interfaces, and errors.
package io

import "errors"

type Reader interface {
	Read(p []byte) (n int, err error)
}

type Writer interface {
	Write(p []byte) (n int, err error)
}

type Closer interface{ Close() error }

type ReadWriter interface {
	Reader
	Writer
}

type ReadCloser interface {
	Reader
	Closer
}

type WriteCloser interface {
	Writer
	Closer
}

type ReadWriteCloser interface {
	Reader
	Writer
	Closer
}

type ByteReader interface{ ReadByte() (byte, error) }

type ByteWriter interface{ WriteByte(c byte) error }

type StringWriter interface {
	WriteString(s string) (n int, err error)
}

type ReaderFrom interface {
	ReadFrom(r Reader) (n int64, err error)
}

type WriterTo interface {
	WriteTo(w Writer) (n int64, err error)
}

type Seeker interface {
	Seek(offset int64, whence int) (int64, error)
}

const (
	SeekStart   = 0
	SeekCurrent = 1
	SeekEnd     = 2
)

var EOF = errors.New("EOF")

var ErrUnexpectedEOF = errors.New("unexpected EOF")

var ErrClosedPipe = errors.New("io: read/write on closed pipe")

var ErrShortWrite = errors.New("short write")

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

var Discard Writer = discard{}

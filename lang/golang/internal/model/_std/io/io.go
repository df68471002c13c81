// Package io stands in for Go's: its interfaces and errors, reading until there is enough, and
// pipes.
package io

import (
	"errors"
	"sync"
)

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

var ErrShortBuffer = errors.New("short buffer")

// ReadAtLeast reads until there is enough, or a Read says why there is no more.
func ReadAtLeast(r Reader, buf []byte, min int) (n int, err error) {
	if min > len(buf) {
		return 0, ErrShortBuffer
	}
	for n < min && err == nil {
		var more int
		more, err = r.Read(buf[n:])
		n += more
	}
	switch {
	case n >= min:
		return n, nil
	case n > 0 && err == EOF:
		return n, ErrUnexpectedEOF
	}
	return n, err
}

func ReadFull(r Reader, buf []byte) (n int, err error) { return ReadAtLeast(r, buf, len(buf)) }

type closerOfNothing struct{ Reader }

func (closerOfNothing) Close() error { return nil }

func NopCloser(r Reader) ReadCloser { return closerOfNothing{r} }

// A pipe hands the slice of a Write to one Read after the other, until it is used up.
type pipe struct {
	writing      sync.Mutex // writers come one after the other
	data         chan []byte
	taken        chan int
	done         chan struct{}
	mu           sync.Mutex
	closed       bool
	first        error // of closing the reader, or the writer: the first one each
	firstOfWrite error
}

func (p *pipe) close(slot *error, err error) {
	p.mu.Lock()
	if *slot == nil {
		*slot = err
	}
	if !p.closed {
		p.closed = true
		close(p.done)
	}
	p.mu.Unlock()
}

// why is the error of an operation on a closed pipe: own if this end was closed, other if the other one was.
func (p *pipe) why(own, other *error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *own == nil && *other != nil {
		return *other
	}
	return ErrClosedPipe
}

func (p *pipe) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

type PipeReader struct{ p *pipe }

func (r *PipeReader) Read(data []byte) (n int, err error) {
	p := r.p
	if p.over() {
		return 0, p.why(&p.first, &p.firstOfWrite)
	}
	select {
	case b := <-p.data:
		n = copy(data, b)
		p.taken <- n
		return n, nil
	case <-p.done:
		return 0, p.why(&p.first, &p.firstOfWrite)
	}
}

func (r *PipeReader) Close() error { return r.CloseWithError(nil) }

func (r *PipeReader) CloseWithError(err error) error {
	if err == nil {
		err = ErrClosedPipe
	}
	r.p.close(&r.p.first, err)
	return nil
}

type PipeWriter struct{ p *pipe }

func (w *PipeWriter) Write(data []byte) (n int, err error) {
	p := w.p
	if p.over() {
		return 0, p.why(&p.firstOfWrite, &p.first)
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	for first := true; first || len(data) > 0; first = false {
		select {
		case p.data <- data:
			k := <-p.taken
			data = data[k:]
			n += k
		case <-p.done:
			return n, p.why(&p.firstOfWrite, &p.first)
		}
	}
	return n, nil
}

func (w *PipeWriter) Close() error { return w.CloseWithError(nil) }

func (w *PipeWriter) CloseWithError(err error) error {
	if err == nil {
		err = EOF
	}
	w.p.close(&w.p.firstOfWrite, err)
	return nil
}

func Pipe() (*PipeReader, *PipeWriter) {
	p := &pipe{data: make(chan []byte), taken: make(chan int), done: make(chan struct{})}
	return &PipeReader{p}, &PipeWriter{p}
}

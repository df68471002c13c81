package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"
)

// minColumns is the smallest width that is folded to.
const minColumns = 40

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(w io.Writer) bool {
	f := FileOf(w)
	if f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// FileOf is the file that a stream writes to, nil if it is none.
func FileOf(w io.Writer) *os.File {
	if s, ok := w.(*Sink); ok {
		w = s.Writer
	}
	f, _ := w.(*os.File)
	return f
}

// Verbatim is where a program or a constraint file is printed, for others to read: as it is, unless to a terminal.
func Verbatim(w io.Writer) io.Writer {
	if s, ok := w.(*Sink); ok && !IsTerminal(w) {
		return s.raw()
	}
	return w
}

// Protocol is where a machine is spoken to that counts the bytes: nothing is changed.
func Protocol(w io.Writer) io.Writer {
	if s, ok := w.(*Sink); ok {
		return s.raw()
	}
	return w
}

// Columns is how wide a stream is: what the environment variable COLUMNS says, as POSIX wants it, else what the
// terminal says; 0 if the width is not known: lines may have any length.
func Columns(w io.Writer) int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if f := FileOf(w); (err != nil || n <= 0) && f != nil {
		n = Width(f)
	}
	if n <= 0 {
		return 0
	}
	return max(n, minColumns)
}

// Folded lets a function write text that is folded.
func Folded(w io.Writer, write func(io.Writer) error) error {
	columns := Columns(w)
	if columns == 0 {
		return write(w)
	}
	f := &folder{to: w, columns: columns}
	err := write(f)
	if failed := f.end(); err == nil {
		err = failed
	}
	return err
}

// Print writes a text, folded.
func Print(w io.Writer, format string, args ...any) error {
	return Folded(w, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format, args...)
		return err
	})
}

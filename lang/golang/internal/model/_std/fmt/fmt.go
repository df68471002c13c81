// Package fmt is what cdpor explores in place of Go's: what is printed is not looked at, and texts that are made of
// values are unknown texts.
package fmt

import "io"

type Stringer interface{ String() string }

type GoStringer interface{ GoString() string }

type State interface {
	Write(b []byte) (n int, err error)
	Width() (wid int, ok bool)
	Precision() (prec int, ok bool)
	Flag(c int) bool
}

type Formatter interface{ Format(f State, verb rune) }

func Sprint(a ...any) string
func Sprintln(a ...any) string
func Sprintf(format string, a ...any) string
func Print(a ...any) (n int, err error)
func Println(a ...any) (n int, err error)
func Printf(format string, a ...any) (n int, err error)
func Fprint(w io.Writer, a ...any) (n int, err error)
func Fprintln(w io.Writer, a ...any) (n int, err error)
func Fprintf(w io.Writer, format string, a ...any) (n int, err error)

type wrapError struct {
	msg string
	err error
}

func (e *wrapError) Error() string { return e.msg }
func (e *wrapError) Unwrap() error { return e.err }

// Errorf wraps the first error among its arguments, whether the format says %w or %v.
func Errorf(format string, a ...any) error {
	e := &wrapError{msg: Sprintf(format)}
	for _, v := range a {
		if err, ok := v.(error); ok {
			e.err = err
			break
		}
	}
	return e
}

// Package fmt stands in for Go's: what is printed is not looked at, and texts that are made of
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

type plainError struct{ msg string }

func (e *plainError) Error() string { return e.msg }

type wrapError struct {
	msg string
	err error
}

func (e *wrapError) Error() string { return e.msg }
func (e *wrapError) Unwrap() error { return e.err }

type wrapErrors struct {
	msg  string
	errs []error
}

func (e *wrapErrors) Error() string   { return e.msg }
func (e *wrapErrors) Unwrap() []error { return e.errs }

// Errorf is called where the format is no constant: it wraps the first error among its arguments. Else one of the
// functions below is, which say in their names which operands the format wraps.
func Errorf(format string, a ...any) error {
	for i := range a {
		if _, ok := a[i].(error); ok {
			return wrap(format, a, i)
		}
	}
	return errorf(format, a...)
}

func errorf(format string, a ...any) error { return &plainError{Sprintf(format)} }

func errorf_0(format string, a ...any) error { return wrap(format, a, 0) }
func errorf_1(format string, a ...any) error { return wrap(format, a, 1) }
func errorf_2(format string, a ...any) error { return wrap(format, a, 2) }
func errorf_3(format string, a ...any) error { return wrap(format, a, 3) }

func errorf_0_1(format string, a ...any) error { return wrapTwo(format, a, 0, 1) }
func errorf_0_2(format string, a ...any) error { return wrapTwo(format, a, 0, 2) }
func errorf_1_2(format string, a ...any) error { return wrapTwo(format, a, 1, 2) }
func errorf_1_3(format string, a ...any) error { return wrapTwo(format, a, 1, 3) }
func errorf_2_3(format string, a ...any) error { return wrapTwo(format, a, 2, 3) }

func wrap(format string, a []any, i int) error {
	err, ok := a[i].(error)
	if !ok {
		return errorf(format)
	}
	return &wrapError{Sprintf(format), err}
}

func wrapTwo(format string, a []any, i, k int) error {
	e := &wrapErrors{Sprintf(format), make([]error, 2)}
	e.errs[0], _ = a[i].(error)
	e.errs[1], _ = a[k].(error)
	return e
}

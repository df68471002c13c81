// Package errors is what cdpor explores in place of Go's. An error is told from others by its place in memory, as in
// Go; its text is kept.
package errors

type errorString struct{ s string }

func (e *errorString) Error() string { return e.s }

func New(text string) error { return &errorString{text} }

func Unwrap(err error) error {
	u, ok := err.(interface{ Unwrap() error })
	if !ok {
		return nil
	}
	return u.Unwrap()
}

// Is follows Unwrap; errors that wrap several are not looked into.
func Is(err, target error) bool {
	for err != nil {
		if err == target {
			return true
		}
		err = Unwrap(err)
	}
	return target == nil
}

type joined struct{ first error }

func (e *joined) Error() string { return e.first.Error() }
func (e *joined) Unwrap() error { return e.first }

var ErrUnsupported = New("unsupported operation")

// Package errors stands in for Go's. An error is told from others by its place in memory, as in
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

type isser interface{ Is(error) bool }
type asser interface{ As(any) bool }
type wrapper interface{ Unwrap() error }
type severalWrapper interface{ Unwrap() []error }

func Is(err, target error) bool {
	if err == nil || target == nil {
		return err == target
	}
	return is(err, target)
}

func is(err, target error) bool {
	for err != nil {
		if err == target {
			return true
		}
		if x, ok := err.(isser); ok && x.Is(target) {
			return true
		}
		if x, ok := err.(wrapper); ok {
			err = x.Unwrap()
			continue
		}
		if x, ok := err.(severalWrapper); ok {
			for _, e := range x.Unwrap() {
				if is(e, target) {
					return true
				}
			}
		}
		return false
	}
	return false
}

// assign stores an error where target points to, and reports whether it is of that type.
func assign(err error, target any) bool

func As(err error, target any) bool {
	if target == nil {
		panic("errors: target cannot be nil")
	}
	for err != nil {
		if assign(err, target) {
			return true
		}
		if x, ok := err.(asser); ok && x.As(target) {
			return true
		}
		if x, ok := err.(wrapper); ok {
			err = x.Unwrap()
			continue
		}
		if x, ok := err.(severalWrapper); ok {
			for _, e := range x.Unwrap() {
				if As(e, target) {
					return true
				}
			}
		}
		return false
	}
	return false
}

func AsType[E error](err error) (E, bool) {
	var target E
	found := As(err, &target)
	return target, found
}

type joined struct{ errs []error }

func (e *joined) Unwrap() []error { return e.errs }

func joinTwo(s, t string) string
func joinThree(s, t, u string) string

// Error knows the texts of two or three known ones.
func (e *joined) Error() string {
	switch first := e.errs[0].Error(); len(e.errs) {
	case 1:
		return first
	case 2:
		return joinTwo(first, e.errs[1].Error())
	case 3:
		return joinThree(first, e.errs[1].Error(), e.errs[2].Error())
	default:
		for _, err := range e.errs[1:] {
			first += "\n" + err.Error()
		}
		return first
	}
}

func Join(errs ...error) error {
	n := 0
	for _, err := range errs {
		if err != nil {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	e := &joined{make([]error, 0, len(errs))}
	for _, err := range errs {
		if err != nil {
			e.errs = append(e.errs, err)
		}
	}
	return e
}

var ErrUnsupported = New("unsupported operation")

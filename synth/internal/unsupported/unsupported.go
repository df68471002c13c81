// Package unsupported ends the work on a question that cannot be answered.
package unsupported

// Reason is why an exploration is aborted: the question cannot be answered here. It never leaves the package.
type Reason string

// Attempt calls a function that may be aborted, and says why it was; empty if it was not. Nothing else catches what is
// unsupported.
func Attempt(f func()) (why string) {
	defer func() {
		if p := recover(); p != nil {
			u, ok := p.(Reason)
			if !ok {
				panic(p)
			}
			why = string(u)
		}
	}()
	f()
	return ""
}

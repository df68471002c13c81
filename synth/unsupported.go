package synth

// unsupported is why an exploration is aborted: the question cannot be answered here. It never leaves the package.
type unsupported string

// attempt calls a function that may be aborted, and says why it was; empty if it was not. Nothing else catches what is
// unsupported.
func attempt(f func()) (why string) {
	defer func() {
		if p := recover(); p != nil {
			u, ok := p.(unsupported)
			if !ok {
				panic(p)
			}
			why = string(u)
		}
	}()
	f()
	return ""
}

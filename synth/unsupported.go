package synth

// unsupported aborts an exploration: the question cannot be answered here. It never leaves the package.
type unsupported struct{ why string }

// attempt calls a function that may be aborted, and says why it was. Nothing else catches what is unsupported.
func attempt(f func()) (why *unsupported) {
	defer func() {
		if p := recover(); p != nil {
			u, ok := p.(unsupported)
			if !ok {
				panic(p)
			}
			why = &u
		}
	}()
	f()
	return nil
}

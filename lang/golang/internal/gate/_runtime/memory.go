//go:build go1.23

package cdporgate

// Place is a gate before an access to memory.
func Place[T any](at string, p *T) *T {
	At(at)
	return p
}

// Load reads a place, behind a gate.
func Load[T any](at string, p *T) T {
	At(at)
	return *p
}

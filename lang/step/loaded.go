package step

// A Loaded program has what a front end knows of a program, whatever the language. What commands show
// of values and places is in the step form itself: Program.Text, Program.At.
type Loaded interface {
	Form() *Program
	// Source is the text of a file that a place names, nil if there is none. An empty name stands for the file that the
	// program was loaded from.
	Source(file string) []byte
	// WithoutInfluence are the shared variables with data that threads use although nothing that the program is judged
	// by depends on them, as far as the front end can tell.
	WithoutInfluence() []*Var
}

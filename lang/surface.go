package lang

import (
	"cdpor/lang/internal/check"
	"cdpor/lang/internal/lower"
	"cdpor/lang/internal/printer"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/vet"
	"cdpor/lang/step"
)

// What package syntax has for everybody: texts, messages and edits, and the formatter.
type (
	// A File is a program text with its name, kept for messages.
	File = syntax.File
	// An Error is one message about a place in a file.
	Error = syntax.Error
	// An ErrorList is everything found wrong with a file, by position.
	ErrorList = syntax.ErrorList
	// A Diagnostic is a kind of message about a program.
	Diagnostic = syntax.Diagnostic
	// An Edit does what a hint says: it puts a text in the place of another.
	Edit = syntax.Edit
	// A Mention is a name that stands in a program text, with what it means there.
	Mention = syntax.Mention
)

// Options change a program without editing it.
type Options = lower.Options

// An Expect is one entry of the expect section: the numbers a program must give.
type Expect = lower.Expect

// A Source is a loaded program: the checked step form plus what only the surface knows.
type Source struct {
	Program  *step.Program
	File     *File     // the text, for messages
	Expect   []*Expect // the expect section
	findings *vet.Findings
}

// Load reads, checks and lowers a program. The error is an ErrorList with everything found wrong.
func Load(path string, text []byte, opt Options) (*Source, error) {
	r, err := lower.Load(path, text, opt)
	return source(r), err
}

// LoadMentions is Load for editors, which want to know what the names in the text mean even if it has errors. The
// mentions are sorted by place. At one place there may be several: a procedure is written out for every call.
func LoadMentions(path string, text []byte, opt Options) (*Source, []Mention, error) {
	r, list, err := lower.LoadMentions(path, text, opt)
	return source(r), list, err
}

func source(r *lower.Result) *Source {
	if r == nil {
		return nil
	}
	return &Source{Program: r.Program, File: r.File, Expect: r.Expect, findings: r.Findings}
}

// A Warning is a remark about a program that is not wrong but suspicious. It prints like an error.
type Warning = vet.Warning

// Vet looks for what is probably not meant: statements that read and write shared data in one step although nothing
// says so, names that are not used, code that is never reached, loops that wait by going round, and properties that
// cannot fail. The result is sorted.
func Vet(s *Source) []*Warning { return vet.Program(s.File, s.Program, s.findings) }

// InOneStep are the places of statements that read and write shared data in one step although the program does not say
// so, and others may write what they read; in the order of the text.
func (s *Source) InOneStep() []step.Pos { return vet.InOneStep(s.Program, s.findings) }

// Form is the step form.
func (s *Source) Form() *step.Program { return s.Program }

// Source is the text of the program, which has one file.
func (s *Source) Source(string) []byte { return []byte(s.File.Text()) }

// WithoutInfluence are the shared variables with data that threads use although no property and no observed value
// depends on them, if there are properties, or if the program says what is observed.
func (s *Source) WithoutInfluence() []*step.Var {
	return vet.WithoutInfluence(s.Program, s.findings.Observes)
}

// ConstraintFileCode is the code of everything that is wrong with the form of a constraint file.
const ConstraintFileCode = syntax.ConstraintFileCode

// NewFile makes a File; carriage returns before line ends do not count.
func NewFile(name string, text []byte) *File { return syntax.NewFile(name, text) }

// Format lays out a program file in the one canonical way, comments kept. Declarations keep their lines and their
// order; trailing blanks go, and several empty lines become one. Code in blocks is indented by its braces, two blanks
// each, with one blank around operators, and comments at the ends of neighbouring lines stand below each other. The
// meaning does not change. A text that cannot be parsed gives an ErrorList.
func Format(path string, text []byte) ([]byte, error) { return syntax.Format(path, text) }

// Diagnostics are all kinds of messages, sorted by code.
func Diagnostics() []*Diagnostic { return syntax.Diagnostics() }

// Bounded is a text of a message without its middle, if it is longer than a line should be.
func Bounded(text string) string { return syntax.Bounded(text) }

// DidYouMean is the hint for a name that is unknown: "did you mean x?", or empty when no candidate is close.
func DidYouMean(name string, candidates []string) string { return syntax.DidYouMean(name, candidates) }

// EditDistance is how many insertions, deletions, replacements and swaps of neighbours lead from one text to another,
// in bytes.
func EditDistance(a, b string) int { return syntax.EditDistance(a, b, max(len(a), len(b))) }

// A Definition gives a condition about two steps a name that other conditions use.
type Definition = printer.Definition

// DefinitionOf reads a head such as meets(p, q); ok is false for anything else.
func DefinitionOf(head string) (d *Definition, ok bool) { return printer.DefinitionOf(head) }

// FormatExpr prints an expression in source syntax with the fewest parentheses. Parsed in the same place it gives an
// equal tree. a and b are the templates that step.P and step.Q mean, nil outside of constraints; p. and q. are printed
// where the bare name would be ambiguous.
func FormatExpr(e *step.Expr, a, b *step.Template) string { return printer.FormatExpr(e, a, b) }

// FormatValue prints the words of a value: 3, true, red, [1, 2], null, free, "held by philosopher[1]". prog names the
// holder of a mutex and may be nil.
func FormatValue(prog *step.Program, t *step.Type, words []int64) string {
	return printer.FormatValue(prog, t, words)
}

// AppendJSON appends a value as JSON: numbers, truth values, lists and objects as such, everything else as FormatValue
// writes it.
func AppendJSON(b []byte, prog *step.Program, t *step.Type, words []int64) []byte {
	return printer.AppendJSON(b, prog, t, words)
}

// Handle reports whether a value of a Go program is a function, a channel, a map, or what the library has made: what is
// done with it matters, not which it is.
func Handle(t *step.Type, text string) bool { return printer.Handle(t, text) }

// Locate finds the part of a variable that lies at some words; typ is nil if no part does.
func Locate(path string, t *step.Type, at, n int) (name string, typ *step.Type) {
	return printer.Locate(path, t, at, n)
}

// NormalForm is a canonical text of the checked program, parameters included. It does not change with comments, layout
// or the properties to check, and it changes with everything that constraints depend on.
func NormalForm(prog *step.Program) []byte { return printer.NormalForm(prog) }

// Observable are expressions for what a shared variable is in the end. A primitive is observed by its parts.
func Observable(v *step.Var) []string { return printer.Observable(v) }

// Runs are the parts of a chain of && or of ||, of any other condition none.
func Runs(e *step.Expr) []*step.Expr { return (*Texts)(nil).Runs(e) }

// Texts keeps how conditions and their parts are printed, for those who print the same ones again and again.
type Texts = printer.Texts

// NewTexts makes one that keeps nothing yet.
func NewTexts() *Texts { return printer.NewTexts() }

// ParseCondition parses and checks a constraint: a condition over shared variables and the locals of two steps. Locals
// of the first are written p.x, of the second q.x, and x alone where only one of the templates has it; at is the place
// of the text in the file. A condition about one step only has no b (and none about shared variables only has an a);
// self is then the number of the process of a. The condition of a pair may use definitions by name. The error is an
// ErrorList.
func ParseCondition(prog *step.Program, file *File, at step.Pos, text string, a, b *step.Step,
	defs ...*Definition) (*step.Expr, error) {
	return check.ParseCondition(prog, file, at, text, a, b, defs...)
}

// NameMeans tells what a name means already in the conditions of a program, so that no definition may have it; empty if
// it is free.
func NameMeans(prog *step.Program, name string) string { return check.NameMeans(prog, name) }

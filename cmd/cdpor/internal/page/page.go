// Package page writes the report of a search as one HTML file that needs nothing else, not even a network.
//
//	page.go       what the frame shows, and the file; page.html is the frame and says what there is to read, page.css
//	              its style, and page.js draws the exploration tree and schedules
//	data.go       what the script draws, embedded as JSON: of a search, or of executions of a test that was run
//	tree.go       the exploration tree, as an explore.Observer records it, and the outcomes at its ends
//	expansion.go  executions step by step, with the values and what happens before what
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"sync"

	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

var (
	//go:embed page.html
	frame string
	//go:embed page.css
	style string
	//go:embed page.js
	script string

	parsed = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(frame)) })
)

// A Page is the data of the HTML template.
type Page struct {
	Title       string
	Report      any // as --json prints it; nil: of a test that was executed, which has schedules only
	Verdict     string
	Kind        string // of the verdict, as a style
	Program     *step.Program
	Figures     []Number // the most important of them
	Numbers     []Number
	Pairs       []Pair
	Definitions []Definition // that the conditions of the pairs use
	Observed    []string
	Outcomes    []End
	Deadlocks   []End
	Violations  []Violation
	Coverage    any      // as --json prints it; nil: none
	Covered     string   // what it is worth
	Unchecked   []string // what no execution came to
	Holds       string   // what was checked and holds
	NeverRun    string   // the steps that no execution takes
	Closer      string   // what is so with each access a step of its own
	More        string   // what is left out of these
	Files       []File
	Tree        string // how much of the tree there is
	OtherTree   string // that the tree is that of another search
	Data        *Data
}

// A File is a text of the program; the only one has no name.
type File struct {
	Name, Path string
	Lines      []string
}

// A Number is a statistic.
type Number struct {
	Name  string
	Value any
}

// A Definition is a name that stands for a part of conditions.
type Definition struct{ Head, Text string }

// A Pair has the constraint of a pair of steps, its use, and states of the tree in which commute holds and does not.
type Pair struct {
	Steps            [2]PairStep
	Uniform, Commute string
	Status           string
	Use              []string
	Holds, Fails     *Sight // nil: there is none
}

// A PairStep is a step with its statement.
type PairStep struct{ Name, Text string }

// A Sight is a node of the tree with the values that matter there.
type Sight struct {
	Node   int
	Values []string
}

// An End is an outcome or a deadlock: its number in the table, its values, how many executions come to it.
type End struct {
	Number int
	Values []replay.Value
	Count  int64
	Text   []string
}

// A Violation is a violation on the page.
type Violation struct {
	Number           int
	Kind             explore.ViolationKind
	Text             string   // without the kind
	Why              []string // of a deadlock: who waits for what, in place of the text
	Count            int64
	Shown            bool     // there is a schedule
	Same             string   // what else is one with it
	History, Reasons []string // the lanes of a history that is not linearizable, and why it is not
}

// A shown page has what the frame adds to it.
type shown struct {
	*Page
	Style      template.CSS
	Script     template.JS
	ScriptHash string
	Drawn      json.RawMessage // the data, as the script reads it
}

// Write writes the page to a file.
func (p *Page) Write(path string) error {
	hash := sha256.Sum256([]byte(script))
	all := shown{Page: p, Style: template.CSS(style), Script: template.JS(script),
		ScriptHash: base64.StdEncoding.EncodeToString(hash[:])}
	var err error
	if all.Drawn, err = terminal.VisibleJSON(p.Data); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := parsed().Execute(&out, all); err != nil {
		return err
	}
	return files.Write(path, []byte(terminal.Visible(out.String())))
}

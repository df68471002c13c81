package cli

import (
	"errors"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"cdpor/lang"
)

// grammar has flags of each kind that cdpor has, and commands below others.
type grammar struct {
	Color string `enum:"auto,never" default:"auto"`
	Run   struct {
		Program   string            `arg:""`
		Algorithm string            `predictor:"algorithms"`
		Columns   []string          `predictor:"algorithms" xor:"what"`
		All       bool              `xor:"what"`
		Param     map[string]string `short:"p"`
		Bound     map[string]int
		Timeout   time.Duration
		Workers   int `default:"1"`
	} `cmd:""`
	Examples struct {
		Copy struct {
			Force bool
		} `cmd:""`
	} `cmd:""`
}

// FuzzSettings: whatever is in cdpor.yaml, it is read or refused with places that lie in the file.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{"run: {algorithm: source, param: [N=1]}\ncolor: never\n", "---\n", "&a [*a]",
		"run: &r {<<: *r}", "examples: {copy: {force: yes}}\n...\nx", "run: {workers: x, timeout: 3, bound: {a: 1}}"} {
		f.Add([]byte(text))
	}
	parser, err := kong.New(&grammar{}, kong.Name("cdpor"))
	if err != nil {
		f.Fatal(err)
	}
	app := &Model{Application: parser.Model,
		Lists: map[string]func() []string{"algorithms": func() []string { return []string{"source", "optimal"} }}}
	f.Fuzz(func(t *testing.T, text []byte) {
		var list lang.ErrorList
		switch err := (&Settings{}).ReadFile(app, "cdpor.yaml", text); {
		case err == nil:
		case !errors.As(err, &list):
			t.Error(err)
		default:
			for _, e := range list {
				if e.Pos.Line < 1 || e.Pos.Col < 1 || e.Msg == "" {
					t.Errorf("%+v", e)
				}
			}
		}
	})
}

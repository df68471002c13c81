package main

import (
	"errors"
	"testing"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/lang"
)

// FuzzSettings: whatever is in cdpor.yaml, it is read or refused with places that lie in the file.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{"run: {algorithm: source, param: [N=1]}\ncolor: never\n", "---\n", "&a [*a]",
		"run: &r {<<: *r}", "examples: {copy: {force: yes}}\n...\nx"} {
		f.Add([]byte(text))
	}
	app, err := wholeModel()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var list lang.ErrorList
		switch err := (&cli.Settings{}).ReadFile(app, "cdpor.yaml", text); {
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

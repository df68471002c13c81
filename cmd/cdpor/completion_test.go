package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/cli"

	"github.com/alecthomas/kong"
)

// completionDrivers ask a shell what it offers for the command lines of a file: an answer is a line "=> LINE" and the
// words below it. bash says what it would run, and fish answers; zsh shows its list only to a
// terminal, so one is made for it, and what it draws is read.
var completionDrivers = map[string]string{
	"bash": `
source ./script
eval command=$(complete -p cdpor | sed 's/.* -C \([^ ]*\) cdpor$/\1/')
while IFS= read -r line; do echo "=> $line"; COMP_LINE=$line COMP_POINT=${#line} "$command"; done < lines
`,
	"fish": `
source ./script
while read --local line
  echo "=> $line"
  complete -C "$line" | string replace -r '\t.*' ''
end < lines
exit 0
`,
	"zsh": `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; stty cols 300 -echo; COLUMNS=300; LISTMAX=1000; LINES=200; unsetopt beep; autoload -U compinit; compinit -u -D; source ./script
bindkey '^I' list-choices; finished() { zle kill-whole-line; print FINI''SHED }; zle -N finished; bindkey '^X' finished; print REA''DY"
zpty -r shell out '*READY*'
while IFS= read -r line; do
  zpty -n -w shell "$line"$'\t\x18'
  zpty -r shell out '*FINISHED*'
  print -r -- $'\n=> '"$line"$'\n'"$out"
done < lines
`}

// TestCompletion has the shells that are installed load their script and complete. The blank at the end of a line
// matters.
func TestCompletion(t *testing.T) {
	questions := []struct {
		line     string
		has, not []string
	}{
		{"cdpor ", []string{"run", "examples", "compare"}, []string{"a.yaml"}},
		{"cdpor ex", []string{"examples", "explain"}, []string{"run"}},
		{"cdpor --color ", []string{"auto", "always", "never"}, []string{"run"}},
		{"cdpor --color always com", []string{"compare"}, []string{"run"}},
		{"cdpor run --max", []string{"--max-depth", "--max-executions"}, []string{"--timeout", "--max-queries"}},
		{"cdpor run --co", []string{"--color", "--constraints", "--connect"}, nil},
		{"cdpor run --algorithm ", []string{"source", "optimal", "constrained"}, []string{"context1", "a.yaml"}},
		{"cdpor run --algorithm=so", []string{"source"}, []string{"optimal"}},
		{"cdpor run ", []string{"a.yaml"}, []string{"run"}},
		{"cdpor run --json a", []string{"a.yaml"}, nil},
		{"cdpor run --constraints ", []string{"a.yaml"}, nil},
		{"cdpor synth --dump ", []string{"folder"}, []string{"a.yaml"}},
		{"cdpor compare --algorithm source,op", []string{"optimal", "optimal-constrained"}, []string{"constrained"}},
		{"cdpor compare --columns ", []string{"nodes", "time-ratio"}, []string{"source"}},
		{"cdpor examples ", []string{"list", "show", "copy"}, []string{"run"}},
		{"cdpor examples show pet", []string{"peterson", "peterson-broken"}, []string{"dekker"}},
		{"cdpor explain E4", []string{"E401"}, []string{"E201"}},
		{"cdpor generate ", []string{"bash", "zsh", "fish", "man"}, []string{"a.yaml"}},
	}
	for shell, driver := range completionDrivers {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil || testing.Short() && shell != "bash" {
				t.Skip(err)
			}
			t.Chdir(t.TempDir())
			script, err := exec.Command("cdpor", "generate", shell).Output()
			if err != nil {
				t.Fatal(err)
			}
			var lines strings.Builder
			for _, q := range questions {
				lines.WriteString(q.line + "\n")
			}
			for name, text := range map[string]string{"script": string(script), "driver": driver,
				"lines": lines.String(), "a.yaml": "", "folder/x": ""} {
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			args := map[string][]string{"bash": {"--norc", "driver"}, "zsh": {"-f", "driver"},
				"fish": {"--no-config", "driver"}}[shell]
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, path, args...)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=xterm", "INPUTRC=/dev/null")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			answers := offered(string(out))
			for _, q := range questions {
				if strings.Contains(q.line, "=") && shell != "bash" { // for the others the word begins with the flag
					continue
				}
				got, ok := answers[q.line]
				if !ok {
					t.Errorf("%q is not answered", q.line)
				}
				for _, word := range q.has {
					if !slices.Contains(got, word) {
						t.Errorf("%q does not offer %s, but %q", q.line, word, got)
					}
				}
				for _, word := range q.not {
					if slices.Contains(got, word) {
						t.Errorf("%q offers %s", q.line, word)
					}
				}
			}
			if t.Failed() {
				t.Logf("%q", out)
			}
		})
	}
}

var escapeSequence = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// offered reads the output of a driver: the words offered for each line. What precedes a = or the last comma is written
// by bash and fish, and a / behind folders by fish and zsh; that is taken away. Of what zsh draws the first line is the
// command line itself, and what follows -- in a line is a description.
func offered(out string) map[string][]string {
	answers := map[string][]string{}
	line := ""
	for text := range strings.Lines(escapeSequence.ReplaceAllString(out, "\n")) {
		text = strings.TrimRight(text, "\r\n")
		if question, ok := strings.CutPrefix(text, "=> "); ok {
			line = question
			answers[line] = nil
			continue
		}
		if line == "" || strings.Contains(text, strings.TrimSpace(line)) || strings.Contains(text, "\b") {
			continue
		}
		text, _, _ = strings.Cut(text, " -- ")
		for word := range strings.FieldsSeq(text) {
			if i := strings.LastIndexAny(word, "=,"); i >= 0 {
				word = word[i+1:]
			}
			answers[line] = append(answers[line], strings.TrimSuffix(word, "/"))
		}
	}
	return answers
}

// TestCompletionTags: every tag predictor names a list, and the lists have words.
func TestCompletionTags(t *testing.T) {
	used := map[string]bool{}
	visit := func(v *kong.Value) {
		name := v.Tag.Get("predictor")
		if name == "" || name == "file" || name == "dir" {
			return
		}
		used[name] = true
		if list := wordLists()[name]; list == nil || len(list()) == 0 {
			t.Errorf("%s: there is no list %q", v.ShortSummary(), name)
		}
	}
	for _, n := range cli.Commands(model(t).Node) {
		for _, f := range n.Flags {
			visit(f.Value)
		}
		for _, p := range n.Positional {
			visit(p)
		}
	}
	for name := range wordLists() {
		if !used[name] {
			t.Errorf("the list %q is not used", name)
		}
	}
}

// model is the model of the command line.
func model(t *testing.T) *cli.Model {
	t.Helper()
	app, err := wholeModel()
	if err != nil {
		t.Fatal(err)
	}
	return app
}

package main

import (
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"

	"github.com/alecthomas/kong"
)

type manCommand struct{}

func (manCommand) Help() string {
	return `Read it with: cdpor man | man -l -

Install it with: cdpor man > /usr/local/share/man/man1/cdpor.1`
}

func (manCommand) Run(e *environment) error {
	app, err := wholeModel()
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.stdout, manPage(app))
	return err
}

// manPage is the manual in the macros of man(7).
func manPage(app *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH CDPOR 1 %s \"cdpor %s\" \"User Commands\"\n", versionDate, version)
	fmt.Fprintf(&b, ".SH NAME\ncdpor \\- explore what concurrent programs can do\n")
	b.WriteString(".SH SYNOPSIS\n")
	for i, n := range leafCommands(app.Node) {
		if i > 0 {
			b.WriteString(".br\n")
		}
		fmt.Fprintf(&b, ".B cdpor %s\n", roff(commandName(n)))
		if args := positionals(n); args != "" {
			fmt.Fprintf(&b, "%s\n", roffLine(args))
		}
		b.WriteString("[flags]\n")
	}
	b.WriteString(".SH DESCRIPTION\n")
	roffText(&b, app.Help)
	b.WriteString(".SH OPTIONS\nOf all commands:\n")
	roffFlags(&b, commandFlags(app.Node))
	b.WriteString(".SH COMMANDS\n")
	for _, n := range leafCommands(app.Node) {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(strings.TrimSpace(commandName(n)+" "+positionals(n))), roffLine(n.Help))
		if n.Detail != "" {
			b.WriteString(".PP\n")
			roffText(&b, n.Detail)
		}
		for _, p := range n.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(p.Summary()), roffLine(p.Help))
		}
		roffFlags(&b, commandFlags(n))
	}
	return b.String()
}

func roffFlags(b *strings.Builder, flags []*kong.Flag) {
	for _, f := range flags {
		name := "\\fB" + roff("--"+f.Name) + "\\fR"
		if f.Short != 0 {
			name = "\\fB" + roff("-"+string(f.Short)) + "\\fR, " + name
		}
		if value := flagValue(f); value != "" {
			name += "=\\fI" + roff(value) + "\\fR"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, roffLine(f.Help))
	}
}

func roffText(b *strings.Builder, text string) {
	for i, p := range paragraphs(text) {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		fmt.Fprintln(b, roffLine(p))
	}
}

// roff hides from the formatter what it would take for a command.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, `"`, `\(dq`, "~", `\(ti`, "^", `\(ha`, "`", `\(ga`).Replace(text)
}

// roffLine is a text that begins a line. Each sentence begins a new one, as formatters want it.
func roffLine(text string) string {
	var lines []string
	for sentence := range strings.SplitSeq(strings.ReplaceAll(roff(text), ". ", ".\n"), "\n") {
		lines = append(lines, terminal.Wrap(sentence, 78)...)
	}
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

package cli

import (
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"

	"github.com/alecthomas/kong"
)

// ManPage is the manual in the macros of man(7).
func ManPage(m *Model, version, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH CDPOR 1 %s \"cdpor %s\" \"User Commands\"\n", date, version)
	fmt.Fprintf(&b, ".SH NAME\ncdpor \\- explore what concurrent programs can do\n")
	b.WriteString(".SH SYNOPSIS\n")
	for i, n := range Commands(m.Node) {
		if i > 0 {
			b.WriteString(".br\n")
		}
		fmt.Fprintf(&b, ".B cdpor %s\n", roff(CommandName(n)))
		if args := positionals(n); args != "" {
			fmt.Fprintf(&b, "%s\n", roffLine(args))
		}
		b.WriteString("[flags]\n")
	}
	b.WriteString(".SH DESCRIPTION\n")
	roffText(&b, m.Help)
	b.WriteString(".SH OPTIONS\nOf all commands:\n")
	roffFlags(&b, CommandFlags(m.Node))
	b.WriteString(".SH COMMANDS\n")
	for _, n := range Commands(m.Node) {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(strings.TrimSpace(CommandName(n)+" "+positionals(n))), roffLine(n.Help))
		if n.Detail != "" {
			b.WriteString(".PP\n")
			roffText(&b, n.Detail)
		}
		for _, p := range n.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(p.Summary()), roffLine(p.Help))
		}
		roffFlags(&b, CommandFlags(n))
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
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, `"`, `\(dq`, "~", `\(ti`, "^", `\(ha`,
		"`", `\(ga`).Replace(text)
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

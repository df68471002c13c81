package cli

import (
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"

	"github.com/alecthomas/kong"
)

// Reference is CLI.md: all commands and flags, as Markdown.
func Reference(m *Model) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The command line of cdpor\n\n%s\n",
		filled("Made from the commands themselves: `go test ./cmd/cdpor -run Reference -update`. "+
			"`cdpor man` prints the same as a man page."))
	for _, p := range paragraphs(m.Help) {
		fmt.Fprintf(&b, "\n%s\n", filled(p))
	}
	fmt.Fprintf(&b, "\n## Flags of all commands\n\n")
	flagTable(&b, CommandFlags(m.Node))
	for _, n := range Commands(m.Node) {
		fmt.Fprintf(&b, "\n## cdpor %s\n\n`%s`\n\n%s\n", CommandName(n),
			strings.Join(strings.Fields("cdpor "+CommandName(n)+" "+positionals(n)+" [flags]"), " "), filled(n.Help))
		for _, p := range paragraphs(n.Detail) {
			fmt.Fprintf(&b, "\n%s\n", filled(p))
		}
		if len(n.Positional) > 0 {
			b.WriteString("\n| argument | meaning |\n|---|---|\n")
			for _, p := range n.Positional {
				fmt.Fprintf(&b, "| `%s` | %s |\n", p.Summary(), cell(p.Help))
			}
		}
		if flags := CommandFlags(n); len(flags) > 0 {
			b.WriteByte('\n')
			flagTable(&b, flags)
		}
	}
	return b.String()
}

func flagTable(b *strings.Builder, flags []*kong.Flag) {
	b.WriteString("| flag | meaning |\n|---|---|\n")
	for _, f := range flags {
		name := "--" + f.Name
		if value := flagValue(f); value != "" {
			name += "=" + value
		}
		name = "`" + name + "`"
		if f.Short != 0 {
			name = fmt.Sprintf("`-%c`, %s", f.Short, name)
		}
		fmt.Fprintf(b, "| %s | %s |\n", name, cell(f.Help))
	}
}

// paragraphs are the paragraphs of a help text, one line each.
func paragraphs(text string) (list []string) {
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// filled is a paragraph in lines of at most 120 columns.
func filled(text string) string { return strings.Join(terminal.Wrap(text, 120), "\n") }

// cell is a text as it can stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

package cli

import (
	"strings"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"
)

// ManPage is the manual in the macros of man(7). It changes the model.
func ManPage(m *Model) string {
	m.Help, m.Detail = "explore what concurrent programs can do", strings.Join(paragraphs(m.Help), "\n")
	for _, n := range m.Children {
		allInHelp(n)
	}
	return mangokong.NewManPage(1, m.Application).Build(roff.NewDocument())
}

// allInHelp adds to the help of a command, and of those below it, what the page would not show, or in the wrong place.
func allInHelp(n *kong.Node) {
	text := append([]string{n.Help}, paragraphs(n.Detail)...)
	for _, p := range n.Positional {
		text = append(text, p.Summary()+": "+p.Help)
	}
	n.Help, n.Detail = strings.Join(text, "\n"), ""
	for _, c := range n.Children {
		allInHelp(c)
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

package pictures

import (
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
)

// A Graph is an exploration tree ready for a program that draws graphs: each node behind its parent, the root first.
type Graph struct {
	Title string
	Nodes []GraphNode
	Rest  string // what is not drawn; empty: nothing
}

// A GraphNode is a node with the edge that leads to it.
type GraphNode struct {
	Parent int
	Edge   string // the step that leads to it
	Text   string
	Kind   Kind
	Back   bool // it goes back to the node known
	Known  int
}

// A Kind tells nodes apart by how they look.
type Kind int

const (
	// Inner nodes are followed; at a Good or Bad one an execution ends; a Cut one is not followed or not finished.
	Inner Kind = iota
	Good
	Bad
	Cut
)

// Dot writes a graph in the language of Graphviz.
func Dot(d *Graph) string {
	var b strings.Builder
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(terminal.Visible(s)) + `"`
	}
	fmt.Fprintf(&b, "digraph exploration {\n\tlabel=%s\n\tlabelloc=t\n\tfontname=\"sans-serif\"\n", quote(d.Title))
	b.WriteString("\tnode [shape=circle width=0.12 fixedsize=false margin=0.04 fontname=\"sans-serif\" fontsize=11]\n")
	b.WriteString("\tgraph [nodesep=0.4 ranksep=0.6]\n") // with the spaces around labels: no two of them touch
	b.WriteString("\tedge [fontname=\"monospace\" fontsize=10 arrowsize=0.6]\n")
	for k, n := range d.Nodes {
		style := ""
		switch n.Kind {
		case Good:
			style = " shape=box style=filled fillcolor=\"#d7f0dd\""
		case Bad:
			style = " shape=box style=filled fillcolor=\"#f8d4d6\""
		case Cut:
			style = " shape=box style=dashed"
		}
		fmt.Fprintf(&b, "\tn%d [label=%s%s]\n", k, quote(n.Text), style)
		if k > 0 {
			fmt.Fprintf(&b, "\tn%d -> n%d [label=%s]\n", n.Parent, k, quote(" "+n.Edge+" "))
		}
		if n.Back {
			fmt.Fprintf(&b, "\tn%d -> n%d [style=dotted constraint=false]\n", k, n.Known)
		}
	}
	if d.Rest != "" {
		fmt.Fprintf(&b, "\trest [label=%s shape=note]\n", quote(d.Rest))
	}
	b.WriteString("}\n")
	return b.String()
}

// Mermaid writes a graph in the language of Mermaid.
func Mermaid(d *Graph) string {
	var b strings.Builder
	quote := func(s string) string {
		return `"` + strings.NewReplacer("&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "#", "#35;", "\n",
			" ").Replace(terminal.Visible(s)) + `"`
	}
	fmt.Fprintf(&b, "%%%% %s\nflowchart TD\n", strings.ReplaceAll(terminal.Visible(d.Title), "\n", " "))
	class := map[Kind]string{Good: "good", Bad: "bad", Cut: "cut"}
	for k, n := range d.Nodes {
		switch {
		case n.Kind == Inner:
			fmt.Fprintf(&b, "\tn%d(( ))\n", k)
		default:
			fmt.Fprintf(&b, "\tn%d[%s]:::%s\n", k, quote(n.Text), class[n.Kind])
		}
		if k > 0 {
			fmt.Fprintf(&b, "\tn%d -- %s --> n%d\n", n.Parent, quote(n.Edge), k)
		}
		if n.Back {
			fmt.Fprintf(&b, "\tn%d -.-> n%d\n", k, n.Known)
		}
	}
	if d.Rest != "" {
		fmt.Fprintf(&b, "\trest[%s]\n", quote(d.Rest))
	}
	b.WriteString("\tclassDef good fill:#d7f0dd,stroke:#3d9e57,color:#10331b\n" +
		"\tclassDef bad fill:#f8d4d6,stroke:#d64f5c,color:#4a1016\n")
	b.WriteString("\tclassDef cut stroke-dasharray:4 3\n")
	return b.String()
}

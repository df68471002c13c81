package main

import (
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
)

// The exploration tree for programs that draw graphs: a node says how an execution ended or why it is not followed, an edge which step
// was taken.

// A drawing is what is drawn.
type drawing struct {
	title string
	nodes []drawnNode
	rest  string // what is not drawn; empty: nothing
}

type drawnNode struct {
	parent int
	edge   string // the step that leads to it
	text   string
	kind   drawnKind
	back   bool // it goes back to the node known
	known  int
}

type drawnKind int

const (
	drawnInner drawnKind = iota
	drawnGood
	drawnBad
	drawnCut // given up, skipped or not finished
)

// writeDrawing writes at most so many nodes of the tree in a language to a file.
func (r *report) writeDrawing(path string, most int, in func(*drawing) string) error {
	d, err := r.drawing(most)
	if err != nil {
		return err
	}
	return files.Write(path, []byte(in(d)))
}

func (r *report) drawing(most int) (*drawing, error) {
	prog := r.m.Program
	d := &drawing{title: fmt.Sprintf("%s, explored by %s", prog.Name, r.result.Algorithm)}
	if r.tree == nil {
		d.rest = "there was no exploration"
		return d, nil
	}
	u, err := newUnfolder(r.t, nil)
	if err != nil {
		return nil, err
	}
	ends, err := newEnds(r)
	if err != nil {
		return nil, err
	}
	for k, n := range r.tree.nodes[:min(most, len(r.tree.nodes))] {
		out := drawnNode{parent: n.parent}
		failed := ""
		if k == 0 {
			u.begin()
		} else {
			u.back(n.depth - 1)
			m := u.take(n.action)
			out.edge = prog.Procs[r.m.ProcOf(n.action)].Name + "." + u.steps.list[m.Step].Label
			if choice := r.m.ChoiceOf(n.action); choice > 0 {
				out.edge += fmt.Sprintf(":%d", choice)
			}
			failed = u.texts.list[m.Fails]
		}
		number := ends.number(n.end, u.state())
		switch {
		case n.end == explore.EndsNormally && number > 0:
			out.kind, out.text = drawnGood, fmt.Sprintf("outcome %d", number)
		case n.end == explore.EndsNormally:
			out.kind, out.text = drawnGood, "ended"
		case n.end == explore.EndsDeadlock:
			out.kind, out.text = drawnBad, fmt.Sprintf("deadlock %d", number)
		case n.end == explore.EndsFailed:
			out.kind, out.text = drawnBad, "failed"
		case n.end == explore.EndsVisited:
			out.kind, out.text, out.back, out.known = drawnCut, string(explore.SkippedSeen), true, n.known
		case n.end != "":
			out.kind, out.text = drawnCut, string(n.end)
		case n.skipped != "":
			out.kind, out.text = drawnCut, "not visited: "+string(n.skipped)
		case n.open:
			out.kind, out.text = drawnCut, "..."
		}
		if failed != "" {
			out.edge += " FAILS: " + failed
		}
		d.nodes = append(d.nodes, out)
	}
	d.rest = r.tree.extent(r.result, most)
	return d, nil
}

// drawDot writes a drawing in the language of Graphviz.
func drawDot(d *drawing) string {
	var b strings.Builder
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(terminal.Visible(s)) + `"`
	}
	fmt.Fprintf(&b, "digraph exploration {\n\tlabel=%s\n\tlabelloc=t\n\tfontname=\"sans-serif\"\n", quote(d.title))
	b.WriteString("\tnode [shape=circle width=0.12 fixedsize=false margin=0.04 fontname=\"sans-serif\" fontsize=11]\n")
	b.WriteString("\tgraph [nodesep=0.4 ranksep=0.6]\n") // with the spaces around labels: no two of them touch
	b.WriteString("\tedge [fontname=\"monospace\" fontsize=10 arrowsize=0.6]\n")
	for k, n := range d.nodes {
		style := ""
		switch n.kind {
		case drawnGood:
			style = " shape=box style=filled fillcolor=\"#d7f0dd\""
		case drawnBad:
			style = " shape=box style=filled fillcolor=\"#f8d4d6\""
		case drawnCut:
			style = " shape=box style=dashed"
		}
		fmt.Fprintf(&b, "\tn%d [label=%s%s]\n", k, quote(n.text), style)
		if k > 0 {
			fmt.Fprintf(&b, "\tn%d -> n%d [label=%s]\n", n.parent, k, quote(" "+n.edge+" "))
		}
		if n.back {
			fmt.Fprintf(&b, "\tn%d -> n%d [style=dotted constraint=false]\n", k, n.known)
		}
	}
	if d.rest != "" {
		fmt.Fprintf(&b, "\trest [label=%s shape=note]\n", quote(d.rest))
	}
	b.WriteString("}\n")
	return b.String()
}

// drawMermaid writes a drawing in the language of Mermaid.
func drawMermaid(d *drawing) string {
	var b strings.Builder
	quote := func(s string) string {
		return `"` + strings.NewReplacer("&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "#", "#35;", "\n", " ").Replace(terminal.Visible(s)) + `"`
	}
	fmt.Fprintf(&b, "%%%% %s\nflowchart TD\n", strings.ReplaceAll(terminal.Visible(d.title), "\n", " "))
	class := map[drawnKind]string{drawnGood: "good", drawnBad: "bad", drawnCut: "cut"}
	for k, n := range d.nodes {
		switch {
		case n.kind == drawnInner:
			fmt.Fprintf(&b, "\tn%d(( ))\n", k)
		default:
			fmt.Fprintf(&b, "\tn%d[%s]:::%s\n", k, quote(n.text), class[n.kind])
		}
		if k > 0 {
			fmt.Fprintf(&b, "\tn%d -- %s --> n%d\n", n.parent, quote(n.edge), k)
		}
		if n.back {
			fmt.Fprintf(&b, "\tn%d -.-> n%d\n", k, n.known)
		}
	}
	if d.rest != "" {
		fmt.Fprintf(&b, "\trest[%s]\n", quote(d.rest))
	}
	b.WriteString("\tclassDef good fill:#d7f0dd,stroke:#3d9e57,color:#10331b\n\tclassDef bad fill:#f8d4d6,stroke:#d64f5c,color:#4a1016\n")
	b.WriteString("\tclassDef cut stroke-dasharray:4 3\n")
	return b.String()
}

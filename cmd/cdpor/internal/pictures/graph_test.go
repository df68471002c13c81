package pictures

import (
	"strings"
	"testing"
)

// TestGraph writes one tree for Graphviz and for Mermaid: labels are quoted, and an edge leads back to a known state.
func TestGraph(t *testing.T) {
	g := &Graph{Title: `p "x"`, Rest: "1 of 9 nodes", Nodes: []GraphNode{{},
		{Parent: 0, Edge: `t.1 FAILS: "one"`, Text: "failed", Kind: Bad},
		{Parent: 0, Edge: "u.1", Text: "outcome 1", Kind: Good},
		{Parent: 2, Edge: "u.2\u202e", Text: "state known", Kind: Cut, Back: true, Known: 1}}}
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"dot": {Dot(g), []string{`label="p \"x\""`, `n1 [label="failed" shape=box style=filled fillcolor="#f8d4d6"]`,
			`n0 -> n1 [label=" t.1 FAILS: \"one\" "]`, `n3 -> n1 [style=dotted constraint=false]`, `u.2\\u202e`,
			`rest [label="1 of 9 nodes" shape=note]`}},
		"mermaid": {Mermaid(g), []string{"flowchart TD\n", `n1["failed"]:::bad`, `n2["outcome 1"]:::good`,
			`n0 -- "u.1" --> n2`, "n3 -.-> n1", "1 of 9 nodes"}},
	} {
		for _, want := range test.want {
			if !strings.Contains(test.text, want) {
				t.Errorf("%s: no %s in\n%s", name, want, test.text)
			}
		}
	}
}

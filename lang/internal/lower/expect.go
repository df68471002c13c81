package lower

import (
	"slices"
	"strings"

	"cdpor/lang/internal/printer"
	"cdpor/lang/internal/syntax"

	"gopkg.in/yaml.v3"
)

func (l *loader) readExpect(n *yaml.Node) {
	for _, item := range syntax.Items(n) {
		e := &Expect{Pos: syntax.NodePos(item)}
		count := func(to **int64, what string) func(*yaml.Node) {
			return func(n *yaml.Node) {
				if v, ok := l.Number(n, what); ok {
					if v < 0 {
						l.At(n, "", "%s cannot be negative", what)
					}
					*to = &v
				}
			}
		}
		l.Fields(item, "expect", map[string]func(*yaml.Node){
			"with":       func(n *yaml.Node) { e.With = readOverrides(l, n) },
			"algorithm":  func(n *yaml.Node) { e.Algorithms = expectedWords(l.Reporter, n, "an algorithm") },
			"traces":     count(&e.Traces, "traces"),
			"outcomes":   count(&e.Outcomes, "outcomes"),
			"deadlocks":  count(&e.Deadlocks, "deadlocks"),
			"executions": count(&e.Executions, "executions"),
			"blocked":    count(&e.Blocked, "blocked"),
			"states":     count(&e.States, "states"),
			"histories":  count(&e.Histories, "histories"),
			"fails": func(n *yaml.Node) {
				e.Fails = append([]string{}, expectedWords(l.Reporter, n, "what fails")...)
			},
			"verdict": func(n *yaml.Node) {
				e.Verdict = n.Value
				known := []string{"ok", "violation", "deadlock", "vacuous"}
				if !slices.Contains(known, n.Value) {
					l.At(n, syntax.DidYouMean(n.Value, known),
						"a verdict is ok, violation, deadlock or vacuous, not %q", n.Value)
				}
			},
		})
		l.expect = append(l.expect, e)
	}
}

func expectedWords(r *syntax.Reporter, n *yaml.Node, what string) (list []string) {
	for _, item := range syntax.Items(n) {
		if s, ok := r.Scalar(item, what); ok {
			list = append(list, s)
		}
	}
	return list
}

// readOverrides reads parameter values as text: they are evaluated when the entry is run.
func readOverrides(l *loader, n *yaml.Node) map[string]string {
	with := map[string]string{}
	for _, kv := range l.Entries(n, "with") {
		name := kv[0].Value
		if l.Params[name] == nil {
			var known []string
			for _, p := range l.prog.Params {
				known = append(known, p.Name)
			}
			l.At(kv[0], syntax.DidYouMean(name, known), "the program has no parameter %s", name)
			continue
		}
		p := l.Params[name]
		value := printer.FormatValue(nil, p.Type, p.Words)
		l.Mention(syntax.Mention{Pos: syntax.NamePos(kv[0]), What: "parameter", Name: name, Value: value}, p.Type)
		if kv[1].Kind == yaml.SequenceNode {
			with[name] = "[" + strings.Join(expectedWords(l.Reporter, kv[1], "an element"), ", ") + "]"
		} else if s, ok := l.Scalar(kv[1], "the value of "+name); ok {
			with[name] = s
		}
	}
	return with
}

package report

import (
	"fmt"

	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/page"
	"cdpor/cmd/cdpor/internal/pictures"
	"cdpor/explore"
)

// The exploration tree for programs that draw graphs: a node says how an execution ended or why it is not followed, an
// edge which step was taken.

// WriteDrawing writes at most so many nodes of the tree in a language to a file.
func (r *Report) WriteDrawing(path string, most int, in func(*pictures.Graph) string) error {
	d, err := r.drawing(most)
	if err != nil {
		return err
	}
	return files.Write(path, []byte(in(d)))
}

func (r *Report) drawing(most int) (*pictures.Graph, error) {
	prog := r.Machine.Program
	d := &pictures.Graph{Title: fmt.Sprintf("%s, explored by %s", prog.Name, r.Result.Algorithm)}
	if r.Tree == nil {
		d.Rest = "there was no exploration"
		return d, nil
	}
	u, err := page.NewExpander(r.Player, nil)
	if err != nil {
		return nil, err
	}
	ends, err := pictures.NewOutcomeIndex(r.Machine, r.Result)
	if err != nil {
		return nil, err
	}
	for k, n := range r.Tree.Nodes[:min(most, len(r.Tree.Nodes))] {
		out := pictures.GraphNode{Parent: n.Parent}
		failed := ""
		if k == 0 {
			u.Begin()
		} else {
			u.Back(n.Depth - 1)
			m := u.Take(n.Action)
			out.Edge = prog.Procs[r.Machine.ProcOf(n.Action)].Called() + page.Between(prog) + u.Label(m)
			if choice := r.Machine.ChoiceOf(n.Action); choice > 0 {
				out.Edge += fmt.Sprintf(":%d", choice)
			}
			failed = u.Text(m.Fails)
		}
		number := ends.Number(n.End, u.State())
		switch {
		case n.End == explore.EndsNormally && number > 0:
			out.Kind, out.Text = pictures.Good, fmt.Sprintf("outcome %d", number)
		case n.End == explore.EndsNormally:
			out.Kind, out.Text = pictures.Good, "ended"
		case n.End == explore.EndsDeadlock:
			out.Kind, out.Text = pictures.Bad, fmt.Sprintf("deadlock %d", number)
		case n.End == explore.EndsFailed:
			out.Kind, out.Text = pictures.Bad, "failed"
		case n.End == explore.EndsVisited:
			out.Kind, out.Text, out.Back, out.Known = pictures.Cut, string(explore.SkippedSeen), true, n.Known
		case n.End != "":
			out.Kind, out.Text = pictures.Cut, string(n.End)
		case n.Skipped != "":
			out.Kind, out.Text = pictures.Cut, "not visited: "+string(n.Skipped)
		case n.Open:
			out.Kind, out.Text = pictures.Cut, "..."
		}
		if failed != "" {
			out.Edge += " FAILS: " + failed
		}
		d.Nodes = append(d.Nodes, out)
	}
	d.Rest = r.Tree.Extent(r.Result, most)
	return d, nil
}

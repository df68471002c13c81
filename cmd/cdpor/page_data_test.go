package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/page"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// dataOf is the data of a page.
func dataOf(t *testing.T, text string) *page.Data {
	t.Helper()
	_, rest, ok := strings.Cut(text, `<script type="application/json" id="data">`)
	inner, _, both := strings.Cut(rest, "</script>")
	var data page.Data
	if err := json.Unmarshal([]byte(inner), &data); !ok || !both || err != nil {
		t.Fatalf("the page has no data: %v", err)
	}
	return &data
}

// TestPageStates runs the schedule of every node of a page anew: the differences that the page has add up to the state
// there. It also holds what the nodes say about each other against the tree.
func TestPageStates(t *testing.T) {
	for _, args := range [][]string{
		{"--algorithm", "source", "producer-consumer"}, {"--algorithm", "context", "dining-philosophers"},
		{"--algorithm", "optimal", "check-then-act"},
		{"--algorithm", "source", "lost-worker"}, {"--algorithm", "context", "mailbox-timeouts"},
		{"--algorithm", "exhaustive", "accounts-broken"},
		{"--algorithm", "interleavings", "--max-executions", "50", "worker-pool"},
	} {
		name := args[len(args)-1]
		path := "../../testdata/programs/" + name + ".yaml"
		s := load(t, path, nil)
		tr, err := replay.New(s.m)
		if err != nil {
			t.Fatal(err)
		}
		_, text := writtenPage(t, append(append([]string{"--no-constraints"}, args[:len(args)-1]...), path)...)
		data := dataOf(t, text)
		if choices := slices.ContainsFunc(data.Texts,
			func(s string) bool { return strings.HasPrefix(s, "receive ") }); choices != (name == "mailbox-timeouts") {
			t.Errorf("%s: the page names alternatives of receive: %v", name, choices)
		}
		if len(data.Nodes) < 10 {
			t.Fatalf("%s: %d nodes", name, len(data.Nodes))
		}
		for k := range data.Nodes {
			checkNode(t, name, s.m, tr, data, k)
		}
		for _, schedule := range data.Schedules {
			var actions []int32
			for _, m := range schedule.Moments[1:] {
				actions = append(actions, int32(m.Action))
			}
			checkState(t, name, s.m, tr, data, actions, schedule.Moments)
		}
	}
}

func checkNode(t *testing.T, name string, m *step.Machine, tr *replay.Player, data *page.Data, k int) {
	t.Helper()
	var way []int
	for j := k; j >= 0; j = data.Nodes[j].Parent {
		way = append(way, j)
	}
	slices.Reverse(way)
	var actions []int32
	var moments []page.Moment
	for _, j := range way {
		moments = append(moments, data.Nodes[j].Moment)
		if j > 0 {
			actions = append(actions, int32(data.Nodes[j].Action))
		}
	}
	n := data.Nodes[k]
	for _, c := range n.Races {
		if !slices.Contains(way[1:], c.With) || m.ProcOf(data.Nodes[c.With].Action) == m.ProcOf(c.Action) {
			t.Errorf("%s: #%d races with #%d", name, k, c.With)
		}
	}
	for _, i := range n.Inserted {
		if !slices.Contains(way, i.At) {
			t.Errorf("%s: #%d adds to #%d, which does not lead to it", name, k, i.At)
		}
	}
	s := checkState(t, name, m, tr, data, actions, moments)
	want := map[step.Ending]explore.LeafKind{step.Ended: explore.EndsNormally, step.Deadlocked: explore.EndsDeadlock,
		step.Failed: explore.EndsFailed, step.Cut: explore.EndsDropped}
	if n.End == "" || n.End == explore.EndsBlocked || n.End == explore.EndsHopeless {
		return
	}
	if n.End != want[m.EndingOf(s)] {
		t.Errorf("%s: #%d ends %s, the execution %s", name, k, n.End, want[m.EndingOf(s)])
	}
	if (n.End == "ended" || n.End == "deadlock") != (n.Outcome > 0) {
		t.Errorf("%s: #%d ends %s with number %d", name, k, n.End, n.Outcome)
	}
}

// checkState compares the state that moments add up to with that of a schedule.
func checkState(t *testing.T, name string, m *step.Machine, tr *replay.Player, data *page.Data, actions []int32,
	moments []page.Moment) step.State {
	t.Helper()
	var takes [][]string // of the steps
	s, err := tr.Follow(actions, func(_ step.State, done replay.Step) {
		var list []string
		for _, way := range done.Takes {
			list = append(list, terminal.Shorten(way, 72))
		}
		takes = append(takes, list)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range moments[1:] {
		var shown []string
		for _, text := range m.Takes {
			shown = append(shown, data.Texts[text])
		}
		if !slices.Equal(shown, takes[i]) {
			t.Errorf("%s, %v: step %d takes %q, the page has %q", name, actions, i+1, takes[i], shown)
		}
	}
	values, places := map[string]string{}, map[int]page.Place{}
	for _, m := range moments {
		for _, v := range m.Values {
			if data.Variables[v[0]].Proc < 0 {
				values[data.Variables[v[0]].Name] = data.Texts[v[1]]
			}
		}
		for _, p := range m.Places {
			places[p[0]] = data.Places[p[1]]
		}
	}
	for _, v := range replay.Shared(m.Program, s) {
		if values[v.Name] != v.Text {
			t.Errorf("%s, %v: %s is %s, the page has %s", name, actions, v.Name, v.Text, values[v.Name])
		}
	}
	for p := range m.NumProcs() {
		_, _, failed := m.Failure(s, p)
		kind := ""
		switch {
		case failed:
			kind = "failed"
		case m.Asleep(s, p):
			kind = "not started"
		case m.Dropped(s, p):
			kind = "dropped"
		case m.Finished(s, p):
			kind = "ended"
		case m.Crashed(s, p):
			kind = "crashed"
		case tr.Enabled(s, p):
			kind = "can run"
		default:
			kind = "waits"
		}
		if places[p].Kind != kind {
			t.Errorf("%s, %v: process %d %s, the page has %s", name, actions, p, kind, places[p].Kind)
		}
	}
	return s
}

package explore

import (
	"context"
	"testing"

	"cdpor/explore/dpor"
)

// TestPersistent: from a node the processes of one persistent set are tried, not all. Steps on different variables make
// one of them a set; a thread that waits takes in who may let it go on, now or later, and nobody else; what a process
// that is yet to be started does counts for the one that starts it.
func TestPersistent(t *testing.T) {
	for _, c := range []struct {
		name, text        string
		executions, nodes int64
		plain             int64 // the nodes of sleep sets alone
	}{
		{"disjoint", "shared: {x: int, y: int, z: int}\nthreads:\n  p: x += 1\n  q: y += 1\n  r: z += 1\n", 1, 4, 8},
		{"one pair", "shared: {x: int, y: int}\nthreads:\n  p: x += 1\n  q: x *= 2\n  r: y += 1\n", 2, 6, 10},
		{"waiting",
			"shared: {go: bool, x: int}\nthreads:\n  p: |\n    await go\n    x = 1\n  q: go = true\n  r: x = 2\n",
			2, 7, 9},
		{"later", "shared: {x: int, y: int}\nthreads:\n  p: x = 1\n  q: |\n    y = 1\n    x = 2\n", 2, 6, 7},
		{"started", "shared: {x: int}\nthreads:\n  p: x = 1\n  q: spawn w()\n  w: {params: [], run: x = 2}\n", 2, 6, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := load("cdpor: 1\n" + c.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Run(context.Background(), m, dpor.PersistentAlgorithm, Options{Validate: true})
			if err != nil {
				t.Fatal(err)
			}
			plain, err := Run(context.Background(), m, dpor.SleepAlgorithm, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Executions != c.executions || got.Nodes != c.nodes ||
				plain.Executions != c.executions || plain.Nodes != c.plain {
				t.Errorf("%d executions, %d nodes; sleep sets alone %d, %d; want %d, %d; %d, %d",
					got.Executions, got.Nodes, plain.Executions, plain.Nodes,
					c.executions, c.nodes, c.executions, c.plain)
			}
		})
	}
}

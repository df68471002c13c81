package slice

import (
	"slices"

	"cdpor/lang/step"
)

// Preserve says what a slice keeps of the program.
type Preserve uint8

const (
	// Deadlock keeps whatever can block, fail or run for ever before something that is kept: the slice does what the
	// program does.
	Deadlock Preserve = iota
	// Values lets the slice do more: what the program does when nothing blocks for ever, fails or loops for ever.
	Values
)

// EdgeKind says why a node depends on another.
type EdgeKind uint8

const (
	Root         EdgeKind = iota // it belongs to the criterion
	Control                      // decides whether it is executed
	Data                         // writes, in the same thread, what it reads
	Interference                 // writes, in another thread, what it reads
	Creation                     // starts its thread
	Structure                    // is needed to tell what comes next, or where steps end
	Sibling                      // is the same code in another process, or in another call
	Text                         // belongs to the same statement, or is there with it
)

var edgeNames = [...]string{"criterion", "control", "data", "interference", "creation", "structure", "sibling", "text"}

func (k EdgeKind) String() string { return edgeNames[k] }

// A Graph is the program dependence graph of a program over its threaded control flow.
type Graph struct {
	Program  *step.Program
	Preserve Preserve

	threads []*thread
	ofProc  []int // process -> thread
	of      map[*step.Template][]int
	shared  []int // shared word -> cell
	pools   map[*step.Template]int
	total   int      // cells
	writers [][]Node // cell -> nodes whose writes other threads may see
	makers  map[*step.Template][]Node
	nodes   map[*step.Node][]Node // in all threads that have it
}

// threadsOf is a graph that has no more than the threads of a program, with what their nodes touch.
func threadsOf(p *step.Program) *Graph {
	g := &Graph{Program: p, of: map[*step.Template][]int{}, pools: map[*step.Template]int{}}
	g.shared = cells(p.Shared, p.SharedWords, &g.total)
	for _, t := range p.Templates {
		if t.Pool != nil {
			g.pools[t] = g.total
			g.total++
		}
	}
	for _, proc := range p.Procs {
		t := proc.Template
		if t.Pool != nil && len(g.of[t]) > 0 {
			g.ofProc = append(g.ofProc, g.of[t][0])
			continue
		}
		h := newThread(proc)
		h.locals = cells(t.Locals, t.LocalWords, &g.total)
		g.of[t] = append(g.of[t], len(g.threads))
		g.ofProc = append(g.ofProc, len(g.threads))
		g.threads = append(g.threads, h)
	}
	for _, h := range g.threads {
		g.touch(h)
	}
	return g
}

// New analyses a program.
func New(p *step.Program, preserve Preserve) *Graph {
	g := threadsOf(p)
	if p.Crashes() || slices.ContainsFunc(p.Templates, func(t *step.Template) bool { return t.Daemon }) {
		preserve = Deadlock // in a normal end some may stand where they wait: what comes later has not been done
	}
	g.Preserve, g.makers, g.nodes = preserve, map[*step.Template][]Node{}, map[*step.Node][]Node{}
	g.writers = make([][]Node, g.total)
	limits := newSizes(p)
	for _, h := range g.threads {
		limits.stops(h)
		h.steering = h.steers()
		h.counts()
	}
	g.releases()
	for i, h := range g.threads {
		h.decide(preserve)
		h.flow()
		for n, list := range h.escapes {
			for _, a := range list {
				for c := a.first; c <= a.last; c++ {
					g.writers[c] = append(g.writers[c], Node{i, n})
				}
			}
		}
		for n, node := range h.template.Nodes {
			g.nodes[node] = append(g.nodes[node], Node{i, n})
			if node.Kind == step.Spawn && h.live(n) {
				g.makers[node.Target] = append(g.makers[node.Target], Node{i, n})
			}
		}
	}
	return g
}

// dependsOn calls f for every node that a node depends on directly.
func (g *Graph) dependsOn(n Node, f func(to Node, kind EdgeKind)) {
	h := g.threads[n.Thread]
	for _, i := range h.control[n.Index] {
		f(Node{n.Thread, i}, Control)
	}
	for _, i := range h.data[n.Index] {
		f(Node{n.Thread, i}, Data)
	}
	if n.Index == h.entry {
		for _, maker := range g.makers[h.template] {
			f(maker, Creation)
		}
	}
	for _, a := range h.exposed[n.Index] {
		for c := a.first; c <= a.last; c++ {
			for _, w := range g.writers[c] {
				if w.Thread != n.Thread || h.many {
					f(w, Interference)
				}
			}
		}
	}
}

// flow finds the data dependences inside a thread, and what passes from and to others: the writes that reach the end of
// their step, and the reads of what was there when their step began. A step that fails ends there.
func (h *thread) flow() {
	n := h.end + 1
	h.data, h.escapes, h.exposed, h.stays = make([][]int, n), make([][]access, n), make([][]access, n),
		make([][]access, n)
	for d := range n {
		if !h.live(d) {
			continue
		}
		for _, a := range h.defs[d] {
			h.follow(d, a)
		}
		for _, a := range h.uses[d] {
			if h.exposes(d, a) {
				h.exposed[d] = append(h.exposed[d], a)
			}
		}
	}
	for i := range h.data {
		slices.Sort(h.data[i])
		h.data[i] = slices.Compact(h.data[i])
	}
}

func (h *thread) killed(i int, a access) bool {
	return slices.ContainsFunc(h.defs[i], func(d access) bool { return d.kills(a) })
}

// follow goes where a written value may get to.
func (h *thread) follow(d int, a access) {
	type at struct {
		node   int
		inside bool // still in the step that wrote it
	}
	seen := map[at]bool{}
	escapes, stays := d == h.end, d == h.end
	todo := []at{}
	forward := func(from at) {
		for _, next := range h.succ[from.node] {
			p := at{next, from.inside && !h.boundary(next)}
			escapes = escapes || !p.inside
			if !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	forward(at{d, true})
	used := map[int]bool{}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if slices.ContainsFunc(h.uses[p.node], a.overlaps) && !used[p.node] {
			used[p.node] = true
			h.data[p.node] = append(h.data[p.node], d)
		}
		fails := h.fails[p.node] || h.drops[p.node] || h.cyclic[p.node] // a step that never ends fails
		escapes = escapes || fails
		stays = stays || fails || h.blocks[p.node] || p.node == h.end
		if !h.killed(p.node, a) {
			forward(p)
		}
	}
	if escapes {
		h.escapes[d] = append(h.escapes[d], a)
	}
	if stays {
		h.stays[d] = append(h.stays[d], a)
	}
}

// exposes reports whether a node may read what was there when its step began.
func (h *thread) exposes(u int, a access) bool {
	return slices.ContainsFunc(step.Reach(func(i int) []int {
		return slices.DeleteFunc(slices.Clone(h.pred[i]), func(p int) bool { return h.killed(p, a) })
	}, u), h.boundary)
}

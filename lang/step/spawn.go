package step

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Processes that start while the program runs. They are all there from the beginning, in pools, and sleep until a Spawn node
// starts one. Which member of the pool it is, is its identity, and that must not depend on the schedule: otherwise states that differ
// only in the order in which processes were created would look different, and nothing could be pruned. So an identity stands for
// a name, (creator, place in the program, how many the creator made there before), and the same name gets the same
// identity in all executions of a Machine.

// A Pool hands out identities 0 .. Size-1.
type Pool struct {
	Name string
	Size int
	// Life is a shared array of Size integers that says how far the process of each identity is: notStarted, running, ended.
	// Starting a process writes its element, its first step reads it, its last step writes it, joining it reads it.
	Life *Var
}

const (
	notStarted = 0
	running    = 1
	// EndedLife is what Pool.Life has for a process that came to its end.
	EndedLife = 2
)

// asleep is the control word of a process that has not been started.
const asleep = -1 << 62

// names are the identities given so far. They only grow, and the same name always means the same.
type names struct {
	sync.Mutex
	ids   map[name]int64
	given map[*Pool][]name // by identity
}

// A name says who made something: the process, the Spawn node of its template (counted from 0), and how often that process had
// passed that node before.
type name struct {
	pool    *Pool
	creator int
	site    int
	before  int64
}

// identity is the identity of a name, -1 when the pool has no more.
func (n *names) identity(of name) int64 {
	n.Lock()
	defer n.Unlock()
	if id, ok := n.ids[of]; ok {
		return id
	}
	id := len(n.given[of.pool])
	if id >= of.pool.Size {
		return -1
	}
	n.given[of.pool] = append(n.given[of.pool], of)
	n.ids[of] = int64(id)
	return int64(id)
}

// sites numbers the Spawn nodes of a template.
func (t *Template) sites() (nodes []*Node) {
	for _, n := range t.Nodes {
		if n.Kind == Spawn {
			nodes = append(nodes, n)
		}
	}
	return
}

// ProcName is a name for a process that means the same in every run of the program: its number, or for one that was started by
// another, creator/site.before, such as 0/1.0 for the first process that process 0 started at its second spawn.
func (m *Machine) ProcName(proc int) string {
	p := m.Program.Procs[proc]
	if p.Template.Pool == nil {
		return strconv.Itoa(proc)
	}
	m.names.Lock()
	given := m.names.given[p.Template.Pool]
	m.names.Unlock()
	if p.Self >= int64(len(given)) {
		return strconv.Itoa(proc)
	}
	n := given[p.Self]
	return fmt.Sprintf("%s/%d.%d", m.ProcName(n.creator), n.site, n.before)
}

// ProcNamed finds the process that a name of ProcName means.
func (m *Machine) ProcNamed(text string) (int, error) {
	first, rest, _ := strings.Cut(text, "/")
	proc, err := strconv.Atoi(first)
	if err != nil || proc < 0 || proc >= len(m.procs) || m.Program.Procs[proc].Template.Pool != nil {
		return 0, fmt.Errorf("%q is no process; there are 0 to %d, and what they start", first, len(m.procs)-1)
	}
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		var site int
		var before int64
		if n, err := fmt.Sscanf(part, "%d.%d", &site, &before); n != 2 || err != nil {
			return 0, fmt.Errorf("%q in %s: expected the number of a spawn, a point and a count", part, text)
		}
		nodes := m.Program.Procs[proc].Template.sites()
		if site < 0 || site >= len(nodes) {
			return 0, fmt.Errorf("%s: process %d has no spawn %d", text, proc, site)
		}
		target := nodes[site].Target
		id := m.names.identity(name{target.Pool, proc, site, before})
		if id < 0 {
			return 0, fmt.Errorf("%s: too many processes", text)
		}
		proc = m.pools[target][id]
	}
	return proc, nil
}

// identify compiles the finding of the identity that a Spawn node will create, from the locals alone; it raises
// TooManyProcesses and yields 0 when there is none left.
func (x *compiler) identify(n *Node) intFunc {
	m, counter := x.m, x.m.procs[x.own].base+n.Counter.Offset
	of := name{pool: n.Target.Pool, creator: x.own, site: slices.Index(x.m.Program.Procs[x.own].Template.sites(), n)}
	return func(r *Runner) int64 {
		key := of
		key.before = r.s[counter]
		id := m.names.identity(key)
		if id < 0 {
			r.raise(TooManyProcesses)
			return 0
		}
		return id
	}
}

// spawn compiles a Spawn node.
func (x *compiler) spawn(n *Node) nodeFunc {
	m, next, identity, members := x.m, n.Next, x.identify(n), x.m.pools[n.Target]
	counter, life := x.m.procs[x.own].base+n.Counter.Offset, n.Target.Pool.Life.Offset
	var stores []storeFunc
	var widths []int
	total := 0
	for i, a := range n.Args {
		t := n.Target.Locals[i].Type
		stores, widths = append(stores, x.store(t, a)), append(widths, t.Words())
		total += t.Words()
	}
	at := x.scratch
	x.scratch += total
	var result addrFunc
	if n.Dst != nil {
		result = x.addr(n.Dst)
	}
	return func(r *Runner) int {
		id := identity(r)
		args := r.scratch[at : at+total]
		for i, to := 0, args; i < len(stores); i, to = i+1, to[widths[i]:] {
			stores[i](r, to[:widths[i]])
		}
		if r.fault != NoFault {
			return next
		}
		r.s[counter]++
		if result != nil {
			r.s[result(r)] = id
		}
		c := &m.procs[members[id]]
		copy(r.s[c.base:], args)
		r.s[life+int(id)] = running
		r.wrote(life+int(id), 1)
		r.proceed(c, c.template.Start)
		r.fault = NoFault // a failure in the prelude is the new process's own
		return next
	}
}

// entries are the steps that a process may begin with.
func (t *Template) entries() map[int]bool {
	found := map[int]bool{}
	if t.Start == End {
		return found
	}
	if t.Nodes[t.Start].Visible {
		found[t.Start] = true
		return found
	}
	for _, i := range t.region(t.Start) {
		for _, next := range t.Nodes[i].successors() {
			if next != End && t.Nodes[next].Visible {
				found[next] = true
			}
		}
	}
	return found
}

// Spawns lists the templates that a step may start processes of.
func (s *Step) Spawns() (targets []*Template) {
	for _, i := range s.Nodes {
		if n := s.Template.Nodes[i]; n.Kind == Spawn {
			targets = append(targets, n.Target)
		}
	}
	return
}

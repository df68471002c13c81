package step

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Which member of a pool a started process becomes must not depend on the schedule: otherwise states that differ only
// in the order in which processes were created would look different, and nothing could be pruned. So an identity stands
// for an origin, (creator, place in the program, how many the creator made there before), and a table gives the same
// origin the same identity in all executions. A table belongs to a Machine value; Fresh makes a Machine with a table of
// its own.

// identities is the table of the identities given so far. It only grows, so what an identity means never changes. It is
// safe for concurrent use.
type identities struct {
	sync.Mutex
	ids   map[origin]int64
	given map[*Pool][]origin // by identity
	agree func(origin) error // gives origins identities that other machines give them too; nil: there are no others
}

func newIdentities() *identities {
	return &identities{ids: map[origin]int64{}, given: map[*Pool][]origin{}}
}

// Fresh is a Machine with the same code, which is shared, and an empty table of identities. What is executed with one
// of the two changes nothing for the other. States and schedules of one mean the same to the other only as long as no
// process is started, or after AdoptOrigins.
func (m *Machine) Fresh() *Machine {
	fresh := *m
	fresh.identities = newIdentities()
	return &fresh
}

// An origin says who made something: the process, the Spawn node of its template (counted from 0), and how often that
// process had passed that node before.
type origin struct {
	pool    *Pool
	creator int
	site    int
	before  int64
}

// of is the identity of an origin, -1 when the pool has no more.
func (t *identities) of(o origin) int64 {
	t.Lock()
	defer t.Unlock()
	if id, ok := t.ids[o]; ok {
		return id
	}
	if len(t.given[o.pool]) >= o.pool.Size {
		return -1
	}
	if t.agree == nil {
		return t.give(o)
	}
	if t.agree(o) != nil {
		return -1
	}
	if id, ok := t.ids[o]; ok {
		return id
	}
	return -1
}

// give gives an origin the next identity.
func (t *identities) give(o origin) int64 {
	id := int64(len(t.given[o.pool]))
	t.given[o.pool] = append(t.given[o.pool], o)
	t.ids[o] = id
	return id
}

// An Origin is in plain data who started a process, at which of its Spawn nodes, and how often it had passed that node
// before.
type Origin struct {
	Creator, Site int
	Before        int64
}

// Origins are the names given so far: per template of the program those of its pool, by identity.
func (m *Machine) Origins() [][]Origin {
	m.identities.Lock()
	defer m.identities.Unlock()
	return m.origins()
}

func (m *Machine) origins() [][]Origin {
	list := make([][]Origin, len(m.Program.Templates))
	for i, t := range m.Program.Templates {
		for _, n := range m.identities.given[t.Pool] {
			list[i] = append(list[i], Origin{n.creator, n.site, n.before})
		}
	}
	return list
}

// AdoptOrigins gives the names the identities that they have in a list of Origins, so that states of another Machine of
// the same program mean the same in this one. It fails when the list is none of this program, or a name has another
// identity already.
func (m *Machine) AdoptOrigins(list [][]Origin) error {
	m.identities.Lock()
	defer m.identities.Unlock()
	return m.adoptOrigins(list)
}

func (m *Machine) adoptOrigins(list [][]Origin) error {
	if len(list) != len(m.Program.Templates) {
		return fmt.Errorf("origins for %d templates, the program has %d", len(list), len(m.Program.Templates))
	}
	for i, t := range m.Program.Templates {
		for id, o := range list[i] {
			if t.Pool == nil || o.Creator < 0 || o.Creator >= len(m.procs) || o.Site < 0 ||
				o.Site >= len(m.sites[m.Program.Procs[o.Creator].Template]) || id >= t.Pool.Size {
				return fmt.Errorf("process %d cannot have started %s[%d]", o.Creator, t.Name, id)
			}
			n := origin{t.Pool, o.Creator, o.Site, o.Before}
			got, known := m.identities.ids[n]
			if !known {
				got = m.identities.give(n)
			}
			if got != int64(id) {
				return fmt.Errorf("%s[%d] has been started already, by another process", t.Name, id)
			}
		}
	}
	return nil
}

// AgreeOrigins makes identities those that other Machines of the same program give, in other processes too. When an
// execution meets an origin that has none, agree is called with the Origins so far, to which the new one has been
// added. It returns those that everybody agrees upon, with the new one among them, or not if its pool has no identity
// left. Where it fails the step fails with TooManyProcesses: who has made agree must not use what is explored then.
func (m *Machine) AgreeOrigins(agree func(list [][]Origin, template int) ([][]Origin, error)) {
	m.identities.agree = func(n origin) error {
		template := slices.IndexFunc(m.Program.Templates, func(t *Template) bool { return t.Pool == n.pool })
		list := m.origins()
		list[template] = append(list[template], Origin{n.creator, n.site, n.before})
		list, err := agree(list, template)
		if err != nil {
			return err
		}
		return m.adoptOrigins(list)
	}
}

// ProcName is a name for a process that means the same in every run of the program: its number, or for one that was
// started by another, creator/site.before, such as 0/1.0 for the first process that process 0 started at its second
// spawn.
func (m *Machine) ProcName(proc int) string {
	p := m.Program.Procs[proc]
	if p.Template.Pool == nil {
		return strconv.Itoa(proc)
	}
	m.identities.Lock()
	given := m.identities.given[p.Template.Pool]
	m.identities.Unlock()
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
		there := fmt.Sprintf("there are 0 to %d", len(m.procs)-1)
		if len(m.procs) == 1 {
			there = "there is 0"
		}
		return 0, fmt.Errorf("%q is no process; %s, and what they start", first, there)
	}
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		var site int
		var before int64
		if n, err := fmt.Sscanf(part, "%d.%d", &site, &before); n != 2 || err != nil {
			return 0, fmt.Errorf("%q in %s: expected the number of a spawn, a point and a count", part, text)
		}
		nodes := m.sites[m.Program.Procs[proc].Template]
		if site < 0 || site >= len(nodes) {
			return 0, fmt.Errorf("%s: process %d has no spawn %d", text, proc, site)
		}
		target := nodes[site].Target
		id := m.identities.of(origin{target.Pool, proc, site, before})
		if id < 0 {
			return 0, fmt.Errorf("%s: too many processes", text)
		}
		proc = m.pools[target][id]
	}
	return proc, nil
}

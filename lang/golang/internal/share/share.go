package share

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
)

// An access is a read or a write of a place by an instruction of an instance.
type access struct {
	process *pointsto.Instance
	path    []int
	write   bool
	early   bool // nothing else runs yet
}

// Sharing is which objects belong to one process, and which accesses others may see.
type Sharing struct {
	r        *pointsto.Result
	root     *pointsto.Instance
	loops    *loops
	counts   map[*pointsto.Instance]int
	accesses map[*pointsto.Object][]access
	shared   map[*pointsto.Object]bool
	spawning map[*pointsto.Instance][]ssa.Instruction // at which a goroutine may start, directly or in what they call
	after    map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool
}

// Analyse looks at all instances.
func Analyse(r *pointsto.Result, b Bounds) *Sharing {
	s := &Sharing{r: r, root: r.Entries[0], loops: &loops{bounds: b, of: map[*ssa.BasicBlock]int{}},
		counts:   map[*pointsto.Instance]int{},
		accesses: map[*pointsto.Object][]access{}, shared: map[*pointsto.Object]bool{},
		spawning: map[*pointsto.Instance][]ssa.Instruction{}, after: map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool{}}
	s.findSpawning()
	for _, in := range r.Instances {
		for i := range pointsto.Instructions(in.Func) {
			s.note(in, i)
		}
	}
	s.escape()
	return s
}

// Process is the goroutine of an instance: the instance that it begins with. All entries belong to one.
func (s *Sharing) Process(in *pointsto.Instance) *pointsto.Instance {
	if p := in.Process(); p.Caller != nil {
		return p
	}
	return s.root
}

// findSpawning marks the instructions at which a goroutine may start, directly or in what they call.
func (s *Sharing) findSpawning() {
	for _, in := range s.r.Instances {
		if _, begins := in.Site.(*ssa.Go); !begins {
			continue
		}
		for up, at := in.Caller, in.Site; up != nil; up, at = up.Caller, up.Site {
			if !slices.Contains(s.spawning[up], ssa.Instruction(at)) {
				s.spawning[up] = append(s.spawning[up], at)
			}
			if _, begins := up.Site.(*ssa.Go); begins {
				break
			}
		}
	}
}

// early reports whether no goroutine can have started when an instruction of an instance is executed.
func (s *Sharing) early(in *pointsto.Instance, at ssa.Instruction) bool {
	for {
		if _, begins := in.Site.(*ssa.Go); begins {
			return false
		}
		if slices.ContainsFunc(s.spawning[in], func(i ssa.Instruction) bool { return s.follows(i, at) }) {
			return false
		}
		if in.Caller == nil {
			break
		}
		if _, deferred := in.Site.(*ssa.Defer); deferred {
			// It runs at the end of its caller.
			if s.spawns(in.Caller) {
				return false
			}
		}
		in, at = in.Caller, in.Site
	}
	for _, e := range s.r.Entries {
		if e == in {
			return true
		}
		if s.spawns(e) {
			return false
		}
	}
	return true
}

func (s *Sharing) spawns(in *pointsto.Instance) bool { return len(s.spawning[in]) > 0 }

// follows reports whether an instruction may be executed after another one of its function; an instruction follows
// itself only in a loop.
func (s *Sharing) follows(first, then ssa.Instruction) bool {
	a, b := first.Block(), then.Block()
	if a == b {
		for _, i := range a.Instrs {
			if i == first && first != then {
				return true
			}
			if i == then {
				break
			}
		}
	}
	return s.reachable(a)[b]
}

// reachable are the blocks behind a block, itself only if it is in a loop.
func (s *Sharing) reachable(a *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	if m, ok := s.after[a]; ok {
		return m
	}
	s.after[a] = behind(a)
	return s.after[a]
}

// note notes the accesses of an instruction.
func (s *Sharing) note(in *pointsto.Instance, i ssa.Instruction) {
	for _, a := range Accesses(i) {
		s.touch(in, i, s.r.Targets(in, a.Pointer), a)
	}
	call, ok := i.(ssa.CallInstruction)
	switch {
	case !ok:
	case pointsto.AssignsError(call.Common()):
		s.touch(in, i, s.r.Pointed(in, call.Common().Args[1], nil), Access{Write: true})
	case call.Common().IsInvoke(): // it may be an operation of synchronisation, as that of a sync.Locker
		for _, t := range s.r.Pointed(in, call.Common().Value, nil) {
			if synchronises(t.Type()) {
				s.touch(in, i, []pointsto.Place{t}, Access{Write: true, Sync: true})
			}
		}
	}
}

// synchronises reports whether a type is one of package sync.
func synchronises(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync"
}

func (s *Sharing) touch(in *pointsto.Instance, i ssa.Instruction, places []pointsto.Place, a Access) {
	p, early := s.Process(in), s.early(in, i)
	for _, t := range places {
		s.accesses[t.Object] = append(s.accesses[t.Object],
			access{p, append(append([]int(nil), t.Path()...), a.Path...), a.Write, early})
		if a.Sync {
			s.shared[t.Object] = true
		}
	}
}

// Owner is the process that alone uses an object; nil: there are several, or it is an object of synchronisation.
func (s *Sharing) Owner(o *pointsto.Object) *pointsto.Instance {
	if s.shared[o] {
		return nil
	}
	if list := s.accesses[o]; len(list) > 0 {
		return list[0].process
	}
	if o.In != nil {
		return s.Process(o.In)
	}
	return s.root
}

// escape finds the objects that do not belong to one process: those that several processes reach, those that one of
// several instances of a process gets from elsewhere, and the objects stored in such objects.
func (s *Sharing) escape() {
	by := map[*pointsto.Object]map[*pointsto.Instance]bool{}
	var reach func(o *pointsto.Object, p *pointsto.Instance)
	reach = func(o *pointsto.Object, p *pointsto.Instance) {
		if by[o] == nil {
			by[o] = map[*pointsto.Instance]bool{}
		}
		if by[o][p] {
			return
		}
		by[o][p] = true
		for _, h := range s.r.Held(o) {
			reach(h, p)
		}
	}
	for _, in := range s.r.Instances {
		for _, o := range s.r.Registers(in) {
			reach(o, s.Process(in))
		}
	}
	for o, processes := range by { // a call reads what a closure has captured, an assertion what an interface holds
		switch o.Site.(type) {
		case *ssa.MakeClosure, *ssa.MakeInterface:
			for p := range processes {
				s.accesses[o] = append(s.accesses[o], access{process: p})
			}
		}
	}
	for o, list := range s.accesses {
		for _, a := range list {
			s.shared[o] = s.shared[o] || a.process != list[0].process
		}
	}
	seen := map[*pointsto.Object]bool{}
	var spread func(o *pointsto.Object)
	spread = func(o *pointsto.Object) {
		if seen[o] {
			return
		}
		seen[o] = true
		for _, h := range s.r.Held(o) {
			if p := s.user(h); p != nil && s.Count(p) > 1 {
				s.shared[h] = true
			}
			spread(h)
		}
	}
	for _, o := range s.r.Objects {
		p := s.user(o)
		if p != nil && s.Count(p) > 1 && (len(by[o]) > 1 || o.In == nil || s.Process(o.In) != p) {
			s.shared[o] = true
		}
		if s.shared[o] || len(by[o]) > 1 {
			spread(o)
		}
	}
}

// user is the process that alone accesses an object; nil: there is none, or there are several.
func (s *Sharing) user(o *pointsto.Object) *pointsto.Instance {
	list := s.accesses[o]
	if len(list) == 0 || s.shared[o] {
		return nil
	}
	return list[0].process
}

// Visible reports whether others can see an access to an object, or can write what it reads.
func (s *Sharing) Visible(in *pointsto.Instance, i ssa.Instruction, o *pointsto.Object, path []int, write bool) bool {
	if !s.shared[o] || s.early(in, i) {
		return false
	}
	p := s.Process(in)
	for _, a := range s.accesses[o] {
		if (a.write || write) && !a.early && (a.process != p || s.Count(p) > 1) && Overlap(a.path, path) {
			return true
		}
	}
	return false
}

// Overlap reports whether one path leads to a part of what the other leads to.
func Overlap(a, b []int) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

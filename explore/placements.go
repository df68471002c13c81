package explore

// The races of a step that may be disabled (README, section 4).
//
// What other events enable and disable a step n, several of them together, so that reversing one race at a time may lead from
// one state in which n is disabled to the next and never to one in which it could run. So all the places in the execution are
// looked at where n could run instead: the sets of events before it that are closed under happens-before. Only events that
// conflict with n make a difference, and of each set that decides about those the largest is taken.

// A planner plans the chosen events (reverse.go) and then n from the node at a stack position.
type planner func(x *search, at int, n *move)

// maxPlacements bounds the sets looked at for one step.
const maxPlacements = 1 << 12

type placements struct {
	plan       planner
	n          move
	at         int     // stack position of n, the depth if it is disabled at the end
	conflicts  []int32 // scratch
	candidates []int32 // events that conflict with n and need not come before it, ascending
	left       []int32 // those of them that do not come before n
	count      int
}

// placeEverywhere inserts all other places of the step n, which stands at position at: the depth, if it is about to run or
// disabled there. They are planned, or with plan nil an initial is added to a backtrack set. It reports whether there were few enough; if not, the caller must try everything before each of the events
// that it returns.
func (x *search) placeEverywhere(n *move, at int, plan planner) (tooMany []int32) {
	p := &x.places
	p.plan, p.n, p.at, p.count = plan, *n, at, 0
	p.n.foot = x.unrefined(n)
	p.candidates, p.left = p.candidates[:0], p.left[:0]
	var past []int32 // what happens before n whatever its place
	if own := x.accesses.before(x, n.proc, at); own >= 0 {
		past = x.levels[own].event.clock
	} else {
		past = x.none
	}
	consider := func(j int) {
		e := &x.levels[j].event
		if j == at || e.proc == n.proc || p.follows(x, e) || covers(past, e) {
			return
		}
		if v, _ := x.judge(&e.move, &p.n); v != independent {
			p.candidates = append(p.candidates, int32(j))
		}
	}
	if x.accesses.narrow(p.n.foot) {
		p.conflicts = x.accesses.conflicts(x, p.n.foot, past, p.conflicts[:0])
		for _, j := range p.conflicts {
			consider(int(j))
		}
	} else {
		for j := range x.depth {
			consider(j)
		}
	}
	if !x.choosePlaces(0) {
		return p.candidates
	}
	return nil
}

// follows reports whether an event happens after n.
func (p *placements) follows(x *search, e *event) bool {
	return p.at < x.depth && covers(e.clock, &x.levels[p.at].event)
}

// choosePlaces decides about the candidates from the k-th on, whether they come before n; false when there are too many ways.
func (x *search) choosePlaces(k int) bool {
	p := &x.places
	if k == len(p.candidates) {
		if p.count++; len(p.left) > 0 {
			x.insertPlace()
		}
		return p.count <= maxPlacements
	}
	c := p.candidates[k]
	if !p.behindLeft(x, int(c)) && !x.choosePlaces(k+1) {
		return false
	}
	p.left = append(p.left, c)
	ok := x.choosePlaces(k + 1)
	p.left = p.left[:len(p.left)-1]
	return ok
}

// behindLeft reports whether the event at a position is one of those left out or happens after one.
func (p *placements) behindLeft(x *search, j int) bool {
	e := &x.levels[j].event
	for _, r := range p.left {
		if int(r) <= j && covers(e.clock, &x.levels[r].event) {
			return true
		}
	}
	return false
}

// insertPlace inserts everything that does not happen after one of the events left out, from before the first of them, and then n,
// if that can run.
func (x *search) insertPlace() {
	p := &x.places
	i := int(p.left[0])
	if i > p.at { // what comes after n anyway is left out where it is
		return
	}
	stays := func(j int, e *event) bool { return p.stays(x, j, e) }
	known := x.foreseeable(&p.n)
	if known && !x.enabledBehind(&p.n, p.at, stays) {
		return
	}
	if x.findBegun(i); x.tried(stays) {
		return
	}
	if !known || p.plan != nil {
		x.choose(i, stays)
	}
	switch {
	case !known && !x.runs(x.levels[i].state, x.chosenActions(&p.n)):
	case p.plan != nil:
		p.plan(x, i, &p.n)
	default:
		x.insert(i, &p.n, stays)
	}
}

// stays reports whether an event comes before n in the present place.
func (p *placements) stays(x *search, j int, e *event) bool {
	return j != p.at && !p.follows(x, e) && !p.behindLeft(x, j)
}

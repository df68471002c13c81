package native

import "slices"

// Rename calls the goroutines that the process has named in this execution as another list of names does, which it
// returns, with these behind it if they are not in it. Each goroutine has so many actions.
func (r *Record) Rename(names []int32, width int) []int32 {
	if len(r.Names) == r.Known { // none
		r.Names = names
		return names
	}
	to := make([]int32, 0, len(r.Names)/2+2)
	for id := range r.Known/2 + 2 {
		to = append(to, int32(id))
	}
	for i := r.Known; i < len(r.Names); i += 2 {
		pair := [2]int32{to[r.Names[i]], r.Names[i+1]}
		at := r.Known
		for at < len(names) && [2]int32(names[at:at+2]) != pair {
			at += 2
		}
		if at == len(names) {
			names = append(slices.Clip(names), pair[:]...)
		}
		to = append(to, int32(at/2+2))
	}
	r.Names = names
	for i := range r.Steps {
		s := &r.Steps[i]
		s.Proc = int(to[s.Proc])
		s.Action = int32(s.Proc*width) + s.Action%int32(width)
		for k := range s.Changes {
			c := &s.Changes[k]
			if c.Proc = int(to[c.Proc]); c.Op.Kind == opGo {
				c.Op.Number = int(to[c.Op.Number])
			}
		}
		for k := range s.Joins {
			s.Joins[k].Proc, s.Joins[k].With = int(to[s.Joins[k].Proc]), int(to[s.Joins[k].With])
		}
	}
	return names
}

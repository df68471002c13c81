package native

import (
	"context"
	"slices"

	"cdpor/lang/golang/native"
)

// mostTries is how many executions a schedule is made simpler by.
const mostTries = 300

// Shorten looks for a schedule with fewer switches that shows the same kind of finding.
func Shorten(ctx context.Context, p *native.Process, names []int32, f Finding, events int) []int32 {
	width := f.Width
	p.SetNames(names)
	p.SetWidth(width)
	p.SetEvery(f.Kind == Race)
	defer p.SetEvery(false)
	best := f.Schedule
	tries := 0
	try := func(prefix []int32) bool {
		if tries++; tries > mostTries {
			return false
		}
		r, err := p.Execute(ctx, &native.Command{Prefix: prefix, Events: events})
		if err != nil || r.End == native.Diverged || Judge(r) != f.Kind {
			return false
		}
		found := Actions(r)
		if a, b := switches(found, width), switches(best, width); a > b || a == b && len(found) >= len(best) {
			return false
		}
		best = found
		return true
	}
	for better := true; better; { // an earlier end of what is prescribed, or blocks put together
		better = false
		for n := 0; n < len(best) && !better; n++ {
			if n == 0 || best[n]/int32(width) != best[n-1]/int32(width) {
				better = try(best[:n]) || try(joined(best, n, width))
			}
		}
	}
	return best
}

// joined is a schedule up to the end of the block that begins at n, with that right behind the block before it of the
// same goroutine.
func joined(schedule []int32, n, width int) []int32 {
	proc, end := schedule[n]/int32(width), n
	for end < len(schedule) && schedule[end]/int32(width) == proc {
		end++
	}
	for i := n - 1; i >= 0; i-- {
		if schedule[i]/int32(width) == proc {
			return slices.Concat(schedule[:i+1], schedule[n:end], schedule[i+1:n], schedule[end:])
		}
	}
	return schedule[:n]
}

func switches(schedule []int32, width int) (n int) {
	for i := range schedule {
		if i > 0 && schedule[i]/int32(width) != schedule[i-1]/int32(width) {
			n++
		}
	}
	return n
}

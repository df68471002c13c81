package main

import (
	"fmt"
	"strconv"
	"strings"

	"cdpor/lang/step"
)

// formatSchedule writes the actions of a schedule: 0,1,1,0. A process that was started by another is written as
// step.Machine.ProcName does, an alternative other than the first behind a colon: 0/0.1:2. A long run of one action is written
// with a factor: 0x12.
func formatSchedule(m *step.Machine, schedule []int32) string {
	var parts []string
	for i := 0; i < len(schedule); {
		j := i
		for j < len(schedule) && schedule[j] == schedule[i] {
			j++
		}
		p := m.ProcName(m.ProcOf(int(schedule[i])))
		if choice := m.ChoiceOf(int(schedule[i])); choice > 0 {
			p += ":" + strconv.Itoa(choice)
		}
		if n := j - i; n > 3 {
			parts = append(parts, fmt.Sprintf("%sx%d", p, n))
		} else {
			for range n {
				parts = append(parts, p)
			}
		}
		i = j
	}
	return strings.Join(parts, ",")
}

// maxSchedule bounds how many steps a schedule of the command line may have.
const maxSchedule = 1_000_000

// parseSchedule reads what formatSchedule writes.
func parseSchedule(m *step.Machine, text string) ([]int32, error) {
	var schedule []int32
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		process, factor, times := strings.Cut(part, "x")
		process, alternative, chosen := strings.Cut(process, ":")
		p, err := m.ProcNamed(process)
		if err != nil {
			return nil, inputErrorf("schedule: %v; a schedule looks like 0,1,1,0 or 0x3,1", err)
		}
		n, choice := uint64(1), uint64(0)
		if times {
			n, err = strconv.ParseUint(factor, 10, 32)
		}
		if err == nil && chosen {
			choice, err = strconv.ParseUint(alternative, 10, 16)
		}
		action := m.FirstAction(p) + int(choice)
		if err != nil || action >= m.NumActions() || m.ProcOf(action) != p {
			return nil, inputErrorf("schedule: %q is no step; a schedule looks like 0,1,1,0 or 0x3,1", part)
		}
		if uint64(len(schedule))+n > maxSchedule {
			return nil, inputErrorf("schedule: more than %d steps", maxSchedule)
		}
		for range n {
			schedule = append(schedule, int32(action))
		}
	}
	return schedule, nil
}

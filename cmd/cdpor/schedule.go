package main

import (
	"strconv"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/lang/step"
)

// formatSchedule writes the actions of a schedule: 0,1,1,0. A process that was started by another is written as
// step.Machine.ProcName does, an alternative other than the first behind a colon: 0/0.1:2. A long run of one action is written
// with a factor: 0x12.
func formatSchedule(m *step.Machine, schedule []int32) string {
	return string(appendSchedule(nil, m, schedule))
}

func appendSchedule(b []byte, m *step.Machine, schedule []int32) []byte {
	for i := 0; i < len(schedule); {
		run := 1
		for i+run < len(schedule) && schedule[i+run] == schedule[i] {
			run++
		}
		times := run
		if run > 3 {
			times = 1
		}
		name := m.ProcName(m.ProcOf(int(schedule[i])))
		for k := range times {
			if i+k > 0 {
				b = append(b, ',')
			}
			b = append(b, name...)
			if choice := m.ChoiceOf(int(schedule[i])); choice > 0 {
				b = strconv.AppendInt(append(b, ':'), int64(choice), 10)
			}
		}
		if times < run {
			b = strconv.AppendInt(append(b, 'x'), int64(run), 10)
		}
		i += run
	}
	return b
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
			return nil, fault.Inputf("schedule: %v; a schedule looks like 0,1,1,0 or 0x3,1", err)
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
			return nil, fault.Inputf("schedule: %q is no step; a schedule looks like 0,1,1,0 or 0x3,1", part)
		}
		if uint64(len(schedule))+n > maxSchedule {
			return nil, fault.Inputf("schedule: more than %d steps", maxSchedule)
		}
		for range n {
			schedule = append(schedule, int32(action))
		}
	}
	return schedule, nil
}

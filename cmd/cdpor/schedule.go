package main

import (
	"fmt"
	"strconv"
	"strings"
)

// formatSchedule writes the processes of a schedule: 0,1,1,0. A long run of one process is written with a factor: 0x12.
func formatSchedule(schedule []int32) string {
	var parts []string
	for i := 0; i < len(schedule); {
		j := i
		for j < len(schedule) && schedule[j] == schedule[i] {
			j++
		}
		p := strconv.Itoa(int(schedule[i]))
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
func parseSchedule(text string) ([]int32, error) {
	var schedule []int32
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		process, factor, times := strings.Cut(part, "x")
		p, err := strconv.ParseUint(process, 10, 16)
		n := uint64(1)
		if err == nil && times {
			n, err = strconv.ParseUint(factor, 10, 32)
		}
		if err != nil {
			return nil, inputErrorf("--schedule: %q is no process number; a schedule looks like 0,1,1,0 or 0x3,1", part)
		}
		if uint64(len(schedule))+n > maxSchedule {
			return nil, inputErrorf("--schedule: more than %d steps", maxSchedule)
		}
		for range n {
			schedule = append(schedule, int32(p))
		}
	}
	return schedule, nil
}

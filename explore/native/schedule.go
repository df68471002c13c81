package native

import (
	"fmt"
	"strconv"
	"strings"
)

// Schedules as text: h,t*5,t.0,t.1:2*3,c. Goroutines are named by who has started them and as which one, so that a
// schedule is the same in every process: t is the one of the test, h the one that has started that, c the clock, t.0
// the first one that t has started. Behind a colon is the case of a select, behind * how often in a row.

// FormatSchedule writes a schedule, of a process with names of goroutines and so many actions of each.
func FormatSchedule(names []int32, width int, schedule []int32) string {
	var parts []string
	for i := 0; i < len(schedule); {
		a := schedule[i]
		n := 1
		for ; i+n < len(schedule) && schedule[i+n] == a; n++ {
		}
		i += n
		text := goroutine(names, int(a)/width)
		if choice := int(a) % width; choice > 0 {
			text += ":" + strconv.Itoa(choice)
		}
		if n > 1 {
			text += "*" + strconv.Itoa(n)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

// goroutine is the name of a process.
func goroutine(names []int32, proc int) string {
	switch proc {
	case 0:
		return "c"
	case 1:
		return "h"
	}
	parent, index := int(names[2*(proc-2)]), names[2*(proc-2)+1]
	if parent == 1 && index == 0 {
		return "t"
	}
	return goroutine(names, parent) + "." + strconv.Itoa(int(index))
}

// ParseSchedule reads a schedule: names of goroutines, and actions of so many for each as it needs.
func ParseSchedule(text string) (names []int32, width int, schedule []int32, err error) {
	known := map[string]int{"c": 0, "h": 1}
	var find func(name string) (int, error)
	find = func(name string) (int, error) {
		if proc, ok := known[name]; ok {
			return proc, nil
		}
		parent, index := "h", "0"
		if name != "t" {
			dot := strings.LastIndexByte(name, '.')
			if dot < 0 {
				return 0, fmt.Errorf("%q is no goroutine", name)
			}
			parent, index = name[:dot], name[dot+1:]
		}
		by, err := find(parent)
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseUint(index, 10, 31)
		if err != nil {
			return 0, fmt.Errorf("%q is no goroutine", name)
		}
		names = append(names, int32(by), int32(n))
		known[name] = len(names)/2 + 1
		return known[name], nil
	}
	type event struct{ proc, choice, times int }
	var events []event
	width = 1
	for part := range strings.SplitSeq(text, ",") {
		e := event{times: 1}
		name, times, repeated := strings.Cut(part, "*")
		if repeated {
			if e.times, err = strconv.Atoi(times); err != nil || e.times < 1 || e.times > 1<<20 {
				return nil, 0, nil, fmt.Errorf("%q: *N says how often", part)
			}
		}
		name, choice, chosen := strings.Cut(name, ":")
		if chosen {
			if e.choice, err = strconv.Atoi(choice); err != nil || e.choice < 0 || e.choice > 255 {
				return nil, 0, nil, fmt.Errorf("%q: :N is a case of a select", part)
			}
		}
		if e.proc, err = find(name); err != nil {
			return nil, 0, nil, err
		}
		for width <= e.choice {
			width *= 2
		}
		events = append(events, e)
	}
	for _, e := range events {
		for range e.times {
			schedule = append(schedule, int32(e.proc*width+e.choice))
		}
	}
	return names, width, schedule, nil
}

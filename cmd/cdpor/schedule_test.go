package main

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"cdpor/lang"
	"cdpor/lang/step"
)

// fourProcesses is a machine for schedules to speak of.
func fourProcesses(t testing.TB) *step.Machine {
	src, err := lang.Load("four.yaml", []byte("cdpor: 1\nshared: {x: int}\nthreads: {p: {count: 4, run: x = self}}\n"), lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestScheduleText: what is printed is read back as the same schedule.
func TestScheduleText(t *testing.T) {
	m := fourProcesses(t)
	rapid.Check(t, func(t *rapid.T) {
		schedule := rapid.SliceOfN(rapid.Int32Range(0, 3), 1, 40).Draw(t, "schedule")
		got, err := parseSchedule(m, formatSchedule(m, schedule))
		if err != nil || !slices.Equal(got, schedule) {
			t.Fatalf("%s: %v %v", formatSchedule(m, schedule), got, err)
		}
	})
	if got := formatSchedule(m, []int32{0, 0, 0, 0, 1, 1, 2}); got != "0x4,1,1,2" {
		t.Errorf("got %s", got)
	}
}

// FuzzSchedule: any text is a schedule or an error.
func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"0,1", "0x3,1", "", "x", "1x", "-1", "0x99999999999999999999"} {
		f.Add(s)
	}
	m := fourProcesses(f)
	f.Fuzz(func(t *testing.T, text string) {
		schedule, err := parseSchedule(m, text)
		if err != nil {
			return
		}
		if len(schedule) > maxSchedule {
			t.Fatal(len(schedule))
		}
		if len(schedule) == 0 { // 0x0
			return
		}
		again, err := parseSchedule(m, formatSchedule(m, schedule))
		if err != nil || !slices.Equal(again, schedule) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

package main

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestScheduleText: what is printed is read back as the same schedule.
func TestScheduleText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schedule := rapid.SliceOfN(rapid.Int32Range(0, 3), 1, 40).Draw(t, "schedule")
		got, err := parseSchedule(formatSchedule(schedule))
		if err != nil || !slices.Equal(got, schedule) {
			t.Fatalf("%s: %v %v", formatSchedule(schedule), got, err)
		}
	})
	if got := formatSchedule([]int32{0, 0, 0, 0, 1, 1, 2}); got != "0x4,1,1,2" {
		t.Errorf("got %s", got)
	}
}

// FuzzSchedule: any text is a schedule or an error.
func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"0,1", "0x3,1", "", "x", "1x", "-1", "0x99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		schedule, err := parseSchedule(text)
		if err != nil {
			return
		}
		if len(schedule) > maxSchedule {
			t.Fatal(len(schedule))
		}
		if len(schedule) == 0 { // 0x0
			return
		}
		again, err := parseSchedule(formatSchedule(schedule))
		if err != nil || !slices.Equal(again, schedule) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

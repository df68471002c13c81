package schedules

import (
	"slices"
	"testing"

	"cdpor/lang/langtest"
	"cdpor/lang/step"

	"pgregory.net/rapid"
)

// fourProcesses is a machine for schedules to speak of.
func fourProcesses(t testing.TB) *step.Machine {
	return load(t, "four.yaml", "cdpor: 1\nshared: {x: int}\nthreads: {p: {count: 4, run: x = self}}\n")
}

func load(t testing.TB, path, text string) *step.Machine {
	return langtest.Machine(t, path, text, nil)
}

// TestScheduleText: what is printed is read back as the same schedule.
func TestScheduleText(t *testing.T) {
	m := fourProcesses(t)
	rapid.Check(t, func(t *rapid.T) {
		schedule := rapid.SliceOfN(rapid.Int32Range(0, 3), 1, 40).Draw(t, "schedule")
		got, err := Parse(m, Format(m, schedule))
		if err != nil || !slices.Equal(got, schedule) {
			t.Fatalf("%s: %v %v", Format(m, schedule), got, err)
		}
	})
	if got := Format(m, []int32{0, 0, 0, 0, 1, 1, 2}); got != "0*4,1,1,2" {
		t.Errorf("got %s", got)
	}
}

// TestLassoTable: texts of schedules, with cycles and without, or what is wrong with them.
func TestLassoTable(t *testing.T) {
	m := load(t, "choice.yaml", "cdpor: 1\nshared: {x: int}\nthreads:\n  a: x = any(1..3)\n  b: x = 2\n")
	for _, c := range []struct {
		text        string
		stem, cycle []int32
		again, err  string // how it is written; or the error
	}{
		{"0:2,1", []int32{2, 3}, nil, "0:2,1", ""},
		{" 1 , 0*4 ", []int32{3, 0, 0, 0, 0}, nil, "1,0*4", ""},
		{"1,(0)", []int32{3}, []int32{0}, "1,(0)", ""},
		{"(0:1, 1)", nil, []int32{1, 3}, "(0:1,1)", ""},
		{"0*3", []int32{0, 0, 0}, nil, "0,0,0", ""},
		{" ", nil, nil, "", ""},
		{"0:3", nil, nil, "", `"0:3" is no step` + looks},
		{"0,x", nil, nil, "", `"x" is no process: there are 0 (a) and 1 (b)` + looks},
		{"0,,1", nil, nil, "", "a step is missing beside a comma" + looks},
		{"0,(1", nil, nil, "", "what goes round for ever stands in parentheses at the end: 0,1,(0,0,1)"},
		{"0(1)", nil, nil, "", "what goes round for ever stands in parentheses at the end: 0,1,(0,0,1)"},
		{"0*1000001", nil, nil, "", "more than 1000000 steps"},
	} {
		l, err := ParseLasso(m, c.text)
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, the error %q is wanted", c.text, err, c.err)
			}
			continue
		}
		if !slices.Equal(l.Stem, c.stem) || !slices.Equal(l.Cycle, c.cycle) || FormatLasso(m, l) != c.again {
			t.Errorf("%s: %v, written %s", c.text, *l, FormatLasso(m, l))
		}
	}
}

// FuzzSchedule: any text is a schedule or an error.
func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"0,1", "0*3,1", "", "x", "1*", "-1", "0*99999999999999999999"} {
		f.Add(s)
	}
	m := fourProcesses(f)
	f.Fuzz(func(t *testing.T, text string) {
		schedule, err := Parse(m, text)
		if err != nil {
			return
		}
		if len(schedule) > MaxSteps {
			t.Fatal(len(schedule))
		}
		if len(schedule) == 0 { // 0*0
			return
		}
		again, err := Parse(m, Format(m, schedule))
		if err != nil || !slices.Equal(again, schedule) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

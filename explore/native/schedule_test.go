package native

import (
	"slices"
	"testing"
)

func TestSchedule(t *testing.T) {
	for _, text := range []string{"h*5,t*4,t.0:1,t.1*2,c,t.0:2,t.1.3", "t", "h,c.0,c.1*2"} {
		names, width, schedule, err := ParseSchedule(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := FormatSchedule(names, width, schedule); got != text {
			t.Errorf("%s becomes %s", text, got)
		}
	}
	names, width, schedule, err := ParseSchedule("h,t:1,t.7*2")
	if err != nil || width != 2 || !slices.Equal(names, []int32{1, 0, 2, 7}) || !slices.Equal(schedule,
		[]int32{2, 5, 6, 6}) {
		t.Error(names, width, schedule, err)
	}
	for _, text := range []string{"", "x", "t.x", "t*0", "t:a", "q.1", "t*9999999"} {
		if _, _, _, err := ParseSchedule(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

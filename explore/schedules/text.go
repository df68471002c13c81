package schedules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// Format writes the actions of a schedule: 0,1,1,0. A process that was started by another is written as
// step.Machine.ProcName does, an alternative other than the first behind a colon: 0/0.1:2. A long run of one action is
// written with a factor: 0*12.
func Format(m *step.Machine, schedule []int32) string {
	return string(Append(nil, m, schedule))
}

// Append appends what Format writes.
func Append(b []byte, m *step.Machine, schedule []int32) []byte {
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
			b = strconv.AppendInt(append(b, '*'), int64(run), 10)
		}
		i += run
	}
	return b
}

// MaxSteps bounds how many steps a schedule may have that Parse reads: 0*999999999 is short to write.
const MaxSteps = 1_000_000

// looks ends what is said of a text that is none.
const looks = "; a schedule says who takes each step, such as 0,1,1,0, or 0*3,1 for 0,0,0,1"

// Parse reads what Format writes, with blanks around each entry if there are any. The error quotes the entry.
func Parse(m *step.Machine, text string) ([]int32, error) {
	var schedule []int32
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return nil, errors.New("a step is missing beside a comma" + looks)
		}
		process, factor, times := strings.Cut(part, "*")
		process, alternative, chosen := strings.Cut(process, ":")
		p, err := m.ProcNamed(process)
		if err != nil {
			return nil, fmt.Errorf("%w"+looks, err)
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
			return nil, fmt.Errorf("%q is no step"+looks, part)
		}
		if uint64(len(schedule))+n > MaxSteps {
			return nil, fmt.Errorf("more than %d steps", MaxSteps)
		}
		for range n {
			schedule = append(schedule, int32(action))
		}
	}
	return schedule, nil
}

// FormatLasso writes the stem of a lasso and behind it, in parentheses, its cycle, if it has one.
func FormatLasso(m *step.Machine, l *liveness.Lasso) string {
	text := Format(m, l.Stem)
	if len(l.Cycle) == 0 {
		return text
	}
	if text != "" {
		text += ","
	}
	return text + "(" + Format(m, l.Cycle) + ")"
}

// ParseLasso reads what FormatLasso writes. Whether the cycle leads back to where it begins is not looked at.
func ParseLasso(m *step.Machine, text string) (*liveness.Lasso, error) {
	stem, cycle, round := strings.Cut(strings.TrimSpace(text), "(")
	l := &liveness.Lasso{Stem: []int32{}}
	var err error
	if !round {
		if stem != "" { // else it takes no step
			l.Stem, err = Parse(m, text)
		}
		return l, err
	}
	cycle, closed := strings.CutSuffix(cycle, ")")
	if stem = strings.TrimSpace(stem); stem != "" && !strings.HasSuffix(stem, ",") || !closed {
		return nil, errors.New("what goes round for ever stands in parentheses at the end: 0,1,(0,0,1)")
	}
	if stem = strings.TrimSuffix(stem, ","); stem != "" {
		if l.Stem, err = Parse(m, stem); err != nil {
			return nil, err
		}
	}
	l.Cycle, err = Parse(m, cycle)
	return l, err
}

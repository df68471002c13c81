package lower

import "strconv"

// texts are the strings that are known when the code is made; number 0 is the empty one.
type texts struct {
	all     []string
	numbers map[string]int64
}

func newTexts() texts { return texts{[]string{""}, map[string]int64{"": 0}} }

// text is the number of a string.
func (t *texts) text(s string) int64 {
	k, ok := t.numbers[s]
	if !ok {
		k = int64(len(t.all))
		t.all, t.numbers[s] = append(t.all, s), k
	}
	return k
}

// textOf is the string of a number; empty if it is not known.
func (t *texts) textOf(number int64) string {
	if number < 0 || number >= int64(len(t.all)) {
		return ""
	}
	return t.all[number]
}

// quoted is the string of a number for people.
func (t *texts) quoted(number int64) string {
	if number < 0 {
		return "a text"
	}
	return strconv.Quote(t.textOf(number))
}

// unknownText is a string that is made while the program runs: it can be stored and passed on, and not looked at.
const unknownText = -1

package output

import "strings"

// What would make more known of a pair of steps, by the reason that the synthesis gives.
var cures = []struct{ reason, cure string }{
	{"budget", "cdpor synth --resume goes on where this run stopped; --max-queries N allows more at once"},
	{"not asked for", "cdpor synth asks for all pairs"},
	{"before its first step", "let the process that is started begin with a step: what it does as it is " +
		"started is not analysed"},
	{"too many calls", "a loop in place of the recursion, with a bound that the program text shows"},
	{"too many cases", "split the step, or use types with fewer values: conditions are found case by case"},
	{"no small bound", "give the loop a bound that the program text shows: a constant, a parameter or a range"},
	{"too large, or the language",
		"write a condition that is enough by hand, with status: manual; cdpor check proves it"},
	{"is too large", "a smaller capacity, or a range in place of int, makes it small enough"},
	{"are too large", "use ranges: numbers of this size are not reasoned about"},
	{"wrap around", "use ranges, so that nothing can wrap around"},
	{"could not prove", "--question-units allows the solver more work; a condition by hand is proved by cdpor check"},
	{"took too long", "--question-units allows the solver more work; narrower types make its questions easier"},
	{"composite elements", "use one variable for each part, or keys that are numbers"},
	{"set, bag or map", "use it by key only, or as a whole only, in these steps"},
	{"uniform", "only the part that may prune is smaller; --explain STEP,STEP shows which third step makes it so"},
	{"interrupted", "cdpor synth --resume goes on where this run stopped"},
}

// Cure says what would make more known.
func Cure(why string) string {
	for _, c := range cures {
		if strings.Contains(why, c.reason) {
			return c.cure
		}
	}
	return "say it with other operations, or split the step: cdpor check cannot prove a condition by hand here either"
}

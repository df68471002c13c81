// Package schedules has what can be done with a schedule, the list of the actions of an execution: to write it as text
// and to read it again, and to find one that shows the same and is easier to read. An action is a process together
// with the alternative that its step takes (step.Machine.FirstAction).
//
//	text.go      the text form: 0,1,1,0 and 0,1,(0,0,1), which goes round for ever
//	simplify.go  a schedule of the same trace with few switches, or the part that its last step depends on
package schedules

// Package joblog has the log of a search by workers that may die, and its fold, which tells the parts of the search
// that are under way from those that wait, and whether everything has been explored (cluster/README, "Workers that may
// die").
//
// A worker explores a task alone. Now and then it appends a record: what it has found since the last one, what it
// inserts into nodes above its part, which of its own nodes others may take from from now on, and what is left. The
// record is the only effect of its work, and the records of a task are a chain: only the next one in it counts,
// whichever worker sent it. A coordinator hands out waiting parts, by records of its own.
//
//	task.go    Task, Record: what is sent, and how as text
//	fold.go    Fold: what a log means
//	saved.go   Saved: a fold as plain data
package joblog

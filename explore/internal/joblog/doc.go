// Package joblog is the truth about a search by workers that may die: a log of records, and the fold that makes of it
// which parts of the search are under way, which wait, and whether everything has been explored (cluster/README,
// "Workers that may die").
//
// A worker explores a parcel alone. Now and then it appends a record: what it has found since the last one, what it
// inserts into nodes above its part, which of its own nodes others may take from from now on, and what is left. The
// record is the only effect of its work, and the records of a parcel are a chain: the next one in it counts, any other
// does not, whoever sent it. A coordinator hands out what waits, by records of its own.
//
//	parcel.go  Parcel, Record: what is sent
//	fold.go    Fold: what a log means
//	text.go    records as text
//	saved.go   Saved: a fold as plain data
package joblog

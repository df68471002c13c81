// Package checkpoint writes searches to files while they are under way, and reads them.
//
// A checkpoint file is a line "cdpor-checkpoint VERSION SHA256", with the checksum of the rest; then a line of JSON, a
// Run; then the search as package explore writes it, unless it is of a test that is executed: that the Run has.
//
//	file.go    the file: written at once or not at all, read if nothing is damaged
//	run.go     what a run knows besides its search
//	writer.go  when a search is saved, and where
package checkpoint

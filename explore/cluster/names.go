package cluster

import (
	"fmt"
	"strings"

	"cdpor/explore/internal/joblog"
)

// names are the names of the streams and subjects of a job.
type names struct {
	job string
	id  string // unique: no other job has it, even of the same name
}

func (n *names) stream(kind string) string { return "cdpor-" + n.job + "-" + kind }
func (n *names) bucket() string            { return "cdpor-" + n.job }

// subject is that of a kind of message about a job. It has the id of the job: who still works on a job that was removed
// does not write into another one of its name, and who does not see a job cannot name its subjects.
func (n *names) subject(kind string, tokens ...string) string {
	return strings.Join(append([]string{"cdpor", n.job, kind, n.id}, tokens...), ".")
}

// newSubject is that of the only message without an id: there is a job, and workers look for it.
func newSubject(job string) string { return "cdpor." + job + ".new" }

// The kinds of messages, with what stands behind the id in their subjects. The first two are stored.
const (
	logKind      = "log"    // and a chain: a record
	workKind     = "work"   // and a task: it waits for a worker
	loggedKind   = "logged" // and a chain: the server has stored a record
	wantKind     = "want"   // tasks are missing
	presenceKind = "here"   // a process with workers is there
	progressKind = "progress"
	endKind      = "over"   // the search is over
	askKind      = "ask"    // of exhaustive: what the owners of slots are to do (slots.go)
	statusKind   = "status" // how one of them is doing
	batchKind    = "batch"  // and a worker: states for it
)

// The chains of a log that are none of tasks.
const (
	takeChain   = "takes"   // of coordinators
	endChain    = "end"     // one record at most: why the search has ended
	originChain = "origins" // the last record has all
	foldedChain = "folded"  // the last record names the snapshot that a coordinator begins with
	stageChain  = "stages"  // of exhaustive (slots.go)
)

// token is a task in a subject.
func token(id joblog.ID) string {
	if id == joblog.Root {
		return "root"
	}
	return fmt.Sprintf("%d-%d", id.Node, id.Place)
}

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore"
	"cdpor/explore/cluster/internal/pacing"
	"cdpor/explore/internal/joblog"
)

// Compaction (cluster/README, "Workers that may die"). A coordinator stores what the log means up to a place, a
// snapshot, then says so in the log, and only then removes records. A coordinator that dies in between leaves an unused
// snapshot, or records that are not needed any more. It never removes the last message of a chain, which workers need,
// nor a record that the snapshot named in the log does not contain. A coordinator that misses records, because another
// one has removed them, begins again with the snapshot.

// A snapshot stores the fold of a log up to a place.
type snapshot struct {
	Sequence uint64 // of the last record
	Takes    uint64 // of the last take
	Records  int64
	Dropped  int   `json:",omitempty"` // see coordinator
	Lost     int64 `json:",omitempty"`
	Fold     *joblog.Saved
	Shares   *shares
	Found    []byte
	// Purge says before which message each chain that the snapshot before did not have is to be purged.
	Purge map[string]uint64
}

// A compaction counts and remembers the records since the last snapshot.
type compaction struct {
	folded  uint64 // the last record of foldedChain
	counted int    // records that count
	heads   map[string]uint64
	ended   map[string]*joblog.Record // last records of tasks: by chain
}

// read takes note of a record.
func (c *compaction) read(chain string, m logged, r *joblog.Record, counts bool) {
	c.heads[chain] = m.sequence
	if r.Folded != nil { // by another coordinator, or by this one
		c.folded, c.counted = m.sequence, 0
	}
	if !counts {
		return
	}
	c.counted++
	if r.Take == nil && r.Ends() {
		c.ended[chain] = r
	}
}

// snapshotPrefix begins the names of snapshots. The sequence of the record follows that named the snapshot before, 0
// for none: one that comes after an older record than the last one cannot be named in the log any more.
const snapshotPrefix = "fold-"

// snapshotAfter is that sequence.
func snapshotAfter(name string) (sequence uint64, ok bool) {
	text, ok := strings.CutPrefix(name, snapshotPrefix)
	if !ok {
		return 0, false
	}
	n, err := fmt.Sscanf(text, "%d-", &sequence)
	return sequence, n == 1 && err == nil
}

// load begins with the snapshot that the log names, if it names one, and with an empty log otherwise.
func (c *coordinator) load(ctx context.Context) error {
	if err := c.findings.Reset(); err != nil {
		return err
	}
	c.fold, c.begun, c.takes, c.sent, c.last, c.records = c.findings.NewFold(), false, 0, 0, 0, 0
	c.lately, c.queued, c.shares = map[joblog.ID]time.Time{}, map[joblog.ID]requeued{}, newShares()
	c.dropped, c.lost, c.broken = 0, 0, map[string]bool{}
	c.compact = &compaction{heads: map[string]uint64{}, ended: map[string]*joblog.Record{}}
	h, err := c.job.log.headOf(ctx, foldedChain)
	if err != nil || h.record == nil {
		return err
	}
	c.compact.folded = h.sequence
	text, err := c.job.objects.get(ctx, h.record.Folded.Name)
	if gone(err) {
		return errGap
	}
	if err != nil {
		return fmt.Errorf("a snapshot of job %s: %w", c.job.Name, err)
	}
	var s snapshot
	if err := guarded(func() error {
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		if c.fold, err = s.Fold.Restore(); err != nil {
			return err
		}
		if c.shares = s.Shares; c.shares == nil || c.shares.Under == nil || c.shares.Waits == nil {
			return errDamaged
		}
		return c.findings.Add(s.Found)
	}); err != nil {
		return errGap // the records before it are lost
	}
	c.takes, c.last, c.records, c.dropped, c.lost = s.Takes, s.Sequence, s.Records, s.Dropped, s.Lost
	done := make(chan error, 1)
	c.cleaned = done
	go func() { done <- c.job.log.purge(ctx, &s) }() // the coordinator that stored it may have died before
	return nil
}

// gaps are how often a coordinator has missed records at the same place.
type gaps struct {
	folded, last uint64
	count        int
}

// gap decides what is to be done when records are missing: to begin again with the snapshot that has them. If there is
// none that does, they are lost, and the search has ended.
func (c *coordinator) gap(ctx context.Context) (stopped string, err error) {
	if at := c.gaps; at.folded != c.compact.folded || at.last != c.last {
		c.gaps = gaps{folded: c.compact.folded, last: c.last}
	}
	if c.gaps.count++; c.gaps.count < c.opt.mostGaps {
		pause(ctx, pacing.HintAgain)
		return "", ctx.Err()
	}
	if err := c.findings.Reset(); err != nil {
		return "", err
	}
	if err := c.job.End(ctx, explore.StoppedLost); err != nil {
		return "", err
	}
	c.job.tell(endKind, "")
	return explore.StoppedLost, nil
}

// mostGaps is how often a coordinator begins again because records are missing at one place: another one may store a
// snapshot between two looks, and a replica may be behind.
const mostGaps = 50

// snapshot stores what the log means so far, and lets what is in it be removed. If another coordinator has just done
// so, this one leaves it.
func (c *coordinator) snapshot(ctx context.Context) error {
	found, err := c.findings.Save()
	if err != nil {
		return err
	}
	s := &snapshot{Sequence: c.last, Takes: c.takes, Records: c.records, Dropped: c.dropped,
		Lost: c.lost + c.adder.lost.Load(), Fold: c.fold.Save(), Found: found,
		Shares: c.shares, Purge: c.compact.heads}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s%d-%s", snapshotPrefix, c.compact.folded, nuid.Next())
	if err := c.job.againLarge(ctx, func(ctx context.Context) error {
		_, err := c.job.objects.store.PutBytes(ctx, name, text)
		return err
	}); err != nil {
		return err
	}
	if err := c.job.step("stored"); err != nil {
		return err
	}
	r := &joblog.Record{Folded: &joblog.Folded{Name: name, Sequence: s.Sequence}}
	sequence, err := c.job.log.append(ctx, foldedChain, c.compact.folded, r)
	if errors.Is(err, errRefused) { // it will be read that there is another one, or that records are missing
		c.compact.counted = 0
		return c.job.objects.drop(ctx, name)
	}
	if err != nil {
		return err
	}
	if err := c.job.step("named"); err != nil {
		return err
	}
	before := c.compact
	c.compact = &compaction{folded: sequence, heads: map[string]uint64{},
		ended: map[string]*joblog.Record{}}
	done := make(chan error, 1)
	c.cleaned = done
	go func() { done <- c.job.clean(ctx, before, head{sequence: sequence, record: r}, text) }()
	return nil
}

// clean removes what a snapshot has, and those before it. named is the record that names it.
func (j *Job) clean(ctx context.Context, before *compaction, named head, text []byte) error {
	var s snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	fold, err := s.Fold.Restore()
	if err != nil {
		return err
	}
	if err := j.bury(ctx, before, &s); err != nil {
		return err
	}
	if err := j.step("buried"); err != nil {
		return err
	}
	if err := j.log.purge(ctx, &s); err != nil {
		return err
	}
	if err := j.step("purged"); err != nil {
		return err
	}
	return j.sweep(ctx, named, fold)
}

// bury puts a short record after the last one of each task that has ended, which can be purged then. A worker that
// gets the task once more finds that there is nothing left of it.
func (j *Job) bury(ctx context.Context, before *compaction, s *snapshot) error {
	for _, chain := range slices.Sorted(maps.Keys(before.ended)) {
		last, r := before.heads[chain], before.ended[chain]
		end := &joblog.Record{Task: r.Task, Number: r.Number + 1}
		if _, err := j.log.append(ctx, chain, last, end); err == nil {
			s.Purge[chain] = last + 1
		} else if !errors.Is(err, errRefused) {
			return err
		}
	}
	return nil
}

// purge removes the messages that a snapshot has, but for the last of each chain.
func (l *recordLog) purge(ctx context.Context, s *snapshot) error {
	for _, chain := range slices.Sorted(maps.Keys(s.Purge)) {
		if err := l.again(ctx, func(ctx context.Context) error {
			return l.messages.Purge(ctx, jetstream.WithPurgeSubject(l.subject(logKind, chain)),
				jetstream.WithPurgeSequence(s.Purge[chain]))
		}); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes snapshots that cannot come to be the last one any more, and objects that are needless.
func (j *Job) sweep(ctx context.Context, named head, fold *joblog.Fold) error {
	var list []string
	err := j.again(ctx, func(ctx context.Context) (err error) {
		list, err = j.objects.list(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range list {
		needless, err := j.log.needless(ctx, name, fold)
		if after, is := snapshotAfter(name); is {
			needless = after < named.sequence && name != named.record.Folded.Name
		}
		if err == nil && needless {
			err = j.objects.drop(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drop removes what is stored under a name, if there is a name.
func (s *objectStore) drop(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	err := s.again(ctx, func(ctx context.Context) error { return s.store.Delete(ctx, name) })
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	return err
}

// step lets tests end a coordinator between two operations.
func (j *Job) step(name string) error {
	if j.interrupt != nil {
		return j.interrupt(name)
	}
	return nil
}

// needless reports whether an object may be removed, given a fold whose snapshot is in the log:
// the record has been folded, or has lost its place to one that was, and is not the last one of its chain, which
// workers need; the task has ended.
func (l *recordLog) needless(ctx context.Context, name string, fold *joblog.Fold) (bool, error) {
	of, ok := ownerOf(name)
	switch {
	case !ok:
		return false, nil
	case of.kind == taskLarge:
		return fold.Folded(of.id, math.MaxInt), nil
	case !fold.Folded(of.id, of.number) || of.kind == foundLarge:
		return fold.Folded(of.id, of.number), nil
	}
	last := false
	err := l.again(ctx, func(ctx context.Context) error {
		m, _, err := l.lastOf(ctx, token(of.id))
		if errors.Is(err, errDamaged) || gone(err) { // what it says is not known
			last = true
			return nil
		}
		if err != nil || m == nil {
			return err
		}
		last = namedBy(m.Data) == name
		return nil
	})
	return !last, err
}

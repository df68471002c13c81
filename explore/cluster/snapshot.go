package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore"
	"cdpor/explore/cluster/internal/pacing"
	"cdpor/explore/internal/joblog"
)

// Compaction (README section 19). A coordinator stores what the log means up to a place, a snapshot, then says so in
// the log, and only then removes records. Whoever dies in between leaves something that is not used, or too much. What
// is removed is never the last message of a chain, which workers need, nor what a snapshot named in the log does not
// have. A coordinator that misses records, because another one has removed them, begins again with the snapshot.

// A snapshot is what a log means up to a place.
type snapshot struct {
	Sequence uint64 // of the last record
	Takes    uint64 // of the last take
	Records  int64
	Fold     *joblog.Saved
	Shares   *savedShares
	Found    []byte
	// Purge says before which message each chain that the snapshot before did not have is to be purged.
	Purge map[string]uint64
}

// A compaction is what has been read since the last snapshot.
type compaction struct {
	name    string // of the last snapshot
	folded  uint64 // the last record of foldedChain
	counted int    // records that count
	heads   map[string]uint64
	ended   map[string]*joblog.Record // last records of parcels: by chain
	large   bool                      // there were chunks
}

// read takes note of a record.
func (c *compaction) read(j *Job, m logged, r *joblog.Record, counts bool) {
	chain := strings.TrimPrefix(m.message.Subject(), j.subject("log", ""))
	c.heads[chain] = m.sequence
	if r.Folded != nil { // by another coordinator, or by this one
		c.name, c.folded, c.counted = r.Folded.Name, m.sequence, 0
	}
	if !counts {
		return
	}
	c.counted++
	c.large = c.large || r.Stored != ""
	if r.Take == nil && r.Left == nil {
		c.ended[chain] = r
	}
}

// chunk is the name under which what a record has found is stored.
func chunk(id joblog.ID, number int, digest string) string {
	return fmt.Sprintf("found-%d.%d-%d-%s", id.Node, id.Place, number, digest)
}

// chunkOf is the record that a chunk is of.
func chunkOf(name string) (id joblog.ID, number int, ok bool) {
	text, ok := strings.CutPrefix(name, "found-")
	if !ok {
		return id, 0, false
	}
	n, err := fmt.Sscanf(text, "%d.%d-%d-", &id.Node, &id.Place, &number)
	return id, number, n == 3 && err == nil
}

// snapshotPrefix begins the names of snapshots.
const snapshotPrefix = "fold-"

// errGap says that records are missing, because another coordinator has removed them or because a server has lost them.
var errGap = errors.New("records of the log are missing")

// load begins with the snapshot that the log names, if it names one, and with an empty log otherwise.
func (c *coordinator) load(ctx context.Context) error {
	if err := c.findings.Reset(); err != nil {
		return err
	}
	c.fold, c.ahead, c.begun, c.takes, c.sent, c.last, c.records = c.findings.NewFold(), 1, false, 0, 0, 0, 0
	c.lately, c.shares = map[joblog.ID]time.Time{}, newShares()
	c.compact = &compaction{heads: map[string]uint64{}, ended: map[string]*joblog.Record{}}
	h, err := c.job.headOf(ctx, foldedChain)
	if err != nil || h.record == nil {
		return err
	}
	c.compact.name, c.compact.folded = h.record.Folded.Name, h.sequence
	var text []byte
	err = c.job.againLarge(ctx, func(ctx context.Context) (err error) {
		text, err = c.job.store.GetBytes(ctx, h.record.Folded.Name)
		return err
	})
	if gone(err) {
		return errGap
	}
	if err != nil {
		return fmt.Errorf("a snapshot of job %s: %w", c.job.Name, err)
	}
	var s snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("a snapshot of job %s: %w", c.job.Name, err)
	}
	if c.fold, err = c.findings.RestoreFold(s.Fold); err != nil {
		return fmt.Errorf("a snapshot of job %s: %w", c.job.Name, err)
	}
	if err := c.findings.Add(s.Found); err != nil {
		return fmt.Errorf("a snapshot of job %s: %w", c.job.Name, err)
	}
	c.takes, c.last, c.records, c.ahead = s.Takes, s.Sequence, s.Records, len(c.fold.UnderWay())
	c.shares = s.Shares.restore()
	done := make(chan error, 1)
	c.cleaned = done
	go func() { done <- c.job.purge(ctx, &s) }() // who has stored it may have died before
	return nil
}

// gone reports whether an error says that an object of the store is not there any more, or is just being removed.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrDigestMismatch)
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
	s := &snapshot{Sequence: c.last, Takes: c.takes, Records: c.records, Fold: c.fold.Save(), Found: found,
		Shares: c.shares.save(), Purge: c.compact.heads}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	name := snapshotPrefix + nuid.Next()
	if err := c.job.againLarge(ctx, func(ctx context.Context) error {
		_, err := c.job.store.PutBytes(ctx, name, text)
		return err
	}); err != nil {
		return err
	}
	if err := c.job.step("stored"); err != nil {
		return err
	}
	r := &joblog.Record{Folded: &joblog.Folded{Name: name, Sequence: s.Sequence}}
	sequence, err := c.job.append(ctx, foldedChain, c.compact.folded, r)
	if errors.Is(err, errRefused) { // it will be read that there is another one, or that records are missing
		c.compact.counted = 0
		return c.job.drop(ctx, name)
	}
	if err != nil {
		return err
	}
	if err := c.job.step("named"); err != nil {
		return err
	}
	before := c.compact
	c.compact = &compaction{name: name, folded: sequence, heads: map[string]uint64{},
		ended: map[string]*joblog.Record{}}
	done := make(chan error, 1)
	c.cleaned = done
	go func() { done <- c.job.clean(ctx, before, text) }()
	return nil
}

// clean removes what a snapshot has, and what the one before it was.
func (j *Job) clean(ctx context.Context, before *compaction, text []byte) error {
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
	if err := j.purge(ctx, &s); err != nil {
		return err
	}
	if err := j.step("purged"); err != nil {
		return err
	}
	return j.sweep(ctx, before, fold)
}

// bury puts a short record after the last one of each parcel that has ended, which can be purged then. A worker that
// gets the parcel once more finds that there is nothing left of it.
func (j *Job) bury(ctx context.Context, before *compaction, s *snapshot) error {
	for _, chain := range slices.Sorted(maps.Keys(before.ended)) {
		last, r := before.heads[chain], before.ended[chain]
		if _, err := j.append(ctx, chain, last, &joblog.Record{Parcel: r.Parcel, Number: r.Number + 1}); err == nil {
			s.Purge[chain] = last + 1
		} else if !errors.Is(err, errRefused) {
			return err
		}
	}
	return nil
}

// purge removes the messages that a snapshot has, but for the last of each chain.
func (j *Job) purge(ctx context.Context, s *snapshot) error {
	for _, chain := range slices.Sorted(maps.Keys(s.Purge)) {
		if err := j.again(ctx, func(ctx context.Context) error {
			return j.log.Purge(ctx, jetstream.WithPurgeSubject(j.subject("log", chain)),
				jetstream.WithPurgeSequence(s.Purge[chain]))
		}); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes snapshots before the last one, and chunks of records that have been folded, or have lost their place to
// one that was.
func (j *Job) sweep(ctx context.Context, before *compaction, fold *joblog.Fold) error {
	if !before.large {
		return j.drop(ctx, before.name)
	}
	var list []*jetstream.ObjectInfo
	err := j.again(ctx, func(ctx context.Context) (err error) {
		list, err = j.store.List(ctx)
		return err
	})
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return err
	}
	for _, o := range list {
		id, number, is := chunkOf(o.Name)
		if is && fold.Folded(id, number) || o.Name == before.name {
			if err := j.drop(ctx, o.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// drop removes what is stored under a name, if there is a name.
func (j *Job) drop(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	err := j.again(ctx, func(ctx context.Context) error { return j.store.Delete(ctx, name) })
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

package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"cdpor/explore/internal/joblog"
)

// What is large is stored beside the log and the queue, as objects whose names say which record or parcel they are of.
// So compaction knows which of them nobody needs any more. What nothing names in the end, nobody reads.

var (
	// largeFound is from how many bytes on what a record has found is stored beside the log.
	largeFound = 256 << 10
	// largeMessage is from how many bytes on a message is, and its name takes its place. A server lets 1 MB pass.
	largeMessage = 512 << 10
)

// A large is what an object is of.
type large struct {
	kind   string
	id     joblog.ID
	number int // of the record
}

// The kinds of large things.
const (
	foundLarge  = "found"  // what a record has found
	recordLarge = "record" // all of a record, or the trees of what is left
	parcelLarge = "parcel" // in the queue, without a number
	otherLarge  = "other"  // all of a record that is of no parcel; there are few, and they stay
)

// name is that of the object with a text.
func (l large) name(text []byte) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s-%d.%d-%d-%s", l.kind, l.id.Node, l.id.Place, l.number, hex.EncodeToString(sum[:]))
}

// largeOf is what an object is of.
func largeOf(name string) (l large, ok bool) {
	kind, text, _ := strings.Cut(name, "-")
	if !slices.Contains([]string{foundLarge, recordLarge, parcelLarge}, kind) {
		return large{}, false
	}
	l.kind = kind
	n, err := fmt.Sscanf(text, "%d.%d-%d-", &l.id.Node, &l.id.Place, &l.number)
	return l, n == 3 && err == nil
}

// put stores a text, and returns its name.
func (j *Job) put(ctx context.Context, l large, text []byte) (name string, err error) {
	name = l.name(text)
	return name, j.againLarge(ctx, func(ctx context.Context) error {
		_, err := j.store.PutBytes(ctx, name, text)
		return err
	})
}

// get is what is stored under a name. The error is gone if nothing is.
func (j *Job) get(ctx context.Context, name string) (text []byte, err error) {
	err = j.againLarge(ctx, func(ctx context.Context) (err error) {
		text, err = j.object(ctx, name)
		return err
	})
	return text, err
}

// object reads what is stored under a name, with no consumer: see fetch.
func (j *Job) object(ctx context.Context, name string) (text []byte, err error) {
	info, err := j.store.GetInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	for from, left := uint64(1), int(info.Chunks); left > 0; {
		chunks, err := j.fetch(ctx, "OBJ_"+j.bucket(), from, "$O."+j.bucket()+".C."+info.NUID, left)
		if err != nil {
			return nil, err
		}
		if len(chunks) == 0 {
			break
		}
		for _, c := range chunks {
			text, from = append(text, c.message.Data...), c.sequence+1
		}
		left -= len(chunks)
	}
	sum := sha256.Sum256(text)
	if info.Digest != objectDigest+base64.URLEncoding.EncodeToString(sum[:]) {
		return nil, fmt.Errorf("%s: %w", name, jetstream.ErrDigestMismatch)
	}
	return text, nil
}

// objectDigest begins the digests of objects.
const objectDigest = "SHA-256="

// objects are the names of all that is stored.
func (j *Job) objects(ctx context.Context) (names []string, err error) {
	for from := uint64(1); ; {
		list, err := j.fetch(ctx, "OBJ_"+j.bucket(), from, "$O."+j.bucket()+".M.>", fetchAtOnce)
		if err != nil || len(list) == 0 {
			return names, err
		}
		for _, m := range list {
			var info jetstream.ObjectInfo
			if from = m.sequence + 1; json.Unmarshal(m.message.Data, &info) == nil && !info.Deleted {
				names = append(names, info.Name)
			}
		}
	}
}

// gone reports whether an error says that an object of the store is not there any more, or is just being removed.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrDigestMismatch) ||
		errors.Is(err, jetstream.ErrMsgNotFound)
}

// storeFound stores what a record has found beside the log.
func (j *Job) storeFound(ctx context.Context, r *joblog.Record) (short *joblog.Record, err error) {
	s := *r
	s.Found = nil
	s.Stored, err = j.put(ctx, large{foundLarge, r.Parcel, r.Number}, r.Found)
	return &s, err
}

// foundBy is what a record has found.
func (j *Job) foundBy(ctx context.Context, r *joblog.Record) (found []byte, err error) {
	if r.Stored == "" {
		return r.Found, nil
	}
	return j.get(ctx, r.Stored)
}

// A message that is stored elsewhere begins so, and its name follows up to a quotation mark.
const elsewhere = `{"Elsewhere":"`

// short is what is published for a message: the message or, if that is large, where it is stored.
func (j *Job) short(ctx context.Context, l large, text []byte) ([]byte, error) {
	if len(text) < largeMessage {
		return text, nil
	}
	name, err := j.put(ctx, l, text)
	return []byte(elsewhere + name + `"}`), err
}

// whole is the message for which something was published.
func (j *Job) whole(ctx context.Context, text []byte) ([]byte, error) {
	name := namedBy(text)
	if name == "" {
		return text, nil
	}
	return j.get(ctx, name)
}

// namedBy is the name of the object that is in the place of a message, empty if the message is whole.
func namedBy(text []byte) string {
	name, found := bytes.CutPrefix(text, []byte(elsewhere))
	if !found {
		return ""
	}
	name, _, _ = bytes.Cut(name, []byte{'"'})
	return string(name)
}

// recordOf is the record of a chain for which a message was published.
func (j *Job) recordOf(ctx context.Context, chain string, data []byte) (*joblog.Record, error) {
	text, err := j.whole(ctx, data)
	if err != nil {
		return nil, err
	}
	r := &joblog.Record{}
	if err := r.Unmarshal(text); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if !j.belongs(r, chain) {
		return nil, fmt.Errorf("%w: a record that is none of %s", errDamaged, chain)
	}
	return r, nil
}

// lastOf reads the last message of a chain, nil if there is none, and its record. What it stands for may have been
// removed because it is not the last one any more.
func (j *Job) lastOf(ctx context.Context, chain string) (m *jetstream.RawStreamMsg, r *joblog.Record, err error) {
	for tries := 0; ; tries++ {
		m, err = j.log.GetLastMsgForSubject(ctx, j.subject("log", chain))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if r, err = j.recordOf(ctx, chain, m.Data); !gone(err) || tries > 4 {
			return m, r, err
		}
		pause(ctx, time.Duration(tries)*50*time.Millisecond)
	}
}

// needless reports whether nobody needs an object any more, as far as a fold tells of which a snapshot is in the log:
// the record has been folded, or has lost its place to one that was, and is not the last one of its chain, which
// workers need; the parcel has ended.
func (j *Job) needless(ctx context.Context, name string, fold *joblog.Fold) (bool, error) {
	l, ok := largeOf(name)
	switch {
	case !ok:
		return false, nil
	case l.kind == parcelLarge:
		return fold.Folded(l.id, math.MaxInt), nil
	case !fold.Folded(l.id, l.number) || l.kind == foundLarge:
		return fold.Folded(l.id, l.number), nil
	}
	last := false
	err := j.again(ctx, func(ctx context.Context) error {
		m, _, err := j.lastOf(ctx, token(l.id))
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

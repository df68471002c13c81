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
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"cdpor/explore/internal/joblog"
)

// Large data is stored beside the log and the queue, as objects whose names contain the record or the task, so that
// compaction knows which objects are still needed. An object that no message names is never read.

var (
	// largeFound is from how many bytes on what a record has found is stored beside the log.
	largeFound = 256 << 10
	// largeMessage is from how many bytes on a message is, and its name takes its place. A server lets 1 MB pass.
	largeMessage = 512 << 10
)

// An objectStore holds what is too large for a message.
type objectStore struct {
	*connection
	*names
	store jetstream.ObjectStore
}

// An owner is the record or the task that an object belongs to.
type owner struct {
	kind   string
	id     joblog.ID
	number int // of the record
}

// The kinds of large things.
const (
	foundLarge  = "found"  // what a record has found
	recordLarge = "record" // all of a record, or the trees of what is left
	taskLarge   = "task"   // in the queue, without a number
	otherLarge  = "other"  // all of a record that is of no task; there are few, and they stay
)

// name returns the name of the object with a text.
func (o owner) name(text []byte) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s-%d.%d-%d-%s", o.kind, o.id.Node, o.id.Place, o.number, hex.EncodeToString(sum[:]))
}

// ownerOf returns the owner of an object.
func ownerOf(name string) (o owner, ok bool) {
	kind, text, _ := strings.Cut(name, "-")
	if !slices.Contains([]string{foundLarge, recordLarge, taskLarge}, kind) {
		return owner{}, false
	}
	o.kind = kind
	n, err := fmt.Sscanf(text, "%d.%d-%d-", &o.id.Node, &o.id.Place, &o.number)
	return o, n == 3 && err == nil
}

// put stores a text, and returns its name.
func (s *objectStore) put(ctx context.Context, o owner, text []byte) (name string, err error) {
	name = o.name(text)
	return name, s.againLarge(ctx, func(ctx context.Context) error {
		_, err := s.store.PutBytes(ctx, name, text)
		return err
	})
}

// get returns the object of a name. The error is gone if there is none.
func (s *objectStore) get(ctx context.Context, name string) (text []byte, err error) {
	err = s.againLarge(ctx, func(ctx context.Context) (err error) {
		text, err = s.read(ctx, name)
		return err
	})
	return text, err
}

// read reads what is stored under a name, with no consumer: see fetch.
func (s *objectStore) read(ctx context.Context, name string) (text []byte, err error) {
	info, err := s.store.GetInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	for from, left := uint64(1), int(info.Chunks); left > 0; {
		chunks, err := s.fetch(ctx, "OBJ_"+s.bucket(), from, "$O."+s.bucket()+".C."+info.NUID, left)
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

// list returns the names of all objects.
func (s *objectStore) list(ctx context.Context) (names []string, err error) {
	for from := uint64(1); ; {
		list, err := s.fetch(ctx, "OBJ_"+s.bucket(), from, "$O."+s.bucket()+".M.>", fetchAtOnce)
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
func (s *objectStore) storeFound(ctx context.Context, r *joblog.Record) (short *joblog.Record, err error) {
	without := *r
	without.Found = nil
	without.Stored, err = s.put(ctx, owner{foundLarge, r.Task, r.Number}, r.Found)
	return &without, err
}

// foundBy returns the findings of a record.
func (s *objectStore) foundBy(ctx context.Context, r *joblog.Record) (found []byte, err error) {
	if r.Stored == "" {
		return r.Found, nil
	}
	return s.get(ctx, r.Stored)
}

// A message that is stored elsewhere begins so, and its name follows up to a quotation mark.
const elsewhere = `{"Elsewhere":"`

// short returns the message itself or, if it is large, a message with the name of its object.
func (s *objectStore) short(ctx context.Context, o owner, text []byte) ([]byte, error) {
	if len(text) < largeMessage {
		return text, nil
	}
	name, err := s.put(ctx, o, text)
	return []byte(elsewhere + name + `"}`), err
}

// whole is the inverse of short.
func (s *objectStore) whole(ctx context.Context, text []byte) ([]byte, error) {
	name := namedBy(text)
	if name == "" {
		return text, nil
	}
	return s.get(ctx, name)
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

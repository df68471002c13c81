package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// Records and parcels that are too large for a message are stored beside the log, as what records have found is.

// A message that is stored elsewhere begins so, and its name follows up to a quotation mark.
const elsewhere = `{"Elsewhere":"`

// short is what is published for a message: the message or, if that is large, where it is stored. If it does not come
// to be published, nobody reads what is stored.
func (j *Job) short(ctx context.Context, text []byte) ([]byte, error) {
	if len(text) < largeMessage {
		return text, nil
	}
	sum := sha256.Sum256(text)
	name := "message-" + hex.EncodeToString(sum[:])
	err := j.againLarge(ctx, func(ctx context.Context) error {
		_, err := j.store.PutBytes(ctx, name, text)
		return err
	})
	return []byte(elsewhere + name + `"}`), err
}

// whole is the message for which something was published.
func (j *Job) whole(ctx context.Context, text []byte) (whole []byte, err error) {
	name, found := bytes.CutPrefix(text, []byte(elsewhere))
	if !found {
		return text, nil
	}
	name, _, _ = bytes.Cut(name, []byte{'"'})
	err = j.againLarge(ctx, func(ctx context.Context) error {
		whole, err = j.store.GetBytes(ctx, string(name))
		return err
	})
	return whole, err
}

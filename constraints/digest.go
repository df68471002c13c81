package constraints

import (
	"crypto/sha256"
	"encoding/hex"

	"cdpor/lang"
	"cdpor/lang/step"
)

// Digest identifies a program by its normal form: comments and layout do not count, parameters do.
func Digest(prog *step.Program) string {
	sum := sha256.Sum256(lang.NormalForm(prog))
	return "sha256:" + hex.EncodeToString(sum[:])
}

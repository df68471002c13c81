// Package build tells one build of the running program from another.
package build

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"regexp"
	"sync"
)

// Digest identifies this build of the program, in 64 hexadecimal digits: a digest of what the linker has called the
// binary that runs or, if it has not, of the binary, which takes a while. The error says that it cannot be read.
var Digest = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return digestOf(f)
})

func digestOf(f interface {
	io.Reader
	io.ReaderAt
}) (string, error) {
	h := sha256.New()
	if id := linkedAs(f); id != "" {
		h.Write([]byte(id))
	} else if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// buildID matches the name that Go's linker gives a binary. Its last part is a digest of the contents. A builder can
// write another name into the binary, the same for all builds.
var buildID = regexp.MustCompile(`^[\w-]{20}(/[\w-]{20}){3}$`)

// linkedAs reads the name that Go's linker has given a binary, empty if there is none. The file is not read from its
// beginning.
func linkedAs(f io.ReaderAt) string {
	program, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	section := program.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	const header, owner = 12, 4
	if err != nil || len(note) < header+owner {
		return ""
	}
	length := program.ByteOrder.Uint32(note[4:])
	if id := note[header+owner:]; uint64(len(id)) >= uint64(length) && buildID.Match(id[:length]) {
		return string(id[:length])
	}
	return ""
}

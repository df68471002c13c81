package fault

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
)

// TestErrors: messages name the file and the cause, not the system call.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{FileError(&fs.PathError{Op: "open", Path: "p.yaml", Err: fs.ErrNotExist}), "p.yaml: there is no such file"},
		{FileError(&fs.PathError{Op: "open", Path: "p.yaml", Err: syscall.EACCES}), "p.yaml: permission denied"},
		{FileError(errors.New("no disk")), "no disk"},
		{FileErrorOf("p.yaml", &fs.PathError{Op: "open", Path: ".p.new", Err: syscall.EACCES}),
			"p.yaml: permission denied"},
		{&Output{"standard output", syscall.EPIPE}, "standard output was closed before everything was written"},
		{&Output{"out.html", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}},
			"cannot write to out.html: no space left on device"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	if input := (Input{}); !errors.As(Inputf("x"), &input) {
		t.Error("Inputf makes no Input")
	}
}

package source

import (
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"cdpor/lang/golang/internal/model"
)

// TestCheckerNewerGo: what does not check is put down to a go command that is newer than what cdpor was built with.
func TestCheckerNewerGo(t *testing.T) {
	for version, want := range map[string]bool{"go1.1": false, "go1.999.2": true, "devel": false} {
		for text, wrong := range map[string]bool{"package p\nvar x int = 1": false, "package p\nvar x int = y": true} {
			p := &packages.Package{ID: "p", PkgPath: "p", Name: "p", GoFiles: []string{"p.go"}}
			newChecker(t.Context(), token.NewFileSet(), model.Overlay{"p.go": []byte(text)},
				model.Toolchain{Version: version, Arch: "amd64"}).check([]*packages.Package{p})
			said := len(p.Errors) > 1 && strings.Contains(p.Errors[1].Msg, version+" can: build it with that")
			if p.IllTyped != wrong || said != (want && wrong) {
				t.Errorf("%s, %q: ill typed %v, %v", version, text, p.IllTyped, p.Errors)
			}
		}
	}
}

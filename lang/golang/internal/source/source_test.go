package source

import (
	"testing"
)

func TestTry(t *testing.T) {
	p, err := Load(t.Context(), Options{Path: "/tmp/s9/try/a"})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(p.Entry, len(p.SSA.AllPackages()))
	for _, pk := range p.SSA.AllPackages() {
		t.Log(pk.Pkg.Path())
	}
	p.Main.Func("TestA").WriteTo(testWriter{t})
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(b []byte) (int, error) { w.t.Log(string(b)); return len(b), nil }

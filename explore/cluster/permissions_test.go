package cluster

import (
	"context"
	"go/ast"
	"go/parser"
	source "go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"cdpor/explore"
)

// permitted is the configuration in OPERATORS.md of a server with a user who may work on one job.
func permitted(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "cmd", "cdpor", "OPERATORS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "### A worker for one job")
	_, rest, _ = strings.Cut(rest, "```\n")
	config, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("OPERATORS.md has no configuration for a worker of one job")
	}
	return config
}

// TestPermittedKinds: every kind of message between workers and coordinators is in the list of what a worker of one job
// may publish or subscribe to, but for what only who makes a job says.
func TestPermittedKinds(t *testing.T) {
	config, kinds := permitted(t), 0
	file, err := parser.ParseFile(source.NewFileSet(), "messages.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if !strings.HasSuffix(name.Name, "Kind") || name.Name == "newKind" || i >= len(spec.Values) {
				continue
			}
			literal, ok := spec.Values[i].(*ast.BasicLit)
			if !ok {
				t.Fatalf("what is %s?", name.Name)
			}
			kind, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if kinds++; strings.HasSuffix(kind, ".") {
				kind += ">"
			}
			if subject := strconv.Quote("cdpor.JOB." + kind); strings.Count(config, subject) != 2 {
				t.Errorf("a worker may not publish %s and subscribe to it", subject)
			}
		}
		return true
	})
	if kinds < 5 {
		t.Errorf("only %d kinds of messages", kinds)
	}
}

// A violations list has what a server has not permitted.
type violations struct {
	mu  sync.Mutex
	all []string
}

func (v *violations) add(_ *nats.Conn, _ *nats.Subscription, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if strings.Contains(strings.ToLower(err.Error()), "violation") {
		v.all = append(v.all, err.Error())
	}
}

// none expects that there have been none.
func (v *violations) none(t *testing.T, what string, nc *nats.Conn) {
	t.Helper()
	_ = nc.Flush()
	time.Sleep(10 * time.Millisecond) // handlers have a goroutine of their own
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.all) > 0 {
		t.Errorf("%s: a worker of one job may not do what it has to: %v", what, v.all)
	}
	v.all = nil
}

// TestPermitted: who may do what OPERATORS.md says works on a job by any algorithm, coordinates it, with snapshots and
// what is large, and does the tasks for it, and nothing that it does is refused.
func TestPermitted(t *testing.T) {
	s := serveUsers(t, strings.ReplaceAll(permitted(t), "JOB", "mine"))
	defer s.Close()
	boss, err := nats.Connect(s.URL(), nats.UserInfo("boss", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer boss.Close()
	refused := &violations{}
	worker, err := nats.Connect(s.URL(), nats.UserInfo("worker", "word"), nats.CustomInboxPrefix("_INBOX_worker"),
		nats.ErrorHandler(refused.add))
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	defer func(found, message int) { largeFound, largeMessage = found, message }(largeFound, largeMessage)
	largeFound, largeMessage = 500, 1500
	path := filepath.Join("..", "..", "testdata", "programs", "lastzero.yaml")
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, path, string(program), "N", "6")
	searches := 0
	for _, a := range explore.Algorithms() {
		spec, err := NewSpec(m, a, explore.Options{}, "")
		if err != nil {
			continue
		}
		searches++
		permittedSearch(t, boss, worker, a, spec)
		refused.none(t, a.Name, worker)
	}
	if searches < 5 {
		t.Errorf("only %d algorithms", searches)
	}
	helper, err := Distribute(t.Context(), boss, "mine", numbers(t, 5), CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	left := make(chan error, 1)
	go func() {
		left <- NewCrew(worker, WorkOptions{Job: "mine", Task: square}).Work(ctx)
	}()
	if stopped, err := Gather(ctx, helper, func(int, []byte) error { return nil }); err != nil || stopped != "" {
		t.Error(stopped, err)
	}
	end()
	if err := <-left; err != nil {
		t.Error(err)
	}
	refused.none(t, "tasks", worker)
	if err := worker.Publish("cdpor.other.here", nil); err != nil {
		t.Fatal(err)
	}
	_ = worker.Flush()
	time.Sleep(500 * time.Millisecond)
	if refused.mu.Lock(); len(refused.all) == 0 {
		t.Error("nothing is refused at all")
	}
	refused.mu.Unlock()
}

// permittedSearch lets a worker of one job work on it and coordinate it.
func permittedSearch(t *testing.T, boss, worker *nats.Conn, a *explore.Algorithm, spec *Spec) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	job, err := Create(ctx, boss, "mine", spec, CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = job.Remove(context.WithoutCancel(ctx)) }()
	left := make(chan error, 1)
	go func() {
		left <- NewCrew(worker, WorkOptions{Job: "mine", Once: true, Cores: 2, Slice: 100 * time.Microsecond}).Work(ctx)
	}()
	own, err := Open(ctx, worker, "mine")
	if err != nil {
		t.Fatal(err)
	}
	machine, err := own.Spec.Machine()
	if err != nil {
		t.Fatal(err)
	}
	findings, err := explore.NewParcelFindings(ctx, machine, a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Coordinate(ctx, own, findings, CoordinateOptions{SnapshotEvery: 5}); err != nil {
		t.Errorf("%s: %v", a.Name, err)
	}
	end()
	if err := <-left; err != nil {
		t.Errorf("%s: %v", a.Name, err)
	}
}

package cluster

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	source "go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/joblog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
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

// kinds are the kinds of messages about a job, as names.go names them.
func kinds(t *testing.T) (list []string) {
	t.Helper()
	file, err := parser.ParseFile(source.NewFileSet(), "names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		for i := 0; ok && i < len(spec.Names); i++ {
			if strings.HasSuffix(spec.Names[i].Name, "Kind") {
				literal, _ := spec.Values[i].(*ast.BasicLit)
				kind, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, kind)
			}
		}
		return true
	})
	return list
}

// own are the subjects on which messages about a job are sent, and requests of those who work on it.
func own(t *testing.T, job *Job) (subjects []string) {
	for _, kind := range kinds(t) {
		subjects = append(subjects, job.subject(kind), job.subject(kind, "root"))
	}
	for _, quoted := range strings.Split(strings.ReplaceAll(permitted(t), "JOB", job.Name), `"`) {
		if subject := strings.TrimSuffix(quoted, ".>"); strings.HasPrefix(subject, "$") {
			subjects = append(subjects, subject)
		}
	}
	return append(subjects, "$JS.API.STREAM.DELETE."+job.stream("log"), "$JS.API.STREAM.DELETE.OBJ_"+job.bucket(),
		"$JS.API.CONSUMER.DELETE."+job.stream("work")+"."+consumer)
}

// TestOtherJob: a worker bound to one job may not publish, subscribe or ask anything about another one, nor make a
// consumer; and whoever may do anything in the account of a job reaches nothing of a job of another account, not by an
// answer or by a consumer for which the server publishes either.
func TestOtherJob(t *testing.T) {
	config := strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(permitted(t), "JOB", "mine")), "}") +
		"OTHER { jetstream: enabled, users: [ { user: stranger, password: word } ] }\n}"
	s := serveUsers(t, config)
	defer s.Close()
	refused := &violations{came: make(chan string, 1000)}
	connect := func(user, password string) *nats.Conn {
		nc, err := nats.Connect(s.URL(), nats.UserInfo(user, password), nats.CustomInboxPrefix("_INBOX_mine"),
			nats.ErrorHandler(refused.add))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	boss, worker, stranger := connect("boss", "secret"), connect("worker", "word"), connect("stranger", "word")
	m := load(t, "two.yaml", "cdpor: 1\nshared: {x: int = 0}\nthreads: {a: x = 1, b: x = 2}\nobserve: [x]\n")
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(m, a, explore.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	make := func(nc *nats.Conn, name string) *Job {
		job, err := Create(t.Context(), nc, name, spec, CreateOptions{})
		if err == nil {
			err = job.enqueue(t.Context(), &joblog.Task{ID: joblog.Root, Begin: -1}, 0)
		}
		if err == nil {
			_, err = job.log.append(t.Context(), token(joblog.Root), 0, &joblog.Record{})
		}
		if err != nil {
			t.Fatal(err)
		}
		return job
	}
	mine, second, other := make(boss, "mine"), make(boss, "second"), make(stranger, "other")
	for _, subject := range own(t, second) {
		if err := worker.PublishRequest(subject, "_INBOX_mine.x", nil); err != nil {
			t.Fatal(err)
		}
		if came := <-refused.came; !strings.Contains(came, subject) {
			t.Errorf("%s: %s", subject, came)
		}
		if _, err := worker.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if came := <-refused.came; !strings.Contains(came, subject) {
			t.Errorf("%s: %s", subject, came)
		}
	}
	tricks(t, boss, mine, second.subject(endKind)) // they do work where nothing is to keep them from it
	push(t, worker, mine, second.subject(endKind))
	if came := <-refused.came; !strings.Contains(came, "CONSUMER.CREATE") {
		t.Error(came)
	}
	reached, err := stranger.SubscribeSync("cdpor.other.>")
	if err != nil {
		t.Fatal(err)
	}
	before := state(t, other)
	for _, subject := range own(t, other) {
		if strings.HasPrefix(subject, "$") { // nobody hears it
			push(t, boss, mine, subject)
			answer(t, boss, mine, subject)
			_ = boss.Flush()
			continue
		}
		tricks(t, boss, mine, subject)
	}
	if err := stranger.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := reached.Pending(); n > 0 || err != nil {
		t.Errorf("%d messages have come from another account, %v", n, err)
	}
	if after := state(t, other); !slices.Equal(before, after) {
		t.Errorf("the streams of a job had %v messages, after attempts from another account %v", before, after)
	}
}

// tricks has the server publish on a subject by a consumer, and by an answer, and waits for both.
func tricks(t *testing.T, nc *nats.Conn, job *Job, subject string) {
	t.Helper()
	reached, err := nc.SubscribeSync(subject)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reached.Unsubscribe() }()
	for _, trick := range []func(*testing.T, *nats.Conn, *Job, string){push, answer} {
		trick(t, nc, job, subject)
		if _, err := reached.NextMsgWithContext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// push makes a consumer of the log of a job that delivers to a subject.
func push(t *testing.T, nc *nats.Conn, job *Job, subject string) {
	t.Helper()
	name := nuid.Next()
	text := fmt.Sprintf(`{"stream_name":%q,"action":"create","config":{"name":%q,"deliver_subject":%q,`+
		`"ack_policy":"none","deliver_policy":"all","inactive_threshold":1000000000}}`, job.stream("log"), name, subject)
	if err := nc.Publish("$JS.API.CONSUMER.CREATE."+job.stream("log")+"."+name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// answer has a question about the log of a job answered on a subject.
func answer(t *testing.T, nc *nats.Conn, job *Job, subject string) {
	t.Helper()
	if err := nc.PublishRequest("$JS.API.DIRECT.GET."+job.stream("log"), subject, []byte(`{"seq":1}`)); err != nil {
		t.Fatal(err)
	}
}

// state is how many messages the streams of a job have.
func state(t *testing.T, job *Job) (messages []uint64) {
	t.Helper()
	for _, name := range []string{job.stream("log"), job.stream("work"), "OBJ_" + job.bucket()} {
		stream, err := job.js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, stream.CachedInfo().State.Msgs)
	}
	return messages
}

// A violations list has what a server has not permitted.
type violations struct {
	mu   sync.Mutex
	all  []string
	came chan string // nil: nobody waits for them
}

func (v *violations) add(_ *nats.Conn, _ *nats.Subscription, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if strings.Contains(strings.ToLower(err.Error()), "violation") {
		v.all = append(v.all, err.Error())
		if v.came != nil {
			v.came <- err.Error()
		}
	}
}

// none expects that there have been none.
func (v *violations) none(t *testing.T, what string, nc *nats.Conn) {
	t.Helper()
	const last = "nobody.may" // the handler is told of this one after the others
	if err := nc.Publish(last, nil); err != nil {
		t.Fatal(err)
	}
	for heard := false; !heard; time.Sleep(time.Millisecond) {
		v.mu.Lock()
		heard = slices.ContainsFunc(v.all, func(text string) bool { return strings.Contains(text, last) })
		v.mu.Unlock()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.all) > 1 {
		t.Errorf("%s: a worker of one job may not do what it has to: %v", what, v.all)
	}
	v.all = nil
}

// TestPermitted: who may do what OPERATORS.md says works on a job by any algorithm, coordinates it, with snapshots and
// what is large, and nothing that it does is refused.
func TestPermitted(t *testing.T) {
	s := serveUsers(t, strings.ReplaceAll(permitted(t), "JOB", "mine"))
	defer s.Close()
	boss, err := nats.Connect(s.URL(), nats.UserInfo("boss", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer boss.Close()
	refused := &violations{}
	worker, err := nats.Connect(s.URL(), nats.UserInfo("worker", "word"), nats.CustomInboxPrefix("_INBOX_mine"),
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
}

// permittedSearch lets a worker of one job work on it and coordinate it.
func permittedSearch(t *testing.T, boss, worker *nats.Conn, a *explore.Algorithm, spec *Spec) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	job, err := Create(ctx, boss, "mine", spec, CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = job.Remove(context.WithoutCancel(ctx)) }()
	left := make(chan error, 1)
	go func() {
		opt := WorkOptions{Job: "mine", Once: true, Cores: 2, Slice: 100 * time.Microsecond}
		left <- NewProcess(worker, opt).Work(ctx)
	}()
	own, err := Open(ctx, worker, "mine")
	if err != nil {
		t.Fatal(err)
	}
	machine, err := own.Spec.Machine()
	if err != nil {
		t.Fatal(err)
	}
	findings, err := distributed.NewFindings(ctx, machine, a, explore.Options{})
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

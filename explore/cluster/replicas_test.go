package cluster

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"cdpor/explore"
)

var threeServers = flag.Bool("r3", false, "search over a cluster of three servers, and end the leader of the log")

// serveThree starts three servers that know each other, by the names that they have in the cluster.
func serveThree(t *testing.T) map[string]*Server {
	t.Helper()
	var routes []string
	for range 3 { // free ports: those of routes have to be known before
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		routes = append(routes, l.Addr().String())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	type started struct {
		name string
		s    *Server
		err  error
	}
	all := make(chan started, 3)
	for i, route := range routes {
		dir, name := t.TempDir(), fmt.Sprintf("server-%d", i)
		config := filepath.Join(dir, "server.conf")
		text := fmt.Sprintf("server_name: %s\njetstream { store_dir: %s }\ncluster {\n  name: three\n  listen: %q\n"+
			"  routes: [\"nats://%s\"]\n}\n", name, strconv.Quote(filepath.Join(dir, "store")), route,
			strings.Join(routes, `", "nats://`))
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			s, err := Serve(ServerOptions{Listen: "127.0.0.1:0", Config: config})
			all <- started{name, s, err}
		}()
	}
	servers := map[string]*Server{}
	for range routes {
		s := <-all
		if s.err != nil {
			t.Fatal(s.err)
		}
		servers[s.name] = s.s
		t.Cleanup(s.s.Close)
	}
	return servers
}

// TestThreeServers keeps a job on three servers and ends the one that leads its log, while two workers explore. The
// search goes on, and finds what one worker alone does.
func TestThreeServers(t *testing.T) {
	if !*threeServers {
		t.Skip("only with -args -r3")
	}
	servers := serveThree(t)
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.URL())
	}
	connect := func() *nats.Conn {
		nc, err := nats.Connect(strings.Join(urls, ","), NoBuffer, nats.MaxReconnects(-1),
			nats.ReconnectWait(50*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	path := filepath.Join("..", "..", "testdata", "programs", "lastzero.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &searched{nc: connect(), m: load(t, path, string(text), "N", "12")}
	if s.a, err = explore.Find("source"); err != nil {
		t.Fatal(err)
	}
	if s.one, err = explore.Run(t.Context(), s.m, s.a, explore.Options{}); err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(s.m, s.a, explore.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	for ; ; pause(t.Context(), 100*time.Millisecond) { // until the three have a leader
		s.job, err = Create(t.Context(), s.nc, "three", spec, CreateOptions{Replicas: 3, Wait: time.Second})
		if err == nil {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 2 {
		nc := connect()
		go func() {
			process := NewProcess(nc, WorkOptions{Job: "three", Slice: 200 * time.Microsecond})
			if err := process.Work(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}()
	}
	killed := make(chan string, 1)
	go func() {
		defer close(killed)
		for ctx.Err() == nil {
			info, err := s.job.log.messages.Info(ctx)
			if err == nil && info.State.LastSeq >= 60 && info.Cluster != nil && servers[info.Cluster.Leader] != nil {
				servers[info.Cluster.Leader].Close()
				killed <- fmt.Sprintf("%s, after %d records", info.Cluster.Leader, info.State.LastSeq)
				return
			}
			pause(ctx, time.Millisecond)
		}
	}()
	begun := time.Now()
	for {
		r, err := s.coordinateWith(ctx, 200, 0)
		if errors.Is(err, ErrLogLost) {
			t.Error("three servers have lost the end of the log")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		s.like(t, r)
		break
	}
	info, err := s.job.log.messages.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ended %s; %d records in %v; led by %s now", <-killed, info.State.LastSeq, time.Since(begun),
		info.Cluster.Leader)
	if info.State.LastSeq < 100 {
		t.Error("the search was over before the leader was")
	}
}

package ordinary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// A pipes is a listener whose connections stay in memory.
type pipes struct {
	dialed chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func listenInMemory() *pipes { return &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	own, other := net.Pipe()
	select {
	case p.dialed <- other:
		return own, nil
	case <-p.closed:
		return nil, errors.New("nobody listens")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// served has a server in memory to which two clients go, and which counts them.
func served(t *testing.T, count http.HandlerFunc) (answers []string) {
	p := listenInMemory()
	s := &httptest.Server{Listener: p, Config: &http.Server{Handler: count}}
	s.Start()
	defer s.Close()
	var mu sync.Mutex
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			own := &http.Transport{DialContext: p.dial, DisableKeepAlives: true}
			defer own.CloseIdleConnections()
			answer, err := (&http.Client{Transport: own}).Get("http://memory/")
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers = append(answers, string(text))
		})
	}
	clients.Wait()
	return answers
}

func TestServedBug(t *testing.T) {
	var mu sync.Mutex
	visits := 0
	visited := func() int { mu.Lock(); defer mu.Unlock(); return visits }
	answers := served(t, func(w http.ResponseWriter, _ *http.Request) {
		n := visited() + 1
		mu.Lock()
		visits = n
		mu.Unlock()
		fmt.Fprint(w, n)
	})
	if len(answers) == 2 && answers[0] == answers[1] {
		t.Errorf("both are number %s", answers[0])
	}
}

func TestServed(t *testing.T) {
	var mu sync.Mutex
	visits := 0
	answers := served(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		visits++
		fmt.Fprint(w, visits)
	})
	if len(answers) == 2 && answers[0] == answers[1] {
		t.Errorf("both are number %s", answers[0])
	}
}

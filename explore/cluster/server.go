package cluster

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerOptions say how a Server runs. The zero value listens on a free port of the loopback interface.
type ServerOptions struct {
	Listen string // host and port; empty: loopback, a free port
	Store  string // the folder of the streams
	Max    int64  // bytes of the store, 0: what the server thinks fit
}

// A Server is a JetStream server in this process, for those who have none.
type Server struct{ of *server.Server }

// startWithin is how long a server may take until it accepts connections.
const startWithin = 10 * time.Second

// Serve starts a server. The error says why it cannot listen, or use its store.
func Serve(opt ServerOptions) (*Server, error) {
	if opt.Store == "" {
		return nil, errors.New("a server needs a folder for its streams")
	}
	host, port := "127.0.0.1", server.RANDOM_PORT
	if opt.Listen != "" {
		h, p, err := net.SplitHostPort(opt.Listen)
		if err != nil {
			return nil, fmt.Errorf("where to listen: %w", err)
		}
		if host, port = h, -1; p != "0" {
			if port, err = strconv.Atoi(p); err != nil {
				return nil, fmt.Errorf("where to listen: port %q is no number", p)
			}
		}
	}
	s, err := server.NewServer(&server.Options{Host: host, Port: port, JetStream: true, StoreDir: opt.Store,
		JetStreamMaxStore: opt.Max, NoSigs: true, NoLog: true, SyncInterval: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(startWithin) {
		s.Shutdown()
		return nil, fmt.Errorf("the server cannot listen on %s, or not use %s",
			net.JoinHostPort(host, strconv.Itoa(port)), opt.Store)
	}
	return &Server{s}, nil
}

// URL is where clients connect to.
func (s *Server) URL() string { return s.of.ClientURL() }

// Close ends the server. What has been acknowledged stays in its store.
func (s *Server) Close() {
	s.of.Shutdown()
	s.of.WaitForShutdown()
}

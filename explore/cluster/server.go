package cluster

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerOptions say how a Server runs. The zero value, but for Store, listens on a free port of the loopback interface.
type ServerOptions struct {
	Listen  string // host and port; empty: loopback, a free port
	Store   string // the folder of the streams
	Max     int64  // bytes of the store, 0: what the server thinks fit
	Monitor string // host and port of the pages and numbers of the server itself; empty: none
	// Config is a configuration file of a NATS server: accounts, users, TLS, limits. What is said above goes before it.
	Config string
}

// A Server is a JetStream server in this process, for those who have none.
type Server struct{ of *server.Server }

// startWithin is how long a server may take until it accepts connections, when it has read its store.
const startWithin = 10 * time.Second

// Serve starts a server. The error says why it cannot listen, or use its store, or what is wrong in the file.
func Serve(opt ServerOptions) (*Server, error) {
	o, err := opt.server()
	if err != nil {
		return nil, err
	}
	if o.StoreDir == "" {
		return nil, errors.New("a server needs a folder for its streams")
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	if !o.NoLog {
		s.ConfigureLogger()
	}
	s.Start() // a large store takes long
	if !s.ReadyForConnections(startWithin) {
		s.Shutdown()
		return nil, fmt.Errorf("the server cannot listen on %s, or not use %s",
			net.JoinHostPort(o.Host, strconv.Itoa(o.Port)), o.StoreDir)
	}
	return &Server{s}, nil
}

// server are the options as NATS has them.
func (opt *ServerOptions) server() (o *server.Options, err error) {
	o = &server.Options{NoLog: true, SyncInterval: 10 * time.Second}
	if opt.Config != "" {
		if o, err = server.ProcessConfigFile(opt.Config); err != nil {
			return nil, err
		}
		o.NoLog = o.LogFile == "" && !o.Syslog
	}
	o.NoSigs, o.JetStream = true, true
	if opt.Store != "" {
		o.StoreDir = opt.Store
	}
	if opt.Max > 0 {
		o.JetStreamMaxStore = opt.Max
	}
	if opt.Listen != "" {
		if o.Host, o.Port, err = hostPort(opt.Listen); err != nil {
			return nil, fmt.Errorf("where to listen: %w", err)
		}
	}
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	if opt.Listen == "" && opt.Config == "" {
		o.Port = server.RANDOM_PORT
	}
	if opt.Monitor != "" {
		if o.HTTPHost, o.HTTPPort, err = hostPort(opt.Monitor); err != nil {
			return nil, fmt.Errorf("where to show the numbers of the server: %w", err)
		}
	}
	return o, nil
}

// hostPort takes an address apart. Port 0 is a free one.
func hostPort(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	if port, err = strconv.Atoi(text); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("port %q is none", text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// Guarded reports whether clients have to say who they are.
func (s *Server) Guarded() bool {
	o, err := s.of.Varz(nil)
	return err == nil && o.AuthRequired
}

// URL is where clients connect to.
func (s *Server) URL() string { return s.of.ClientURL() }

// Store is the folder of its streams.
func (s *Server) Store() string { return s.of.StoreDir() }

// Close ends the server. What has been acknowledged stays in its store.
func (s *Server) Close() {
	s.of.Shutdown()
	s.of.WaitForShutdown()
}

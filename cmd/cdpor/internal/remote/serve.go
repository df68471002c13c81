//go:build !nocluster

package remote

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/explore/cluster"
)

type Serve struct {
	Listen   string      `placeholder:"ADDR" help:"Where to listen: host and port. Default: ${server}, which only this machine reaches."`
	Store    string      `type:"path" predictor:"dir" placeholder:"DIR" help:"Folder of what the server stores. Default: cdpor/server in the cache folder of the user."`
	StoreMax memory.Size `placeholder:"SIZE" help:"How much the server stores at most, such as 10GB. Default: three quarters of what is free."`
	Monitor  string      `placeholder:"ADDR" help:"Show the server's own pages and numbers at this host and port."`
	Server   string      `name:"nats-config" type:"path" predictor:"file" placeholder:"FILE" help:"Configuration file of a NATS server: accounts, users, TLS, limits, other servers."`
	JSON     bool        `name:"json" help:"Print where the server listens as one JSON object."`
}

func (c *Serve) Help() string {
	return `A NATS server with JetStream, for those who have none; cdpor run, work and jobs --connect use it, or any other one. It ends
with Ctrl-C. What has been acknowledged stays in DIR, and jobs go on when it is started again.`
}

func (c *Serve) Run(e *environment.Environment) error {
	opt := cluster.ServerOptions{Listen: c.Listen, Store: c.Store, Max: int64(c.StoreMax), Monitor: c.Monitor,
		Config: c.Server}
	if opt.Listen == "" && opt.Config == "" {
		opt.Listen = DefaultServer
	}
	if opt.Store == "" && opt.Config == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fault.Inputf("--store: %w", err)
		}
		opt.Store = filepath.Join(cache, "cdpor", "server")
	}
	s, err := cluster.Serve(opt)
	if err != nil {
		return fault.Input{Err: err}
	}
	defer s.Close()
	if c.JSON {
		err = output.Write(e.Stdout, map[string]any{"cdpor": output.Version, "url": s.URL(), "store": s.Store()})
	} else {
		_, err = fmt.Fprintf(e.Stdout, "listening on %s, storing in %s\n", s.URL(), s.Store())
	}
	if err != nil {
		return err
	}
	if host, _, err := net.SplitHostPort(opt.Listen); err == nil && !local(host) && !s.Guarded() {
		fmt.Fprintf(e.Stderr, "cdpor: whoever reaches %s may use it: --nats-config FILE says who may\n", opt.Listen)
	}
	<-e.Context.Done()
	fmt.Fprintln(e.Stderr, "cdpor: the server ends; jobs go on when it is started again")
	return nil
}

// local reports whether only this machine reaches a host.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

package ordinary

import (
	"net"
	"testing"
)

// A goroutine waits for a connection that another one of the test is about to make.
func TestLoopback(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	done := make(chan error)
	go func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			err = c.Close()
		}
		done <- err
	}()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

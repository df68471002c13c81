//go:build !linux

package signals

import "os"

// A signalHandler cannot be seen on this system.
type signalHandler struct{}

func handlerOf(os.Signal) (signalHandler, bool) { return signalHandler{}, false }

func (*signalHandler) install(os.Signal) {}

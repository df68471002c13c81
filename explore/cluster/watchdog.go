package cluster

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"cdpor/explore/internal/joblog"
)

// A worker whose exploration hangs in one step cannot be stopped: its task goes to others, and it keeps its core
// until the process is started again. So people are told.

// A watchdog notices that a worker hangs.
type watchdog struct {
	mu    sync.Mutex
	task  *joblog.Task // nil: it does not explore
	alive time.Time    // when it last gave a sign of life
	told  bool         // that it hangs
}

// begin says that a task is explored from now on; nil: none is.
func (h *watchdog) begin(p *joblog.Task) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.task, h.alive, h.told = p, time.Now(), false
}

// sign is a sign of life.
func (h *watchdog) sign(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.alive = now
}

// hangs reports whether there has been none for as long as it takes until others get the task. news says so in words,
// once for each time.
func (h *watchdog) hangs(wait time.Duration) (yes bool, news string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	silent := time.Since(h.alive)
	if h.task == nil || wait == 0 || silent < wait {
		return false, ""
	}
	if h.told {
		return true, ""
	}
	h.told = true
	where := "from the start on"
	if path := h.task.Path(); len(path) > 0 {
		where = "after the actions " + strings.Trim(strings.ReplaceAll(fmt.Sprint(path), " ", ","), "[]")
	}
	return true, fmt.Sprintf("a worker has given no sign of life for %v in the part of the search that it has, %s: it "+
		"may hang in one step. Others get the part; the worker keeps its core until this process is started again",
		silent.Round(time.Second), where)
}

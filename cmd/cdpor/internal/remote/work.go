//go:build !nocluster

package remote

import (
	"fmt"
	"runtime"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/cluster"
)

type Work struct {
	Connect string        `default:"nats://127.0.0.1:4222" placeholder:"URL" help:"The NATS server. Default: the one that cdpor serve starts on this machine."`
	Cores   int           `placeholder:"N" help:"How many workers. Default: one for each core."`
	Job     string        `placeholder:"NAME" help:"Work on this job only, and leave when it is over. Default: on all that the user may see."`
	Slice   time.Duration `placeholder:"TIME" help:"About how long to explore from one record to the next while a worker is idle. Default: 50ms."`
	ServerFlags
}

func (c *Work) Help() string {
	return `Any number of them, on any machine, may come and go: a search goes on, and loses a second of work at most with each that is
killed. Ctrl-C ends it when the record of the present slice is written. All have to be of the same build of cdpor.`
}

func (c *Work) Run(e *environment.Environment) error {
	if c.Cores < 0 || c.Cores > flags.MaxWorkers || c.Slice < 0 {
		return fault.Inputf("--cores must be between 0 and %d, and --slice not negative", flags.MaxWorkers)
	}
	if c.Cores == 0 {
		c.Cores = runtime.GOMAXPROCS(0)
	}
	say := func(line string) { fmt.Fprintf(e.Stderr, "cdpor: %s\n", terminal.OneLine(line)) }
	nc, err := c.connect(e.Context, c.Connect, "cdpor work", -1, say)
	if err != nil {
		return err
	}
	defer nc.Close()
	workers := cluster.NewProcess(nc, cluster.WorkOptions{Job: c.Job, Cores: c.Cores, Slice: c.Slice, Once: c.Job != "",
		Say: say})
	if err := workers.Work(e.Context); err != nil {
		return fault.Input{Err: err}
	}
	return nil
}

package main

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/explore/cluster"
)

type workCommand struct {
	Connect string        `default:"nats://127.0.0.1:4222" placeholder:"URL" help:"The NATS server. Default: the one that cdpor serve starts on this machine."`
	Cores   int           `placeholder:"N" help:"How many workers. Default: one for each core."`
	Job     string        `placeholder:"NAME" help:"Work on this job only, and leave when it is over. Default: on all that the user may see."`
	Metrics string        `placeholder:"ADDR" help:"Show numbers for Prometheus at this host and port, at /metrics."`
	Slice   time.Duration `placeholder:"TIME" help:"About how long to explore from one record to the next while somebody has nothing to do. Default: 50ms."`
	serverFlags
}

func (c *workCommand) Help() string {
	return `Any number of them, on any machine, may come and go: a search goes on, and loses a second of work at most with each that is
killed. Ctrl-C ends it when the record of the present slice is written. All have to be of the same build of cdpor.`
}

func (c *workCommand) Run(e *environment.Environment) error {
	if c.Cores < 0 || c.Cores > maxWorkers || c.Slice < 0 {
		return fault.Inputf("--cores must be between 0 and %d, and --slice not negative", maxWorkers)
	}
	if c.Cores == 0 {
		c.Cores = runtime.GOMAXPROCS(0)
	}
	say := func(line string) { fmt.Fprintf(e.Stderr, "cdpor: %s\n", line) }
	nc, err := c.connect(e.Context, c.Connect, "cdpor work", -1, say)
	if err != nil {
		return err
	}
	defer nc.Close()
	crew := cluster.NewCrew(nc, cluster.WorkOptions{Job: c.Job, Cores: c.Cores, Slice: c.Slice, Once: c.Job != "",
		Say: say})
	if c.Metrics != "" {
		end, err := showMetrics(c.Metrics, crew)
		if err != nil {
			return err
		}
		defer end()
	}
	if err := crew.Work(e.Context); err != nil {
		return fault.Input{Err: err}
	}
	return nil
}

// showMetrics shows the numbers of a crew to Prometheus until end is called.
func showMetrics(address string, crew *cluster.Crew) (end func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fault.Inputf("--metrics: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(&crewMetrics{crew})
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}

// A crewMetrics collects the numbers of a crew.
type crewMetrics struct{ of *cluster.Crew }

// What is shown, by job.
var (
	workersMetric = prometheus.NewDesc("cdpor_workers", "Workers of this process.", nil, nil)
	busyMetric    = prometheus.NewDesc("cdpor_workers_busy", "Workers that have a parcel of the job.",
		[]string{"job"}, nil)
	nodesMetric   = prometheus.NewDesc("cdpor_nodes_total", "Nodes explored for the job.", []string{"job"}, nil)
	parcelsMetric = prometheus.NewDesc("cdpor_parcels_total", "Parcels taken up for the job.", []string{"job"}, nil)
	recordsMetric = prometheus.NewDesc("cdpor_records_total", "Records appended to the log of the job.",
		[]string{"job"}, nil)
	refusedMetric = prometheus.NewDesc("cdpor_records_refused_total",
		"Records that were refused because another worker was quicker.", []string{"job"}, nil)
)

func (m *crewMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{workersMetric, busyMetric, nodesMetric, parcelsMetric, recordsMetric,
		refusedMetric} {
		to <- d
	}
}

func (m *crewMetrics) Collect(to chan<- prometheus.Metric) {
	cores, jobs := m.of.Numbers()
	to <- prometheus.MustNewConstMetric(workersMetric, prometheus.GaugeValue, float64(cores))
	for _, j := range jobs {
		to <- prometheus.MustNewConstMetric(busyMetric, prometheus.GaugeValue, float64(j.Busy), j.Job)
		for d, n := range map[*prometheus.Desc]int64{nodesMetric: j.Nodes, parcelsMetric: j.Parcels,
			recordsMetric: j.Records, refusedMetric: j.Refused} {
			to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), j.Job)
		}
	}
}

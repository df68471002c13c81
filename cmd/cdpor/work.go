//go:build !nocluster

package main

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/cluster"
)

type workCommand struct {
	Connect string        `default:"nats://127.0.0.1:4222" placeholder:"URL" help:"The NATS server. Default: the one that cdpor serve starts on this machine."`
	Cores   int           `placeholder:"N" help:"How many workers. Default: one for each core."`
	Job     string        `placeholder:"NAME" help:"Work on this job only, and leave when it is over. Default: on all that the user may see."`
	Metrics string        `placeholder:"ADDR" help:"Show numbers for Prometheus at this host and port, at /metrics."`
	Slice   time.Duration `placeholder:"TIME" help:"About how long to explore from one record to the next while a worker is idle. Default: 50ms."`
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
	say := func(line string) { fmt.Fprintf(e.Stderr, "cdpor: %s\n", terminal.OneLine(line)) }
	nc, err := c.connect(e.Context, c.Connect, "cdpor work", -1, say)
	if err != nil {
		return err
	}
	defer nc.Close()
	workers := cluster.NewProcess(nc, cluster.WorkOptions{Job: c.Job, Cores: c.Cores, Slice: c.Slice, Once: c.Job != "",
		Say: say})
	if c.Metrics != "" {
		end, err := showMetrics(c.Metrics, &workerMetrics{workers, nc.IsConnected})
		if err != nil {
			return err
		}
		defer end()
	}
	if err := workers.Work(e.Context); err != nil {
		return fault.Input{Err: err}
	}
	return nil
}

// showMetrics shows the numbers of the workers to Prometheus until end is called.
func showMetrics(address string, metrics *workerMetrics) (end func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fault.Inputf("--metrics: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics)
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}

// A workerMetrics collects the numbers of the workers, and of the jobs that it works on.
type workerMetrics struct {
	of        *cluster.Process
	connected func() bool
}

// A workerMetric is a number that is shown.
type workerMetric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*cluster.Numbers) float64
}

// ofJob makes a metric of a job.
func ofJob[N int | int64 | uint64 | float64](name, help string, kind prometheus.ValueType, of func(*cluster.Numbers) N,
) workerMetric {
	return workerMetric{prometheus.NewDesc(name, help, []string{"job"}, nil), kind,
		func(n *cluster.Numbers) float64 { return float64(of(n)) }}
}

// What is shown.
var (
	workersMetric   = prometheus.NewDesc("cdpor_workers", "Workers of this process.", nil, nil)
	connectedMetric = prometheus.NewDesc("cdpor_connected", "1 while there is a connection to the server.", nil, nil)
	// ownMetrics count the work of this process for a job.
	ownMetrics = []workerMetric{
		ofJob("cdpor_workers_busy", "Workers that have a parcel of the job.", prometheus.GaugeValue,
			func(n *cluster.Numbers) int { return n.Busy }),
		ofJob("cdpor_nodes_total", "Nodes explored for the job.", prometheus.CounterValue,
			func(n *cluster.Numbers) int64 { return n.Nodes }),
		ofJob("cdpor_parcels_total", "Parcels taken up for the job.", prometheus.CounterValue,
			func(n *cluster.Numbers) int64 { return n.Parcels }),
		ofJob("cdpor_records_total", "Records appended to the log of the job.", prometheus.CounterValue,
			func(n *cluster.Numbers) int64 { return n.Records }),
		ofJob("cdpor_records_refused_total", "Records that were refused because another worker was quicker.",
			prometheus.CounterValue, func(n *cluster.Numbers) int64 { return n.Refused }),
		ofJob("cdpor_server_troubles_total", "Times that the server, or its store, could not be used for seconds.",
			prometheus.CounterValue, func(n *cluster.Numbers) int64 { return n.Again }),
	}
	// jobMetrics are published by the coordinator of a job, so all processes show the same.
	jobMetrics = []workerMetric{
		ofJob("cdpor_job_workers", "Workers of the job that its coordinator has heard.", prometheus.GaugeValue,
			func(n *cluster.Numbers) int { return n.Progress.Workers }),
		ofJob("cdpor_job_parcels", "Parcels of the job that are under way.", prometheus.GaugeValue,
			func(n *cluster.Numbers) int { return n.Progress.Parcels }),
		ofJob("cdpor_job_share", "The part of the job that is done, as a rough estimate.", prometheus.GaugeValue,
			func(n *cluster.Numbers) float64 { return n.Progress.Share }),
		ofJob("cdpor_job_oldest_record_seconds", "For how long a parcel under way has been without a record at most.",
			prometheus.GaugeValue, func(n *cluster.Numbers) float64 { return n.Progress.Oldest }),
		ofJob("cdpor_job_records", "Records of the job that have been folded.", prometheus.GaugeValue,
			func(n *cluster.Numbers) int64 { return n.Progress.Records }),
		ofJob("cdpor_job_log_bytes", "Bytes of the log of the job.", prometheus.GaugeValue,
			func(n *cluster.Numbers) uint64 { return n.Progress.Bytes }),
		ofJob("cdpor_job_executions", "Executions of the job that have been explored.", prometheus.GaugeValue,
			func(n *cluster.Numbers) int64 { return n.Progress.Counts.Executions }),
		ofJob("cdpor_job_violations", "Distinct violations that have been found.", prometheus.GaugeValue,
			func(n *cluster.Numbers) int { return n.Progress.Wrong }),
	}
)

func (m *workerMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- workersMetric
	to <- connectedMetric
	for _, each := range slices.Concat(ownMetrics, jobMetrics) {
		to <- each.desc
	}
}

func (m *workerMetrics) Collect(to chan<- prometheus.Metric) {
	cores, jobs := m.of.Numbers()
	connected := 0.0
	if m.connected() {
		connected = 1
	}
	to <- prometheus.MustNewConstMetric(workersMetric, prometheus.GaugeValue, float64(cores))
	to <- prometheus.MustNewConstMetric(connectedMetric, prometheus.GaugeValue, connected)
	for i := range jobs {
		shown := ownMetrics
		if jobs[i].Progress != nil {
			shown = slices.Concat(ownMetrics, jobMetrics)
		}
		for _, each := range shown {
			to <- prometheus.MustNewConstMetric(each.desc, each.kind, each.of(&jobs[i]), jobs[i].Job)
		}
	}
}

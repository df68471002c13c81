package explore

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"cdpor/explore/internal/joblog"
	"cdpor/lang"
	"cdpor/lang/step"
)

func TestZZ(t *testing.T) {
	text, err := os.ReadFile("../testdata/programs/" + os.Getenv("PROG") + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{}
	if n := os.Getenv("N"); n != "" {
		set["N"] = n
	}
	src, err := lang.Load("x", text, lang.Options{Params: set})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	batch, _ := strconv.Atoi(os.Getenv("BATCH"))
	begun := time.Now()
	one, _ := Run(context.Background(), m, optimalAlgorithm, Options{})
	fmt.Println("one", one.Executions, one.Nodes, time.Since(begun))
	f, err := NewParcelFindings(context.Background(), m, optimalAlgorithm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fold := f.NewFold()
	type wk struct {
		x      *ParcelWork
		p      *joblog.Parcel
		n      int
		split  bool
		cpu    time.Duration
	}
	nw, _ := strconv.Atoi(os.Getenv("NW"))
	ws := make([]*wk, nw)
	for i := range ws {
		x, _ := NewParcelWork(context.Background(), m.Fresh(), optimalAlgorithm, Options{})
		x.PauseWith(batch)
		ws[i] = &wk{x: x}
	}
	queue := []joblog.ID{joblog.Root}
	var foldTime, takeTime time.Duration
	records, plans, takes, more, plansLen, treeBytes := 0, 0, 0, 0, 0, 0
	idle := 0
	for steps := 0; !fold.Done() ; steps++ {
		for _, w := range ws {
			if w.p == nil {
				if len(queue) == 0 {
					idle++
					continue
				}
				p, next := fold.Parcel(queue[0])
				queue = queue[1:]
				w.p, w.n = p, next
				b := time.Now()
				if err := w.x.TakeUp(p); err != nil {
					t.Fatal(err)
				}
				w.cpu += time.Since(b)
			}
			b := time.Now()
			over, err := w.x.Explore(2000)
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.x.Record(w.n, over, len(queue) < nw)
			if err != nil {
				t.Fatal(err)
			}
			w.cpu += time.Since(b)
			records++
			for _, in := range r.Insert {
				plans += len(in.Plans)
				for _, v := range in.Plans {
					plansLen += len(v)
				}
			}
			b = time.Now()
			id := r.Parcel
			if r.Left == nil || len(r.Split) > 0 {
				fmt.Println("record of", id, "over", r.Left == nil, "execs", r.Number, "split", len(r.Split), "plans", len(r.Insert))
			}
			if c, err := fold.Apply(r); err != nil || !c {
				t.Fatal(err, c)
			}
			if len(r.Insert) > 0 && r.Left != nil {
				pl := fold.Planned(id)
				for _, l := range pl.Trees {
					treeBytes += len(l)
				}
				if os.Getenv("TELL") != "" { w.x.Planned(pl) }
			}
			foldTime += time.Since(b)
			if err := f.Add(r.Found); err != nil {
				t.Fatal(err)
			}
			w.p, w.n = r.Left, w.n+1
			b = time.Now()
			for len(queue) < nw {
				take := fold.Waiting()
				if take == nil {
					break
				}
				fold.Apply(&joblog.Record{Take: take})
				queue = append(queue, fold.Newest())
				pp, _ := fold.Parcel(fold.Newest())
				takes++; fmt.Println("take", fold.Newest(), "depth", len(pp.Levels), "way", take.Action, "below", len(pp.Plans)/2)
				for _, l := range pp.Levels {
					fmt.Print("  ", l.Action, l.Sleep, len(l.Wakeup)/2)
				}
				fmt.Println()
			}
			takeTime += time.Since(b)
		}
	}
	r := f.Result("")
	fmt.Printf("executions %d blocked %d; records %d, plans %d (len %d), takes %d (more %d), tree numbers %d, idle %d, fold %v, takes %v, workers %v %v\n",
		r.Executions, r.Blocked, records, plans, plansLen/max(1, plans), takes, more, treeBytes, idle, foldTime, takeTime, ws[0].cpu, ws[1].cpu)
}

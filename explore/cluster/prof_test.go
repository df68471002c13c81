package cluster

import (
	"context"
	"os"
	"testing"
	"time"
	"fmt"

	"cdpor/explore"
)

func TestProf(t *testing.T) {
	name, n := os.Getenv("PROG"), os.Getenv("N")
	if name == "" { t.Skip() }
	text, _ := os.ReadFile("/work/main/testdata/programs/" + name + ".yaml")
	m := load(t, name+".yaml", string(text), "N", n)
	a, _ := explore.Find(os.Getenv("ALG"))
	s := serve(t, "127.0.0.1:0", t.TempDir())
	defer s.Close()
	nc := connect(t, s)
	for range 1 {
	b0 := time.Now()
	r1, _ := explore.Run(context.Background(), m.Fresh(), a, explore.Options{})
	b := time.Now()
	fmt.Println("one", b.Sub(b0), r1.Executions)
	spec, err := NewSpec(m, a, explore.Options{}, "")
	if err != nil { t.Fatal(err) }
	job, err := Create(context.Background(), nc, "prof", spec, CreateOptions{})
	if err != nil { t.Fatal(err) }
	ctx, end := context.WithCancel(context.Background())
	for range 2 {
		go func() { fmt.Println(NewCrew(nc, WorkOptions{Job: "prof"}).Work(ctx)) }()
	}
	b = time.Now()
	f, err := explore.NewParcelFindings(ctx, m, a, explore.Options{})
	if err != nil { t.Fatal(err) }
	st, err := Coordinate(ctx, job, f, CoordinateOptions{Submitter: true, Workers: 2})
	fmt.Println(time.Since(b), st, err)
	if err != nil { t.Fatal(err) }
	r := f.Result(st)
	fmt.Println(r.Executions, r.Blocked)
	end()
	job.Remove(context.Background())
	}
}

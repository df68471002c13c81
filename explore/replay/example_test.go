package replay_test

import (
	"context"
	"fmt"
	"log"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang"
	"cdpor/lang/step"
)

const philosophers = `cdpor: 1
shared: {left: mutex, right: mutex}
threads:
  a: "lock left; lock right; unlock right; unlock left"
  b: "lock right; lock left; unlock left; unlock right"
`

// A schedule of the command line is run, and the deadlock that it leads to is explained.
func ExamplePlayer_Run() {
	src, err := lang.Load("philosophers.yaml", []byte(philosophers), lang.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		log.Fatal(err)
	}
	player, err := replay.New(m)
	if err != nil {
		log.Fatal(err)
	}
	lasso, err := schedules.ParseLasso(m, "0,1")
	if err != nil {
		log.Fatal(err)
	}
	x, err := player.Run(context.Background(), lasso, explore.LivenessOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range x.Steps {
		fmt.Println(s.Step, s.Text, s.Writes)
	}
	fmt.Println(x.Verdict, x.Ending, replay.Join(x.Values))
	for _, line := range x.Why.Lines() {
		fmt.Println(line)
	}
	// Output:
	// a.1 lock left [left: free -> held by a]
	// b.1 lock right [right: free -> held by b]
	// violation deadlock left held by a; right held by b
	// a (line 4) waits in lock right
	//   right held by b since step 2 (line 5: lock right)
	//   b (line 5: unlock right) could free it, but waits itself
	// b (line 5) waits in lock left
	//   left held by a since step 1 (line 4: lock left)
	//   a (line 4: unlock left) could free it, but waits itself
	// each waits for the next: a -> b -> a
}

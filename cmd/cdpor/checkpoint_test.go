package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/explore"

	gocmp "github.com/google/go-cmp/cmp"
)

var kills = flag.Int("n", 6, "how often TestKill kills a process")

// adders is a program with 5,189,880 executions in 7 outcomes and few states.
const adders = `cdpor: 1
params: {N: 4}
shared: {x: int = 0}
threads:
  adder:
    count: N
    run: |
      for i in 1..2 {
        var r int = x
        x = r + 1
      }
`

// savedSearch is a checkpoint file of a search of the adders.
func savedSearch(t *testing.T, args ...string) (path string, text []byte) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "adders.yaml")
	path = filepath.Join(dir, "adders.checkpoint")
	if err := os.WriteFile(program, []byte(adders), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	args = append([]string{"run", program, "--checkpoint", path}, args...)
	if code := runMain(args, nil, &out, &out); code != fault.ExitIncomplete {
		t.Fatalf("exit code %d\n%s", code, &out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, text
}

// TestDamagedCheckpoint: a file that is cut off or changed anywhere is refused, and so is one of another version.
func TestDamagedCheckpoint(t *testing.T) {
	for algorithm, executions := range map[string]string{"source": "100", "exhaustive": "3"} {
		path, text := savedSearch(t, "--algorithm", algorithm, "--max-executions", executions)
		if _, _, err := checkpoint.Read(path); err != nil {
			t.Fatal(err)
		}
		refused := func(what string, text []byte, want string) {
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			if code := runMain([]string{"resume", path}, nil, &stdout, &stderr); code != fault.ExitInput ||
				stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
				t.Errorf("%s, %s: exit code %d\n%s%s", algorithm, what, code, &stdout, &stderr)
			}
		}
		for n := 0; n < len(text); n += 97 {
			refused(fmt.Sprintf("the first %d bytes", n), text[:n], path)
		}
		for i := 0; i < len(text); i += 13 {
			damaged := bytes.Clone(text)
			damaged[i] ^= 1 << (i % 8)
			refused(fmt.Sprintf("byte %d", i), damaged, path)
		}
		refused("something behind the end", append(bytes.Clone(text), '\n'), "is damaged: its checksum is wrong")
		refused("a program", []byte(adders), "is a program, not a checkpoint; cdpor run ")
		refused("another format", bytes.Replace(text, []byte("cdpor-checkpoint 1 "), []byte("cdpor-checkpoint 7 "), 1),
			"has version 7 of the format; this cdpor reads version 1")
		// What has been changed with its checksum is looked at.
		change := func(what, old, new, want string) {
			_, body, _ := bytes.Cut(text, []byte("\n"))
			if !bytes.Contains(body, []byte(old)) {
				t.Fatalf("there is no %s", old)
			}
			body = bytes.Replace(body, []byte(old), []byte(new), 1)
			sum := sha256.New()
			sum.Write(body)
			refused(what, append(fmt.Appendf(nil, "cdpor-checkpoint 1 %x\n", sum.Sum(nil)), body...), want)
		}
		change("another search", fmt.Sprintf(`{"Version":%d`, explore.CheckpointVersion), `{"Version":1`,
			fmt.Sprintf("the search has version 1; this is version %d", explore.CheckpointVersion))
		change("another program", `x = r + 1`, `x = r + 2`, "the checkpoint is of another program")
		change("no program", `cdpor: 1`, `cdpor: one`, "adders.yaml:1:8")
		change("another algorithm", `"Algorithm":"`+algorithm, `"Algorithm":"best`, `unknown algorithm "best`)
		change("another state", `"State":[`, `"State":[9,`,
			"cannot be gone on with: the actions of the checkpoint lead to another state")
	}
}

// result is the JSON output of a command without what depends on the time and the place.
func result(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	delete(m, "seconds")
	delete(m, "constraints")
	return m
}

// TestKill kills the process of a search without warning, again and again, and compares what it finds in the end with
// what it finds undisturbed: go test ./cmd/cdpor -run Kill -args -n=100
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	rng := rand.New(rand.NewSource(1))
	t.Chdir(t.TempDir())
	if err := os.WriteFile("adders.yaml", []byte(adders), 0o666); err != nil {
		t.Fatal(err)
	}
	searches := []string{
		"--algorithm source --max-executions 400000", "--algorithm exhaustive -p N=5",
		"--algorithm optimal --seed 3 --max-executions 100000",
		"--algorithm context --max-executions 80000", "--algorithm constrained -p N=5 --max-executions 80000",
		"--algorithm sleep --max-executions 300000",
	}
	killed := 0
	for k, search := range searches {
		args := append([]string{"run", "adders.yaml", "--json"}, strings.Fields(search)...)
		start := time.Now()
		want, _ := exec.Command("cdpor", args...).Output() // exits 3 when bounded
		took := time.Since(start)
		file := fmt.Sprintf("%d.checkpoint", k)
		first := append(args, "--checkpoint", file, "--checkpoint-every", "10ms")
		nodes, here := int64(0), 0
		for {
			cmd := exec.Command("cdpor", first...)
			if nodes > 0 {
				cmd = exec.Command("cdpor", "resume", file, "--json")
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			last := here >= (*kills+len(searches)-1)/len(searches)
			if !last {
				time.AfterFunc(time.Duration(rng.Int63n(int64(took/2)+1)), func() { _ = cmd.Process.Kill() })
			}
			if _ = cmd.Wait(); cmd.ProcessState.Exited() {
				got := result(t, stdout.Bytes())
				delete(got, "checkpoint")
				if diff := gocmp.Diff(result(t, want), got); diff != "" {
					t.Fatalf("%s, killed %d times: -undisturbed +killed\n%s%s", search, here, diff, &stderr)
				}
				if last {
					break
				}
				nodes = 0 // too fast for the kill: once more
				os.Remove(file)
				continue
			}
			here++
			if _, cp, err := checkpoint.Read(file); err == nil {
				if cp.Found.Counts.Nodes < nodes {
					t.Fatalf("%s: a kill has lost what was saved: %d nodes, then %d", search, nodes,
						cp.Found.Counts.Nodes)
				}
				nodes = cp.Found.Counts.Nodes
			} else if _, missing := os.Stat(file); missing == nil || nodes > 0 {
				t.Fatalf("%s: a kill has spoilt the checkpoint: %v", search, err)
			}
		}
		t.Logf("%s: %v undisturbed, killed %d times", search, took.Round(time.Millisecond), here)
		killed += here
	}
	t.Logf("%d kills", killed)
}

//go:build !nocluster

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"cdpor/cmd/cdpor/internal/fault"
)

// deployed are the files of the folder deploy with an extension.
func deployed(t *testing.T, extension string) map[string]string {
	t.Helper()
	files := map[string]string{}
	paths, err := filepath.Glob(filepath.Join("deploy", "*"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join("deploy", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, more...) {
		if strings.HasSuffix(path, extension) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[path] = string(text)
		}
	}
	if len(files) == 0 {
		t.Fatalf("there is no file *%s in deploy", extension)
	}
	return files
}

// isCommand expects that a command line of cdpor has a command and flags that there are.
func isCommand(t *testing.T, where string, args []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	parser, err := newParser(&commandLine{}, commands(), nil, &stdout, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(args); err != nil {
		t.Errorf("%s: cdpor %s: %v", where, strings.Join(args, " "), err)
	}
}

// TestDeployUnits: the units of systemd are made of sections and settings, and start commands that there are.
func TestDeployUnits(t *testing.T) {
	settings := strings.Fields(`Description Wants After DynamicUser StateDirectory LoadCredential EnvironmentFile
		ExecStart KillSignal TimeoutStopSec Restart RestartSec Nice MemoryMax LimitNOFILE ProtectSystem ProtectHome
		NoNewPrivileges WantedBy`)
	units := deployed(t, ".service")
	for path, text := range units {
		section, started := "", 0
		for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", ""), "\n") {
			name, value, isSetting := strings.Cut(line, "=")
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "["):
				section = line
			case !isSetting || section == "" || !slices.Contains(settings, name):
				t.Errorf("%s: %s", path, line)
			case name == "ExecStart":
				args := strings.Fields(value)
				if filepath.Base(args[0]) != "cdpor" {
					t.Errorf("%s starts %s", path, args[0])
				}
				isCommand(t, path, args[1:])
				started++
			}
		}
		if started != 1 {
			t.Errorf("%s starts %d commands", path, started)
		}
	}
	if verify, err := exec.LookPath("systemd-analyze"); err == nil {
		for path := range units {
			out, err := exec.Command(verify, "verify", path).CombinedOutput()
			if err != nil && !strings.Contains(string(out), "is not executable") {
				t.Logf("%s: %v\n%s", path, err, out) // it depends on the machine
			}
		}
	}
}

// TestDeployContainers: what containers start are commands that there are.
func TestDeployContainers(t *testing.T) {
	started := 0
	var visit func(path string, v any)
	visit = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				visit(path, one)
			}
		case map[string]any:
			if v["image"] == "cdpor:local" {
				list, ok := v["args"].([]any)
				if !ok {
					list, ok = v["command"].([]any)
				}
				var args []string
				for _, a := range list {
					args = append(args, fmt.Sprint(a))
				}
				if !ok {
					t.Errorf("%s: a container starts nothing: %v", path, v)
				}
				isCommand(t, path, args)
				started++
			}
			for _, one := range v {
				visit(path, one)
			}
		}
	}
	for path, text := range deployed(t, ".yaml") {
		for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
			var v any
			err := decoder.Decode(&v)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			visit(path, v)
		}
	}
	if started != 4 {
		t.Errorf("%d containers start cdpor", started)
	}
}

// TestDeployServer starts a server with the configuration that those of Kubernetes have.
func TestDeployServer(t *testing.T) {
	text := deployed(t, "servers.yaml")[filepath.Join("deploy", "kubernetes", "servers.yaml")]
	var v struct{ Data map[string]string }
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	config := v.Data["server.conf"]
	for from, to := range map[string]string{`"/store"`: `"` + t.TempDir() + `"`, "0.0.0.0:4222": "127.0.0.1:-1",
		"0.0.0.0:6222": "127.0.0.1:-1", "cdpor-server-0.cdpor-server:6222": "127.0.0.1:1",
		"cdpor-server-1.cdpor-server:6222": "127.0.0.1:1", "cdpor-server-2.cdpor-server:6222": "127.0.0.1:1"} {
		if !strings.Contains(config, from) {
			t.Fatalf("the configuration does not have %s:\n%s", from, config)
		}
		config = strings.ReplaceAll(config, from, to)
	}
	path := filepath.Join(t.TempDir(), "server.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("POD_NAME", "cdpor-server-0")
	p, _, err := beginServer(".", []string{"serve", "--nats-config", path, "--monitor", "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	p.kill()
}

// permissions is the configuration in OPERATORS.md of a server with a user who may work on one job.
func permissions(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("OPERATORS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "### A worker for one job")
	_, rest, _ = strings.Cut(rest, "```\n")
	config, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("OPERATORS.md has no configuration for a worker of one job")
	}
	return config
}

// TestWorkerPermissions: who has the permissions in OPERATORS.md works on one job, coordinates it when nobody else does
// (with -args -faults=1m), and gets to no other job. What it lacks to make jobs is named.
func TestWorkerPermissions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "server.conf")
	text := "listen: \"127.0.0.1:-1\"\njetstream { store_dir: \"" + filepath.Join(dir, "store") + "\" }\n" +
		strings.ReplaceAll(permissions(t), "JOB", "mine")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server, at, err := beginServer(".", []string{"serve", "--nats-config", config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.kill)
	host := strings.TrimPrefix(at, "nats://")
	boss, worker := "nats://boss:secret@"+host, "nats://worker:word@"+host
	path := program(t, "programs/lastzero.yaml")
	search := []string{"run", path, "-p", "N=11", "--algorithm", "source"}
	want, _ := reportOf(t, search...)
	for _, job := range []string{"mine", "other"} {
		leave(t, start(t, append(search, "--connect", boss, "--job", job)...), job)
	}
	refused := start(t, "work", "--connect", worker, "--inbox", "_INBOX_mine", "--job", "other")
	select {
	case <-refused.ended:
		if code := refused.cmd.ProcessState.ExitCode(); code != int(fault.ExitInput) {
			t.Errorf("exit code %d: %s", code, refused.said())
		}
	case <-time.After(3 * time.Second): // it asks again and again
	}
	if s := refused.said(); !strings.Contains(strings.ToLower(s), "permissions violation") {
		t.Errorf("who may not work on a job is not told so: %s", s)
	}
	refused.kill()
	for _, algorithm := range []string{"source", "exhaustive"} {
		by := append([]string{"run", path, "-p", "N=9"}, "--algorithm", algorithm)
		if algorithm == "source" { // has been submitted
			by = search
		} else {
			leave(t, start(t, append(by, "--connect", boss, "--job", "mine")...), "mine")
		}
		want, _ := reportOf(t, by...)
		p := start(t, "work", "--connect", worker, "--inbox", "_INBOX_mine", "--job", "mine", "--cores", "2")
		got, _ := reportOf(t, "resume", "--connect", boss, "mine")
		if diff := cmp.Diff(found(t, want, true), found(t, got, true)); diff != "" {
			t.Errorf("%s: -alone +by a worker with few permissions\n%s", algorithm, diff)
		}
		if s := p.said(); strings.Contains(strings.ToLower(s), "violation") {
			t.Errorf("%s: a worker may not do what it has to: %s", algorithm, s)
		}
		p.kill()
	}
	if *faultsFor > 0 { // nobody else coordinates the job: the worker does so after a while
		leave(t, start(t, append(search, "--connect", boss, "--job", "mine")...), "mine")
		alone := start(t, "work", "--connect", worker, "--inbox", "_INBOX_mine", "--job", "mine")
		select {
		case <-alone.ended:
		case <-time.After(40 * time.Second):
			t.Error("nobody coordinates the job")
		}
		if s := alone.said(); strings.Contains(strings.ToLower(s), "violation") ||
			!strings.Contains(s, "this is one now") {
			t.Errorf("a worker may not coordinate: %s", s)
		}
		got, _ := reportOf(t, "resume", "--connect", boss, "mine")
		if diff := cmp.Diff(found(t, want, true), found(t, got, true)); diff != "" {
			t.Errorf("-alone +coordinated by a worker with few permissions\n%s", diff)
		}
	}
	out, err := exec.Command("cdpor", "jobs", "--check", "--connect", worker, "--inbox", "_INBOX_mine").Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != int(fault.ExitInput) ||
		!strings.Contains(string(out), "missing") {
		t.Errorf("a worker may make jobs, or it is not said why not: %v\n%s", err, out)
	}
}

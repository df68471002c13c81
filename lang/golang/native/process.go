package native

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A Test is the tests of a package, built with gates.
type Test struct {
	Binary string
	Dir    string            // of the package, where they run
	Root   string            // GOROOT
	moved  *strings.Replacer // calls files of modules as they are called in the module cache
}

// Digest is that of the tests as they are built: with their dependencies, Go, and the gates.
func (t *Test) Digest() (string, error) {
	f, err := os.Open(t.Binary)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

// Installed is the Go that the go command uses in a folder.
func Installed(ctx context.Context, dir string) (*Toolchain, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION", "GOMODCACHE", "GOMOD", "GOWORK")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) != 6 {
		return nil, fmt.Errorf("go env says %q", out)
	}
	return &Toolchain{Root: lines[0], Version: lines[1],
		modules: modules{cache: lines[2], file: lines[3], work: lines[4]}}, nil
}

// DetectsRaces reports whether the race detector can be built in: it needs cgo and a C compiler.
func DetectsRaces(ctx context.Context, dir string) bool {
	cmd := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED", "CC")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return false
	}
	enabled, compiler, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	words := strings.Fields(compiler)
	if enabled != "1" || len(words) == 0 {
		return false
	}
	_, err = exec.LookPath(words[0])
	return err == nil
}

// Build builds the tests of a package with gates, and if a function is named one more, which calls that (EntryTest). It
// executes nothing of them.
func Build(ctx context.Context, t *Toolchain, dir, scratch, entry string, race bool) (*Test, error) {
	overlay, err := t.Overlay(ctx, dir, scratch, entry)
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(scratch, "tests")
	args := []string{"test", "-overlay", overlay, "-vet=off", "-c", "-o", binary}
	if race {
		args = append(args, "-race", uninstrumented)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(t.Root, "bin", "go"), append(args, ".")...)
	cmd.Dir = dir
	kept := t.keptBinary(dir, entry, race)
	sameFile(kept, binary)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("the tests of %s with gates do not build: %w\n%s", dir, err, bytes.TrimSpace(out))
	}
	if _, err := os.Stat(binary); err != nil || bytes.Contains(out, []byte("[no test files]")) {
		return nil, fmt.Errorf("%s has no tests", dir)
	}
	keepBinary(binary, kept)
	return &Test{binary, dir, t.Root, t.modules.names()}, nil
}

// uninstrumented is the argument of go build by which what controls a test takes no part in the detection of races.
const uninstrumented = "-gcflags=internal/cdpor=-race=false"

// A Command says how to execute a test once.
type Command struct {
	Prefix   []int32 // actions
	Plan     []int32 // those behind it, as far as they are possible
	Sleeping []int32 // those that sleep before the last one of the prefix
	Policy   Policy
	Seed     int32
	Events   int  // at most
	Places   bool // say where operations are
}

// A Policy says how to go on behind a prefix.
type Policy int32

const (
	FirstAwake Policy = iota
	Random
	Priorities
	Turns // who has gone on goes on until it waits; Seed says how many of who is next in line to tell of

	Late Policy = 8 // with any of them: the clock goes on only when nobody else can
)

// A Process executes a test again and again. When the process dies another one takes its place.
type Process struct {
	test    *Test
	name    string
	width   int // actions of a goroutine
	names   []int32
	told    bool // the process knows the names
	cmd     *exec.Cmd
	ctx     context.Context // the process of the system ends with it
	to      int             // ends of pipes: files of the runtime would wait in its scheduler
	from    int
	region  *os.File
	memory  []int32
	said    tail
	races   int  // reported of the first executions: the detector reports each once
	ends    int  // executions of this process of the system that have said that their output is all there
	steps   int  // of the last execution
	waiting int  // executions at whose end goroutines were left
	cold    bool // each execution is the first one of a process: this one executes none, and forks
	every   bool // a data race is reported whenever it is seen
}

// The memory that a process and this one share has a record, and behind that a command: the number of its words, and
// these. It is as in _runtime/control.go.
const (
	recordWords  = 1 << 21
	commandWords = 1 << 20
	regionBytes  = 4 * (recordWords + commandWords)
)

// Start makes a process that executes a test.
func Start(t *Test, name string) *Process { return &Process{test: t, name: name, width: 1} }

// SetWidth sets how many actions a goroutine has, SetNames the names of goroutines as another process has given them.
func (p *Process) SetWidth(n int)         { p.width = n }
func (p *Process) SetNames(names []int32) { p.names, p.told = names[:len(names):len(names)], false }

// begin starts the process of the system.
func (p *Process) begin(ctx context.Context) (err error) {
	if p.region == nil {
		if p.region, err = os.CreateTemp("", "cdpor-execution-"); err != nil {
			return err
		}
		os.Remove(p.region.Name())
		if err := p.region.Truncate(regionBytes); err != nil {
			return err
		}
		memory, err := syscall.Mmap(int(p.region.Fd()), 0, regionBytes, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_SHARED)
		if err != nil {
			return err
		}
		p.memory = unsafe.Slice((*int32)(unsafe.Pointer(&memory[0])), regionBytes/4)
	}
	var to, from [2]int
	if err := pipe(&to); err != nil {
		return err
	}
	theirs := os.NewFile(uintptr(to[0]), "commands")
	if err := pipe(&from); err != nil {
		theirs.Close()
		syscall.Close(to[1])
		return err
	}
	replies := os.NewFile(uintptr(from[1]), "replies")
	p.to, p.from = to[1], from[0]
	p.cmd, p.ctx = exec.CommandContext(ctx, p.test.Binary), ctx
	p.cmd.Dir, p.cmd.WaitDelay = p.test.Dir, outliving
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal is not for the test
	p.cmd.ExtraFiles = []*os.File{theirs, replies, p.region}
	p.said.reset()
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.cmd.Env = append(os.Environ(), settings...)
	p.cmd.Env = append(p.cmd.Env, "CDPOR_TEST="+p.name, "CDPOR_GOROOT="+p.test.Root, "GOTRACEBACK=single")
	if p.every {
		p.cmd.Env = append(p.cmd.Env, detector+" suppress_equal_stacks=0 suppress_equal_addresses=0")
	}
	err = p.cmd.Start()
	theirs.Close()
	replies.Close()
	if err != nil {
		syscall.Close(p.to)
		syscall.Close(p.from)
		p.cmd = nil
		return err
	}
	p.waiting, p.races, p.ends, p.told = 0, 0, 0, false
	if p.cold {
		return nil
	}
	for range 2 {
		r, err := p.once(ctx, &Command{Events: warmUp})
		if err != nil || r.End == Crashed {
			return err
		}
		if !p.every {
			p.races += r.Races
		}
	}
	return nil
}

// settings are those of the environment that an execution depends on. A stack that the collector of garbage makes
// smaller moves, under a goroutine at a gate: memory was damaged by that. With one processor the addresses of what each
// process allocates are the same, by which maps have an order.
var settings = []string{"GOMAXPROCS=1",
	"GODEBUG=asyncpreemptoff=1,asynctimerchan=0,gcshrinkstackoff=1,adaptivestackstart=0", "GOGC=off",
	"GOMEMLIMIT=512MiB", detector}

// detector is the setting of the race detector, which forgets races when it forgets where a goroutine has been.
const detector = "GORACE=atexit_sleep_ms=0 history_size=7"

// pipe makes a pipe that a process does not inherit by itself.
func pipe(ends *[2]int) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	err := syscall.Pipe(ends[:])
	if err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	return err
}

var errTooLong = errors.New("a schedule is too long")

// exchange hands words over, and waits for the process to be done with them.
func (p *Process) exchange(words ...[]int32) error {
	room := p.memory[recordWords:]
	n := int32(0)
	for _, list := range words {
		if int(n)+len(list) >= len(room) {
			return errTooLong
		}
		n += int32(copy(room[1+n:], list))
	}
	room[0] = n
	if err := retried(p.to, syscall.Write); err != nil {
		return err
	}
	return retried(p.from, syscall.Read)
}

// retried writes or reads a byte.
func retried(file int, call func(int, []byte) (int, error)) error {
	var one [1]byte
	for {
		n, err := call(file, one[:])
		switch {
		case err == syscall.EINTR:
		case err == nil && n == 0:
			return io.EOF
		default:
			return err
		}
	}
}

// Close ends the process.
func (p *Process) Close() {
	p.stop()
	if p.memory != nil {
		syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&p.memory[0])), regionBytes))
		p.region.Close()
		p.memory, p.region = nil, nil
	}
}

func (p *Process) stop() {
	if p.cmd != nil {
		p.wait()
	}
}

// SetCold sets whether each execution is the first one of a process. Otherwise two come before it, so that caches and
// the like are filled.
func (p *Process) SetCold(cold bool) {
	if p.cold != cold {
		p.stop()
	}
	p.cold = cold
}

// SetEvery sets whether a data race is reported whenever it is seen, and not by its first execution in a process only.
func (p *Process) SetEvery(every bool) {
	p.stop()
	p.every = every
}

// outliving is how long what a test has started may keep what it prints open.
const outliving = time.Second

// warmUp is how many events the first executions of a process have at most.
const warmUp = 10_000

// mostWaiting is how many executions with goroutines that wait for good a process has.
const mostWaiting = 1000

// Execute runs the test once.
func (p *Process) Execute(ctx context.Context, c *Command) (*Record, error) {
	if p.waiting > mostWaiting || p.cmd != nil && p.ctx.Err() != nil {
		p.stop()
	}
	for range 2 { // the first executions may crash
		if p.cmd == nil {
			if err := p.begin(ctx); err != nil {
				return nil, err
			}
		}
	}
	if p.cmd == nil { // so they do, whatever comes first
		p.cold = true
		if err := p.begin(ctx); err != nil {
			return nil, err
		}
	}
	left := p.waiting
	r, err := p.once(ctx, c)
	if err == nil {
		r.Left = r.used && left > 0
	}
	if err == nil && p.races > 0 {
		r.Races, r.Said, p.races = r.Races+p.races, p.test.moved.Replace(p.said.all(p.ends)), 0
	}
	return r, err
}

// once runs the test once in the process that there is.
func (p *Process) once(ctx context.Context, c *Command) (*Record, error) {
	p.memory[0] = 0
	head := [...]int32{int32(c.Events), b2i(c.Places), int32(c.Policy), c.Seed, int32(p.width),
		int32(len(c.Prefix)), -1, b2i(p.cold), int32(len(c.Plan))}
	var names []int32
	if !p.told {
		names, p.told, head[6] = p.names, !p.cold, int32(len(p.names))
	}
	if p.cold {
		p.said.forget()
	}
	err := p.exchange(head[:], c.Prefix, c.Plan, names, c.Sleeping)
	if err == errTooLong {
		return nil, err
	}
	r, bad := decode(p.memory[1:1+p.memory[0]], p.steps, p.test.moved)
	if bad != nil {
		return nil, bad
	}
	p.steps = len(r.Steps)
	for i := range r.Steps {
		r.Steps[i].Proc = int(r.Steps[i].Action) / p.width
	}
	r.Known = len(p.names)
	p.names = append(p.names, r.names...)
	r.Names = p.names
	if r.End != Ended && !p.cold {
		p.waiting++
	}
	switch result := p.memory[recordWords]; {
	case ctx.Err() != nil:
		p.stop()
		return nil, ctx.Err()
	case err != nil:
		r.Exit = p.wait().ExitCode()
		return r, r.crashed(p.test.moved.Replace(p.said.all(0)))
	case p.cold && result != done:
		p.ends++
		r.Exit = syscall.WaitStatus(result).ExitStatus()
		return r, r.crashed(p.test.moved.Replace(p.said.all(p.ends)))
	case r.Races > 0:
		p.ends++
		r.Said = p.test.moved.Replace(p.said.all(p.ends))
	}
	return r, nil
}

// done is the result of a process that has come to the end of an execution; else it is a wait status.
const done = -1

// crashed notes how an execution has ended, or that it was refused.
func (r *Record) crashed(said string) error {
	r.End, r.Text = Crashed, said
	if _, why, refused := strings.Cut(said, "panic: cdpor: "); refused {
		why, _, _ = strings.Cut(why, "\n")
		return errors.New(why)
	}
	return nil
}

// wait ends the process, if that has not come to its end, and what the test has started.
func (p *Process) wait() *os.ProcessState {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.cmd.Wait()
	state := p.cmd.ProcessState
	syscall.Close(p.to)
	syscall.Close(p.from)
	p.cmd = nil
	return state
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// A tail keeps the last of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
	ends int // how often it was said that this is all
	more chan struct{}
}

const tailBytes = 1 << 16

// thisIsAll is what a process writes behind the reports of data races of an execution, and where another one has died.
const thisIsAll = "\ncdpor: this is all\n"

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := max(0, len(t.text)-len(thisIsAll)+1)
	t.text = append(t.text, b...)
	for {
		i := bytes.Index(t.text[from:], []byte(thisIsAll))
		if i < 0 {
			break
		}
		t.text = slices.Delete(t.text, from+i, from+i+len(thisIsAll))
		from += i
		t.ends++
	}
	if len(t.text) > 2*tailBytes {
		t.text = append(t.text[:0], t.text[len(t.text)-tailBytes:]...)
	}
	if t.more != nil {
		close(t.more)
		t.more = nil
	}
	return len(b), nil
}

// all is the text once it was so often said that this is all. It waits for that a few seconds at most.
func (t *tail) all(ends int) string {
	late := time.After(5 * time.Second)
	for {
		t.mu.Lock()
		text, more := string(t.text), t.more
		if t.ends < ends && more == nil {
			more = make(chan struct{})
			t.more = more
		}
		enough := t.ends >= ends
		t.mu.Unlock()
		if enough {
			return text
		}
		select {
		case <-more:
		case <-late:
			return text
		}
	}
}

// forget forgets the text, reset all.
func (t *tail) forget() {
	t.mu.Lock()
	t.text = t.text[:0]
	t.mu.Unlock()
}

func (t *tail) reset() {
	t.mu.Lock()
	t.text, t.ends = nil, 0
	t.mu.Unlock()
}

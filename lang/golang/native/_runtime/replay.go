package cdpor

import (
	"runtime"
	"strings"
	"syscall"
)

// A test follows a schedule without cdpor: go test with an overlay that was kept, and CDPOR_REPLAY names a file. That
// has the name of the test, lines with settings of the environment and, in the last line, numbers: of actions of a
// goroutine, of events at most, of words that name goroutines; these; the actions.

const warm = "CDPOR_WARM" // is set where some executions come before that of the schedule, as the library has caches

func replays(path, text string, args []string,
	body func(name string) (run func(), said func() (text string, failed bool))) {
	test, rest, _ := strings.Cut(text, "\n")
	asSet := true
	for line := range strings.Lines(rest) {
		name, value, set := strings.Cut(strings.TrimSpace(line), "=")
		if was, _ := syscall.Getenv(name); set && was != value {
			syscall.Setenv(name, value)
			asSet = false
		} else if !set {
			rest = line
		}
	}
	if !asSet {
		panic(syscall.Exec(args[0], args, syscall.Environ()))
	}
	syscall.Unsetenv("CDPOR_REPLAY")
	var numbers []int32
	for _, word := range strings.Fields(rest) {
		n := int32(0)
		for _, digit := range word {
			n = 10*n + digit - '0'
		}
		numbers = append(numbers, n)
	}
	named := numbers[3 : 3+numbers[2]]
	root = runtime.GOROOT()
	runtime.CdporLibrary(root + "/src/")
	region = make([]int32, recordWords)
	controlled(func() {
		run := func(prefix []int32) (end int, said func() (string, bool)) {
			learn(named)
			c := &command{width: int(numbers[0]), events: int(numbers[1]), prefix: prefix, lines: true}
			races, failing = raceErrors(), false
			runtime.CdporRewind()
			test, said := body(test)
			return execution(c, test), said
		}
		_, again := syscall.Getenv(warm)
		for range 2 * asNumber(again) {
			run(nil)
			tidy()
		}
		end, said := run(numbers[3+len(named):])
		if end == diverged && !again {
			environ := append(syscall.Environ(), "CDPOR_REPLAY="+path, warm+"=1")
			panic(syscall.Exec(args[0], args, environ))
		}
		text, failed := said()
		leave(end, text, failed || raceErrors() > races)
	})
}

// leave says how an execution has ended, and ends the process.
func leave(end int, text string, failed bool) {
	const output = 1
	say(output, text)
	switch end {
	case stuck:
		for _, g := range procs[2:] {
			if g != nil && !g.over {
				say(output, "waits for good: "+strings.ReplaceAll(g.place(), "\n", "\n\t")+"\n")
			}
		}
	case diverged:
		say(output, "the schedule cannot be followed at event "+decimal(followed)+
			": the program has changed, or is not determined by it\n")
	case cut:
		say(output, "cut: too many events\n")
	}
	if failed || end != ended {
		say(output, "FAIL\n")
		syscall.Exit(1)
	}
	say(output, "PASS\n")
	syscall.Exit(0)
}

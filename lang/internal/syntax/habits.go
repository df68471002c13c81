package syntax

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Habits: what people write who come from Go, C, Python, Java, Rust, Promela or PlusCal. None of it means anything in
// the language, so what is here only words messages: each names the cure, and what belongs to the mistake is passed
// over, so that it is reported once.

// foreignTypes begin a declaration elsewhere, or are names for types.
var foreignTypes = map[string]string{
	"integer": "int", "Int": "int", "Integer": "int", "long": "int", "short": "int16", "byte": "uint8",
	"char": "uint8", "unsigned": "uint32", "bit": "0..1",
	"i32": "int32", "i64": "int64", "u8": "uint8", "u32": "uint32", "u64": "uint64", "usize": "int", "nat": "0..N",
	"Nat":     "0..N",
	"boolean": "bool", "Boolean": "bool", "Bool": "bool", "float": "int", "double": "int", "real": "int",
	"string": "enum [a, b]", "str": "enum [a, b]", "String": "enum [a, b]",
	"lock": "mutex", "Lock": "mutex", "Mutex": "mutex", "semaphore": "sem(n)", "Semaphore": "sem(n)",
	"channel": "chan[T, n]", "Channel": "chan[T, n]",
	"condition": "cond", "Condition": "cond", "struct": "record {a int, b bool}", "tuple": "record {a int, b bool}",
	"vector": "list[T, n]", "slice": "list[T, n]",
	"dict": "map[K, V, n]", "seq": "list[T, n]", "deque": "queue[T, n]", "fifo": "queue[T, n]",
}

// elementWords stand between an array and the type of its elements elsewhere.
var elementWords = map[string]bool{"of": true}

// foreignFunctions are functions elsewhere.
var foreignFunctions = map[string]string{
	"len": "write xs.size()", "length": "write xs.size()", "size": "write xs.size()",
	"range":  "write for i in 0..n-1: both ends belong to lo..hi",
	"sleep":  "there is no time: every order of steps is explored",
	"usleep": "there is no time: every order of steps is explored",
	"printf": "write print x", "println": "write print x", "puts": "write print x", "not": "write !",
	"rand":   "write any(lo..hi): every value is explored",
	"random": "write any(lo..hi): every value is explored", "join": "write join h", "notify": "write c.signal()",
	"signal": "write c.signal()", "wait": "write await condition, or c.wait(m)",
	"append": "write xs.append(v)", "make": "declare the variable with its type: it has a value from the start",
	"CAS": "write cas(x, old, new)", "compare_and_swap": "write cas(x, old, new)",
	"recv": "write recv c", "receive": "write recv c", "send": "write send c, value", "close": "write c.close()",
	"choose": "write any([a, b]): every value is explored", "sum": "write xs.sum()", "abort": "write assert false",
	"atomic_load": "write x: an access is one step", "atomic_store": "write x = value: an access is one step",
	"load": "write x: an access is one step", "store": "write x = value: an access is one step",
	"atomic_add": "write fetch_add(x, n)", "atomic_fetch_add": "write fetch_add(x, n)",
	"add_fetch": "write fetch_add(x, n) + n",
	"exchange":  "write swap(x, value)", "atomic_exchange": "write swap(x, value)", "xchg": "write swap(x, value)",
	"test_and_set": "write swap(x, true)", "compare_exchange": "write cas(x, old, new)",
	"compareAndSet": "write cas(x, old, new)", "log": "write print x", "print": "write print x, without parentheses",
	"ord": "an enum has no numbers: compare its members", "pow": "write x * x", "mod": "write x % y",
	"isEmpty": "write xs.empty()", "empty": "write xs.empty()", "contains": "write xs.contains(v), or xs.has(v) " +
		"for a set",
	"timeout": "there is no time: every order of steps is explored",
	"self":    "write self", "exit": "write return", "acquire": "write lock m, or s.acquire() for a sem",
	"release":            "write unlock m, or s.release() for a sem",
	"pthread_mutex_lock": "write lock m", "mtx_lock": "write lock m", "spin_lock": "write lock m",
	"pthread_mutex_unlock": "write unlock m", "mtx_unlock": "write unlock m", "spin_unlock": "write unlock m",
	"pthread_mutex_trylock": "write trylock m", "trylock": "write trylock m",
	"pthread_cond_wait": "write c.wait(m)", "pthread_cond_signal": "write c.signal()",
	"notify_all":             "write c.broadcast()",
	"pthread_cond_broadcast": "write c.broadcast()", "pthread_create": spawned, "pthread_join": "write join h",
	"sem_wait": "write s.acquire()", "sem_post": "write s.release()", "P": "write s.acquire()",
	"V":           "write s.release()",
	"sched_yield": "write yield alone", "yield": "write yield alone", "sizeof": "write xs.size()",
	"delete": removal, "del": removal,
	"free":       "there is no memory to free: variables live as long as what declares them",
	"malloc":     "there is no memory to allocate: declare a variable with its type",
	"atomic_inc": "write fetch_add(x, 1)", "atomic_dec": "write fetch_add(x, -1)",
	"sync_fetch_and_add": "write fetch_add(x, n)",
	"AddInt32":           "write fetch_add(x, n) + n", "AddInt64": "write fetch_add(x, n) + n", "bool": "write x != 0",
	"CompareAndSwapInt32": "write cas(x, old, new)", "CompareAndSwapInt64": "write cas(x, old, new)",
	"str": "for data use an enum", "assert_eq": "write assert a == b", "assertEqual": "write assert a == b",
	"mutex": madeShared, "semaphore": madeShared, "channel": madeShared, "queue": madeShared, "condition": madeShared,
	"new": "declare the variable with its type: it has a value from the start", "Thread": spawned,
	"assert_true": "write assert condition", "assertTrue": "write assert condition",
}

// ForeignFunction is the hint for a call of what is a function elsewhere; Lock, try_lock and tryLock are as good as
// lock and trylock.
func ForeignFunction(name string) string {
	return Foreign(foreignFunctions, name)
}

// Foreign is the hint of a table for a name, whichever way it is written elsewhere.
func Foreign(table map[string]string, name string) string {
	if hint := table[name]; hint != "" || len(name) < 3 {
		return hint
	}
	normal := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for _, known := range slices.Sorted(maps.Keys(table)) {
		if normal(known) == normal(name) {
			return table[known]
		}
	}
	return ""
}

// foreignKeys are keys of program files, by the map that they stand in.
var foreignKeys = map[string]map[string]string{
	"a program": {
		"variables": "shared", "vars": "shared", "var": "shared", "globals": "shared", "global": "shared",
		"version": "cdpor", "state": "shared",
		"init": "the first value behind the type in shared, as in x: int = 1", "constants": "params", "const": "params",
		"parameters": "params", "processes": "threads", "process": "threads", "procs": "threads",
		"thread": "threads", "invariants": "invariant", "properties": "check", "property": "check",
	},
	"a thread": {
		"body": "run", "code": "run", "do": "run", "program": "run", "steps": "run", "instances": "count",
		"replicas": "count", "n": "count", "times": "count",
	},
	"check": {
		"invariant": invariant, "invariants": invariant, "assert": "final",
		"end": "final", "infinitely_often": "leads_to: {from: true, to: condition}",
		"always_eventually": "leads_to: {from: true, to: condition}", "liveness": "eventually or leads_to",
		"ltl":      properties,
		"temporal": properties, "safety": "always", "stable": "eventually_always", "progress": "leads_to",
		"never": "unreachable", "forbidden": "unreachable",
	},
}

// HabitDeadlock is the hint for what deadlock may not be.
func HabitDeadlock(value string) string {
	switch strings.ToLower(value) {
	case "none", "no", "false", "never", "off":
		return "write forbidden, or allowed if deadlocks do not count"
	case "true", "yes", "on", "ok":
		return "write allowed, or required if there must be one"
	}
	return DidYouMean(value, []string{"forbidden", "allowed", "required"})
}

// invariant is what people mean by it: what is checked, or what constraints are proved by.
const invariant = "always; or invariant at the top level, which is checked as well and helps to find constraints"

const properties = "always, eventually, eventually_always or leads_to"

// underCheck are keys of check that people write at the left margin.
var underCheck = []string{
	"final", "final_any", "reachable", "unreachable", "outcomes", "always", "transition", "deadlock", "races", "assert"}

// HabitKey is the hint for a key that is not known in a map.
func HabitKey(key, what string) string {
	if k := foreignKeys[what][key]; k != "" {
		return "write " + k
	}
	if what == "a program" && slices.Contains(underCheck, key) {
		in := strings.Replace(key, "assert", "final", 1)
		return fmt.Sprintf("what must hold stands in the section check: check: {%s: ...}", in)
	}
	return ""
}

// Declares reports whether a key of a map that is none of the known ones was meant to declare names; there are the keys
// of the map.
func Declares(key, what string, known, there []string) bool {
	meant := foreignKeys[what][key]
	if meant == "" {
		meant = nearest(key, known)
		if slices.Contains(there, meant) {
			return false
		}
	}
	return !slices.Contains(known, key) && slices.Contains([]string{"shared", "params", "types", "functions",
		"procedures", "actors"}, meant)
}

// conditionHint is for a map where a condition is expected: {x: 1}.
func conditionHint(n *yaml.Node) string {
	if len(n.Content) != 2 || n.Content[1].Kind != yaml.ScalarNode {
		return ""
	}
	return fmt.Sprintf("write a condition as code: %s == %s", n.Content[0].Value, n.Content[1].Value)
}

// HabitType is the hint for the name of a type of another language.
func HabitType(name string) string {
	switch to := foreignTypes[name]; {
	case to == "":
		return ""
	case strings.HasPrefix(to, "sem"):
		return "write sem(n), with the initial count"
	case name == "float" || name == "double" || name == "real":
		return "write int: numbers are integers"
	default:
		return "write " + to
	}
}

// mapHint says how a map is written where something else stands.
func mapHint(n *yaml.Node, what string) string {
	switch {
	case n.Kind == yaml.ScalarNode && what == "leads_to":
		return "write leads_to: {from: condition, to: condition}"
	case n.Kind == yaml.ScalarNode && what == "check":
		return "say when it holds: check: {final: condition} or {always: condition}"
	case n.Kind == yaml.ScalarNode && what == "expect":
		return "write expect: {verdict: ok}"
	case n.Kind == yaml.ScalarNode && what == "params":
		return "write params: {N: 3}"
	case n.Kind == yaml.ScalarNode && what == "functions":
		return "write functions: {twice(n int) int: return 2 * n}"
	case n.Kind == yaml.ScalarNode && what == "crashes":
		return "write crashes: {count: 1, of: [t]}"
	}
	if n.Kind == yaml.SequenceNode {
		return "write NAME: value for each, without - and [ ]"
	}
	if k := strings.IndexByte(n.Value, ':'); k > 0 && n.Kind == yaml.ScalarNode {
		return fmt.Sprintf("write a blank behind the colon: %s: %s", n.Value[:k], n.Value[k+1:])
	}
	return ""
}

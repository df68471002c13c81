package lang

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
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

// foreignNames are values elsewhere.
var foreignNames = map[string]string{
	"nil": "null", "None": "null", "NULL": "null", "Null": "null", "nullptr": "null", "undefined": "null",
	"True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
	"this": "self", "pid": "self", "_pid": "self", "id": "self", "tid": "self", "me": "self",
}

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
	"self": "write self", "exit": "write return", "acquire": "write lock m, or s.acquire() for a sem",
	"release": "write unlock m, or s.release() for a sem",
}

// foreignMethods are methods elsewhere, by what has them: a primitive, a list, a queue, or int for any scalar.
var foreignMethods = map[string]map[string]string{
	"mutex": {
		"lock": "write lock m", "unlock": "write unlock m", "acquire": "write lock m", "release": "write unlock m",
		"trylock": "write trylock m", "try_lock": "write trylock m",
		"Lock": "write lock m", "Unlock": "write unlock m", "wait": "a cond waits: c.wait(m)"},
	"chan": {
		"send": "write send c, value", "recv": "write recv c", "receive": "write recv c",
		"put": "write send c, value", "get": "write recv c", "push": "write send c, value", "pop": "write recv c",
	},
	"cond": {
		"notify": "write c.signal()", "notify_one": "write c.signal()", "notify_all": "write c.broadcast()",
		"notifyAll": "write c.broadcast()",
	},
	"sem": {
		"wait": "write s.acquire()", "signal": "write s.release()", "P": "write s.acquire()", "V": "write s.release()",
		"post": "write s.release()", "down": "write s.acquire()", "up": "write s.release()",
	},
	"int": {
		"cas": "write cas(x, old, new)", "compare_exchange": "write cas(x, old, new)",
		"fetch_add": "write fetch_add(x, n)", "swap": "write swap(x, value)",
		"load": "write x", "store": "write x = value", "get": "write x", "set": "write x = value"},
	"list": {
		"push": "a queue has push, a list has append", "add": "write append(v)", "len": "write size()",
		"length": "write size()", "is_empty": "write empty()", "isEmpty": "write empty()",
	},
	"queue": {
		"append": "a queue has push, a list has append", "add": "write push(v)", "put": "write push(v)",
		"get": "write pop()", "enqueue": "write push(v)", "dequeue": "write pop()", "len": "write size()",
		"length": "write size()",
	},
	"tid": {"join": "write join h", "wait": "write join h"},
}

// foreignKeys are keys of program files, by the map that they stand in.
var foreignKeys = map[string]map[string]string{
	"a program": {
		"variables": "shared", "vars": "shared", "var": "shared", "globals": "shared", "global": "shared",
		"state": "shared", "init": "shared", "constants": "params", "const": "params",
		"parameters": "params", "processes": "threads", "process": "threads", "procs": "threads",
		"thread": "threads", "invariants": "invariant", "properties": "check", "property": "check",
	},
	"a thread": {
		"body": "run", "code": "run", "do": "run", "program": "run", "steps": "run", "instances": "count",
		"replicas": "count", "n": "count", "times": "count",
	},
	"check": {
		"invariant": "always", "invariants": "always", "assert": "final",
		"eventually": "reachable", "end": "final", "never": "unreachable", "forbidden": "unreachable",
	},
}

// underCheck are keys of check that people write at the left margin.
var underCheck = []string{
	"final", "final_any", "reachable", "unreachable", "outcomes", "always", "transition", "deadlock", "assert"}

// habitKey is the hint for a key that is not known in a map; declares says that it was to declare names.
func habitKey(key, what string) (hint string, declares bool) {
	if k := foreignKeys[what][key]; k != "" {
		return "write " + k, k == "shared" || k == "params"
	}
	if what == "a program" && slices.Contains(underCheck, key) {
		in := strings.Replace(key, "assert", "final", 1)
		return fmt.Sprintf("what must hold stands in the section check: check: {%s: ...}", in), false
	}
	return "", false
}

// conditionHint is for a map where a condition is expected: {x: 1}.
func conditionHint(n *yaml.Node) string {
	if len(n.Content) != 2 || n.Content[1].Kind != yaml.ScalarNode {
		return ""
	}
	return fmt.Sprintf("write a condition as code: %s == %s", n.Content[0].Value, n.Content[1].Value)
}

// habitLocal is the hint for a name that only threads know, in a property.
func (x *elab) habitLocal(name string) string {
	s, is := x.scope.(propertyNames)
	if !is {
		return ""
	}
	for _, t := range s.prog.Templates {
		if localOf(t, name, nil) != nil {
			return fmt.Sprintf("write %s.%s for the variable of thread %s", t.Name, name, t.Name)
		}
	}
	return ""
}

// habitName is the hint for a name that is not known.
func habitName(name string) string {
	if v := foreignNames[name]; v != "" {
		return "write " + v
	}
	return ""
}

// habitMethod is the hint for a method that a type does not have.
func habitMethod(t *step.Type, name string) string {
	of := t.Sync
	switch {
	case of != "":
	case t.Kind == step.Mutex:
		of = "mutex"
	case t.Ref == "tid":
		of = "tid"
	case t.Kind == step.List:
		of = "list"
	case t.Kind == step.Queue:
		of = "queue"
	case t.Kind <= step.Enum || t.Kind == step.Sized:
		of = "int"
	}
	return foreignMethods[of][name]
}

// habitType is the hint for the name of a type of another language.
func habitType(name string) string {
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
func mapHint(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "write NAME: value for each, without - and [ ]"
	}
	if k := strings.IndexByte(n.Value, ':'); k > 0 && n.Kind == yaml.ScalarNode {
		return fmt.Sprintf("write a blank behind the colon: %s: %s", n.Value[:k], n.Value[k+1:])
	}
	return ""
}

// otherFile reports a file of cdpor that is no program.
func (l *loader) otherFile(root *yaml.Node) bool {
	for _, kv := range l.entries(root, "a program") {
		switch kv[0].Value {
		case "cdpor-replay":
			l.at(kv[0], "cdpor replay "+l.prog.Path+" follows its schedule", "this is a replay file, not a program")
		case "cdpor-constraints":
			l.at(kv[0], "name the program, and give this file with --constraints",
				"this is a constraint file, not a program")
		default:
			continue
		}
		return true
	}
	return false
}

// habitValue is the hint for a value of one type where another is needed.
func habitValue(is, needed *step.Type) string {
	switch {
	case is.Kind == step.Option && fits(needed, is.Elem):
		return "write x! for its value, which must not be null then"
	case needed.Kind == step.Bool && is.Numeric():
		return "write true or false, or compare it: x != 0"
	case needed.Numeric() && is.Kind == step.Bool:
		return "write a number: x ? 1 : 0"
	}
	return ""
}

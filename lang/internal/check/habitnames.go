package check

import (
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// Names and methods of other languages: hints in messages, like those for their syntax.

// foreignNames are values elsewhere.
var foreignNames = map[string]string{
	"nil": "null", "None": "null", "NULL": "null", "Null": "null", "nullptr": "null", "undefined": "null",
	"True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
	"fmt": "print x", "console": "print x", "System": "print x", "random": "any(lo..hi): every value is explored",
	"static_cast": "int(x)", "reinterpret_cast": "int(x)",
	"this": "self", "pid": "self", "_pid": "self", "id": "self", "tid": "self", "me": "self",
	"thread_id": "self", "threadId": "self",
}

// foreignMethods are methods elsewhere, by what has them: a primitive, a list, a queue, or int for any scalar.
var foreignMethods = map[string]map[string]string{
	"mutex": {
		"lock": "write lock m", "unlock": "write unlock m", "acquire": "write lock m", "release": "write unlock m",
		"trylock": "write trylock m", "rlock": "an rwlock has rlock, a mutex has lock",
		"wait": "a cond waits: c.wait(m)"},
	"chan": {
		"send": "write send c, value", "recv": "write recv c", "receive": "write recv c",
		"put": "write send c, value", "get": "write recv c", "push": "write send c, value", "pop": "write recv c",
		"take": "write recv c", "poll": "write recv c", "offer": "write send c, value", "add": "write send c, value",
	},
	"cond": {
		"notify": "write c.signal()", "notify_one": "write c.signal()", "notify_all": "write c.broadcast()",
		"await": "write c.wait(m)", "wait_for": "write c.wait(m)", "signal_all": "write c.broadcast()",
	},
	"sem": {
		"wait": "write s.acquire()", "signal": "write s.release()", "P": "write s.acquire()", "V": "write s.release()",
		"post": "write s.release()", "down": "write s.acquire()", "up": "write s.release()",
	},
	"int": {
		"cas": "write cas(x, old, new)", "compare_exchange": "write cas(x, old, new)",
		"fetch_add": "write fetch_add(x, n)", "swap": "write swap(x, value)",
		"load": "write x", "store": "write x = value", "get": "write x", "set": "write x = value",
		"compareAndSet": "write cas(x, old, new)", "compareAndSwap": "write cas(x, old, new)",
		"incrementAndGet": "write fetch_add(x, 1) + 1",
		"getAndIncrement": "write fetch_add(x, 1)", "addAndGet": "write fetch_add(x, n) + n",
		"getAndAdd": "write fetch_add(x, n)", "decrementAndGet": "write fetch_add(x, -1) - 1",
		"getAndSet": "write swap(x, value)", "exchange": "write swap(x, value)"},
	"list": {
		"push": "a queue has push, a list has append", "add": "write append(v)", "len": "write size()",
		"length": "write size()", "is_empty": "write empty()",
		"extend": "append one element at a time: for x in ys { xs.append(x) }", "erase": "write remove(i)",
		"delete": "write remove(i)",
	},
	"queue": {
		"append": "a queue has push, a list has append", "add": "write push(v)", "put": "write push(v)",
		"get": "write pop()", "enqueue": "write push(v)", "dequeue": "write pop()", "len": "write size()",
		"length": "write size()",
	},
	"set": {"discard": "write remove(v)", "insert": "write add(v)", "contains": "write has(v)",
		"delete": "write remove(v)"},
	"map": {"containsKey": "write has(k)", "contains": "write has(k)", "delete": "write remove(k)",
		"set": "write put(k, v)"},
	"tid": {"join": "write join h", "wait": "write join h"},
}

// HabitName is the hint for a name that is not known.
func HabitName(name string) string {
	if v := foreignNames[name]; v != "" {
		return "write " + v
	}
	return ""
}

// hintCall is the hint for a call of a method of what is no value: mutex.acquire(m), time.sleep(1), math.max(a, b).
func hintCall(x *Checker, call *syntax.Expr) string {
	if call == nil {
		return ""
	}
	if args := call.Args[1:]; len(args) > 0 {
		if t := x.Probe(args[0]); t != nil && slices.Contains(Methods(t), call.Name) {
			return "write " + describe(args[0]) + "." + call.Name + "(...)"
		} else if t != nil && HabitMethod(t, call.Name) != "" {
			return HabitMethod(t, call.Name)
		}
	}
	if slices.Contains(Builtins, call.Name) {
		return "write " + call.Name + "(...)"
	}
	hint := syntax.ForeignFunction(call.Name)
	if typ := syntax.HabitType(call.Name); hint == "" && typ != "" {
		return "declare it in the section shared: " + strings.Replace(typ, "write ", "NAME: ", 1)
	}
	return hint
}

// HabitMethod is the hint for a method that a type does not have.
func HabitMethod(t *step.Type, name string) string {
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
	case t.Kind == step.Set || t.Kind == step.Bag:
		of = "set"
	case t.Kind == step.Map:
		of = "map"
	case t.Kind <= step.Enum || t.Kind == step.Sized:
		of = "int"
	}
	return syntax.Foreign(foreignMethods[of], name)
}

// habitValue is the hint for a value of one type where another is needed.
func habitValue(is, needed *step.Type) string {
	switch {
	case is.Kind == step.Option && types.Fits(needed, is.Elem):
		return "write x! for its value, which must not be null then"
	case needed.Kind == step.Bool && is.Numeric():
		return "write true or false, or compare it: x != 0"
	case needed.Numeric() && is.Kind == step.Enum:
		return "an enum has no numbers: compare its members"
	case needed.Numeric() && is.Kind == step.Bool:
		return "write a number: x ? 1 : 0"
	case needed.Kind == step.Enum && needed.Ref == "":
		return members(needed)
	}
	return ""
}

// members is a hint for a value that is no member of an enum.
func members(t *step.Type) string {
	if len(t.Names) > 8 {
		return ""
	}
	return "the members of " + types.String(t) + " are " + strings.Join(t.Names, ", ")
}

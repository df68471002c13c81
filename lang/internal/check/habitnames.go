package check

import (
	"strings"

	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// Names and methods of other languages: hints in messages, like those for their syntax.

// foreignNames are values elsewhere.
var foreignNames = map[string]string{
	"nil": "null", "None": "null", "NULL": "null", "Null": "null", "nullptr": "null", "undefined": "null",
	"True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
	"fmt": "print x", "console": "print x", "System": "print x", "random": "any(lo..hi): every value is explored",
	"this": "self", "pid": "self", "_pid": "self", "id": "self", "tid": "self", "me": "self",
	"thread_id": "self", "threadId": "self",
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

// HabitName is the hint for a name that is not known.
func HabitName(name string) string {
	if v := foreignNames[name]; v != "" {
		return "write " + v
	}
	return ""
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
	case t.Kind <= step.Enum || t.Kind == step.Sized:
		of = "int"
	}
	return foreignMethods[of][name]
}

// habitValue is the hint for a value of one type where another is needed.
func habitValue(is, needed *step.Type) string {
	switch {
	case is.Kind == step.Option && types.Fits(needed, is.Elem):
		return "write x! for its value, which must not be null then"
	case needed.Kind == step.Bool && is.Numeric():
		return "write true or false, or compare it: x != 0"
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

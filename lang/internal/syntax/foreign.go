package syntax

// ForeignWords begin a statement elsewhere.
var ForeignWords = map[string]string{
	"elif": "write else if", "elseif": "write else if", "elsif": "write else if",
	"go": spawned, "async": spawned, "fork": spawned, "run": spawned,
	"func": inSections, "def": inSections, "fn": inSections, "function": inSections, "proc": inSections,
	"procedure": inSections, "void": inSections, "inline": inSections,
	"const": "write let NAME = value", "auto": "write let NAME = value, or var if it changes",
	"local": "write let NAME = value, or var if it changes", "volatile": modifier, "final": modifier,
	"static":   modifier,
	"register": modifier, "extern": modifier, "shared": modifier,
	"pass": "write skip", "nop": "write skip", "noop": "write skip",
	"do": "write while condition { }, and choose { } or { } for a choice", "loop": "write while true { }",
	"forever": "write while true { }", "repeat": "write for i in 1..n { }, or while true { } with break",
	"times": "write for i in 1..n { }", "unless": "write if !condition { }",
	"try_lock": "write trylock m", "tryLock": "write trylock m", "acquire": "write lock m, or s.acquire() for a sem",
	"release": "write unlock m, or s.release() for a sem", "critical": "write with lock m { }",
	"exit": "write return", "quit": "write return", "abort": "write assert false", "stop": "write return",
	"crash": "name the thread in the section crashes: {of: [t]}, or write choose { return } or { skip } here",
	"log":   "write print x", "printf": "write print x", "println": "write print x", "puts": "write print x",
	"sleep": noTime, "delay": noTime, "after": noTime,
	"parallel": spawned, "par": spawned, "cobegin": spawned, "import": imports, "include": imports, "package": imports,
	"fence": modifier, "barrier": "write b.wait() for a barrier b", "emit": "write c.signal()",
	"notify":  "write c.signal()",
	"foreach": "write for x in xs { }", "until": "write while !condition { }, or await condition",
	"switch": "write if { } else if { } else { }", "match": "write if { } else if { } else { }",
	"either":       "write choose { } or { }",
	"synchronized": "write with lock m { }", "wait": "write await condition", "when": "write await condition",
	"goto":    "write a loop with break and continue",
	"require": "write assert condition", "ensure": "write assert condition", "signal": "write c.signal()",
	"forall": "write xs.all(v, condition) for a condition, for x in xs { } for a loop",
	"del":    removal, "delete": removal, "global": "what all threads see stands in the section shared",
	"nonlocal": "what all threads see stands in the section shared",
	"echo":     "write print x", "try": faults, "throw": faults, "raise": faults,
	"panic": faults, "defer": "write with lock m { }, which unlocks at its end",
	"end": "blocks end with }", "endif": "blocks end with }", "done": "blocks end with }",
	"od": "blocks end with }", "fi": "blocks end with }", "begin": "blocks begin with {",
}

// typeForms are types with what stands in their parentheses.
var typeForms = map[string]string{"sem": "sem(n)", "barrier": "barrier(n)", "chan": "chan[T, n]"}

const (
	inSections = "functions stand in the section functions; code that touches shared data in procedures"
	madeShared = "declare it in the section shared: shared: {m: mutex, s: sem(1), c: 'chan[int, 2]', cv: cond}"
	spawned    = "threads stand in the section threads; one that is started later is spawned: spawn t()"
	modifier   = "write let NAME = value, or var if it changes; what others see stands in the section shared, " +
		"and each access is atomic"
	faults  = "there are no exceptions; say with assert what must hold"
	noTime  = "there is no time: every order of steps is explored"
	imports = "a program is one file"
	removal = "write xs.remove(i) for the element of a list, xs.remove(v) for that of a set, " +
		"xs.remove(k) for a key of a map"
)

// elseIfs are words for else if.
var elseIfs = map[string]bool{"elif": true, "elseif": true, "elsif": true}

// foreignOperators are operators elsewhere.
var foreignOperators = map[string]string{
	"and": "write &&", "or": "write ||", "not": "write !", "mod": "write %", "div": "write /",
	"is": "write ==", "xor": "write !=",
	"iff": "write ==", "implies": "write !a || b", "as": "write int(x): a conversion is a call of the type",
	"<->": "write == between conditions", "<=>": "write == between conditions",
	"**": "write x * x", "<>": "write !=", "===": "write ==", "<<": "multiply by a power of 2",
	">>": "divide by a power of 2", "=+": "write +=", "=-": "write -=", "..=": "both ends belong to lo..hi",
	"..<": "both ends belong to lo..hi: write lo..hi-1", "...": "both ends belong to lo..hi",
	"/*":  "a comment begins with // and ends with the line",
	"->":  "write the type or the statement without it, and !a || b for a implies b",
	"::":  "write the member of an enum alone, without its type; for alternatives write choose { } or { }",
	"&&&": "write &&", "|||": "write ||", "!==": "write !=", "~=": "write !=", "?:": "write condition ? a : b",
	"//": "write /"}

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

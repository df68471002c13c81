package native

// What tests of other packages make of objects and operations.

// Kinds are those of operations, by the names of steps in the folder models.
var Kinds = map[string]Kind{"send": opSend, "receive": opReceive, "acquire": opLock, "release": opUnlock,
	"try": opTryLock, "add": opAdd, "done": opAdd, "wait": opWait, "enter": opOnce, "leave": opOnceEnd,
	"bump": opBump, "fetch": opStore, "load": opLoad, "store": opStore, "swap": opCompare, "park": opCondWait,
	"signal": opSignal, "broadcast": opBroadcast}

// Only is a world of one object.
func Only(size, length int, held, done bool, waiting int) *World {
	return worldOf(Object{size: size, length: length, sent: length, held: held, done: done,
		waiting: make([]party, waiting)})
}

func worldOf(objects ...Object) *World {
	w := &World{}
	for _, o := range objects {
		w.Add(o)
	}
	return w
}

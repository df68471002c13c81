package primitive

import "cdpor/lang/step"

func field(name string, t *step.Type) step.Field { return step.Field{Name: name, Type: t} }

func record(name string, n int, fields ...step.Field) *step.Type {
	return &step.Type{Kind: step.Record, Sync: name, Len: n, Fields: fields}
}

// SemaphoreType is the type of semaphores that begin with a count.
func SemaphoreType(count int) *step.Type {
	return record("sem", count, field("count", step.IntType))
}

// WaitGroupType is the type of wait groups.
func WaitGroupType() *step.Type {
	return record("waitgroup", 0, field("count", step.IntType))
}

// RWLockType is the type of locks for readers and one writer, in a program with so many processes.
func RWLockType(processes int) *step.Type {
	return record("rwlock", 0, field("writer", step.MutexType),
		field("readers", &step.Type{Kind: step.Array, Elem: step.BoolType, Len: processes}))
}

// CondType is the type of condition variables in a program with so many processes; those that are spurious may also
// wake up a process by themselves.
func CondType(processes int, spurious bool) *step.Type {
	n := 0
	if spurious {
		n = 1
	}
	return record("cond", n, field("waiters", &step.Type{Kind: step.Queue, Elem: step.MutexType, Len: processes}))
}

// BarrierType is the type of barriers at which so many processes meet.
func BarrierType(n int) *step.Type {
	return record("barrier", n, field("arrived", step.IntType), field("round", step.IntType))
}

// OnceType is the type of what is done once.
func OnceType() *step.Type {
	return record("once", 0, field("begun", step.BoolType), field("done", step.BoolType))
}

// ChannelType is the type of channels. One without capacity is a rendezvous: a cell that a sender fills and then
// watches until a receiver has emptied it, so that neither goes on before the other has come.
func ChannelType(elem *step.Type, capacity int) *step.Type {
	closed := field("closed", step.BoolType)
	t := record("chan", capacity, field("sender", step.MutexType), field("value", elem), closed)
	if capacity > 0 {
		t.Fields = []step.Field{field("buf", &step.Type{Kind: step.Queue, Elem: elem, Len: capacity}), closed}
	}
	t.Elem = elem
	return t
}

// Initial are the words of a variable that is given no value: zero, or the least value of a range without it, and the
// count of a semaphore.
func Initial(t *step.Type) []int64 {
	words := make([]int64, t.Words())
	switch t.Kind {
	case step.Range:
		if t.Lo > 0 || t.Hi < 0 {
			words[0] = t.Lo
		}
	case step.Record:
		for i, f := range t.Fields {
			copy(words[t.FieldAt(i):], Initial(f.Type))
		}
		if t.Sync == "sem" {
			words[0] = int64(t.Len)
		}
	case step.Array:
		elem := Initial(t.Elem)
		for i := range t.Len {
			copy(words[i*len(elem):], elem)
		}
	}
	return words
}

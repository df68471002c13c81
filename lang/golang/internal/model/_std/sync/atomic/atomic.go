// Package atomic stands in for Go's: what stands between enter and leave is one step.
package atomic

import "unsafe"

func enter()
func leave()

type integer interface {
	int32 | int64 | uint32 | uint64 | uintptr
}

func load[T any](addr *T) (v T) {
	enter()
	v = *addr
	leave()
	return v
}

func store[T any](addr *T, val T) {
	enter()
	*addr = val
	leave()
}

func swap[T any](addr *T, new T) (old T) {
	enter()
	old = *addr
	*addr = new
	leave()
	return old
}

func compareAndSwap[T comparable](addr *T, old, new T) (swapped bool) {
	enter()
	if *addr == old {
		*addr = new
		swapped = true
	}
	leave()
	return swapped
}

func add[T integer](addr *T, delta T) (new T) {
	enter()
	new = *addr + delta
	*addr = new
	leave()
	return new
}

func and[T integer](addr *T, mask T) (old T) {
	enter()
	old = *addr
	*addr = old & mask
	leave()
	return old
}

func or[T integer](addr *T, mask T) (old T) {
	enter()
	old = *addr
	*addr = old | mask
	leave()
	return old
}

// A value has the methods that all types have.
type value[T comparable] struct{ v T }

func (x *value[T]) Load() T                        { return load(&x.v) }
func (x *value[T]) Store(val T)                    { store(&x.v, val) }
func (x *value[T]) Swap(new T) T                   { return swap(&x.v, new) }
func (x *value[T]) CompareAndSwap(old, new T) bool { return compareAndSwap(&x.v, old, new) }

// A number has those of integers, too.
type number[T integer] struct{ value[T] }

func (x *number[T]) Add(delta T) T { return add(&x.v, delta) }
func (x *number[T]) And(mask T) T  { return and(&x.v, mask) }
func (x *number[T]) Or(mask T) T   { return or(&x.v, mask) }

func LoadInt32(addr *int32) int32                          { return load(addr) }
func StoreInt32(addr *int32, val int32)                    { store(addr, val) }
func SwapInt32(addr *int32, new int32) int32               { return swap(addr, new) }
func CompareAndSwapInt32(addr *int32, old, new int32) bool { return compareAndSwap(addr, old, new) }
func AddInt32(addr *int32, delta int32) int32              { return add(addr, delta) }
func AndInt32(addr *int32, mask int32) int32               { return and(addr, mask) }
func OrInt32(addr *int32, mask int32) int32                { return or(addr, mask) }

type Int32 struct{ number[int32] }

func LoadInt64(addr *int64) int64                          { return load(addr) }
func StoreInt64(addr *int64, val int64)                    { store(addr, val) }
func SwapInt64(addr *int64, new int64) int64               { return swap(addr, new) }
func CompareAndSwapInt64(addr *int64, old, new int64) bool { return compareAndSwap(addr, old, new) }
func AddInt64(addr *int64, delta int64) int64              { return add(addr, delta) }
func AndInt64(addr *int64, mask int64) int64               { return and(addr, mask) }
func OrInt64(addr *int64, mask int64) int64                { return or(addr, mask) }

type Int64 struct{ number[int64] }

func LoadUint32(addr *uint32) uint32                          { return load(addr) }
func StoreUint32(addr *uint32, val uint32)                    { store(addr, val) }
func SwapUint32(addr *uint32, new uint32) uint32              { return swap(addr, new) }
func CompareAndSwapUint32(addr *uint32, old, new uint32) bool { return compareAndSwap(addr, old, new) }
func AddUint32(addr *uint32, delta uint32) uint32             { return add(addr, delta) }
func AndUint32(addr *uint32, mask uint32) uint32              { return and(addr, mask) }
func OrUint32(addr *uint32, mask uint32) uint32               { return or(addr, mask) }

type Uint32 struct{ number[uint32] }

func LoadUint64(addr *uint64) uint64                          { return load(addr) }
func StoreUint64(addr *uint64, val uint64)                    { store(addr, val) }
func SwapUint64(addr *uint64, new uint64) uint64              { return swap(addr, new) }
func CompareAndSwapUint64(addr *uint64, old, new uint64) bool { return compareAndSwap(addr, old, new) }
func AddUint64(addr *uint64, delta uint64) uint64             { return add(addr, delta) }
func AndUint64(addr *uint64, mask uint64) uint64              { return and(addr, mask) }
func OrUint64(addr *uint64, mask uint64) uint64               { return or(addr, mask) }

type Uint64 struct{ number[uint64] }

func LoadUintptr(addr *uintptr) uintptr              { return load(addr) }
func StoreUintptr(addr *uintptr, val uintptr)        { store(addr, val) }
func SwapUintptr(addr *uintptr, new uintptr) uintptr { return swap(addr, new) }
func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	return compareAndSwap(addr, old, new)
}
func AddUintptr(addr *uintptr, delta uintptr) uintptr { return add(addr, delta) }
func AndUintptr(addr *uintptr, mask uintptr) uintptr  { return and(addr, mask) }
func OrUintptr(addr *uintptr, mask uintptr) uintptr   { return or(addr, mask) }

type Uintptr struct{ number[uintptr] }

type Bool struct{ value[bool] }

type Pointer[T any] struct{ value[*T] }

// A Value holds a value of one type.
type Value struct{ value[any] }

func LoadPointer(addr *unsafe.Pointer) unsafe.Pointer
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer)
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool

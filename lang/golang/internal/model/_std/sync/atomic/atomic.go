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

func LoadInt32(addr *int32) int32                          { return load(addr) }
func StoreInt32(addr *int32, val int32)                    { store(addr, val) }
func SwapInt32(addr *int32, new int32) int32               { return swap(addr, new) }
func CompareAndSwapInt32(addr *int32, old, new int32) bool { return compareAndSwap(addr, old, new) }
func AddInt32(addr *int32, delta int32) int32              { return add(addr, delta) }
func AndInt32(addr *int32, mask int32) int32               { return and(addr, mask) }
func OrInt32(addr *int32, mask int32) int32                { return or(addr, mask) }

type Int32 struct{ v int32 }

func (x *Int32) Load() int32                        { return load(&x.v) }
func (x *Int32) Store(val int32)                    { store(&x.v, val) }
func (x *Int32) Swap(new int32) int32               { return swap(&x.v, new) }
func (x *Int32) CompareAndSwap(old, new int32) bool { return compareAndSwap(&x.v, old, new) }
func (x *Int32) Add(delta int32) int32              { return add(&x.v, delta) }
func (x *Int32) And(mask int32) int32               { return and(&x.v, mask) }
func (x *Int32) Or(mask int32) int32                { return or(&x.v, mask) }

func LoadInt64(addr *int64) int64                          { return load(addr) }
func StoreInt64(addr *int64, val int64)                    { store(addr, val) }
func SwapInt64(addr *int64, new int64) int64               { return swap(addr, new) }
func CompareAndSwapInt64(addr *int64, old, new int64) bool { return compareAndSwap(addr, old, new) }
func AddInt64(addr *int64, delta int64) int64              { return add(addr, delta) }
func AndInt64(addr *int64, mask int64) int64               { return and(addr, mask) }
func OrInt64(addr *int64, mask int64) int64                { return or(addr, mask) }

type Int64 struct{ v int64 }

func (x *Int64) Load() int64                        { return load(&x.v) }
func (x *Int64) Store(val int64)                    { store(&x.v, val) }
func (x *Int64) Swap(new int64) int64               { return swap(&x.v, new) }
func (x *Int64) CompareAndSwap(old, new int64) bool { return compareAndSwap(&x.v, old, new) }
func (x *Int64) Add(delta int64) int64              { return add(&x.v, delta) }
func (x *Int64) And(mask int64) int64               { return and(&x.v, mask) }
func (x *Int64) Or(mask int64) int64                { return or(&x.v, mask) }

func LoadUint32(addr *uint32) uint32                          { return load(addr) }
func StoreUint32(addr *uint32, val uint32)                    { store(addr, val) }
func SwapUint32(addr *uint32, new uint32) uint32              { return swap(addr, new) }
func CompareAndSwapUint32(addr *uint32, old, new uint32) bool { return compareAndSwap(addr, old, new) }
func AddUint32(addr *uint32, delta uint32) uint32             { return add(addr, delta) }
func AndUint32(addr *uint32, mask uint32) uint32              { return and(addr, mask) }
func OrUint32(addr *uint32, mask uint32) uint32               { return or(addr, mask) }

type Uint32 struct{ v uint32 }

func (x *Uint32) Load() uint32                        { return load(&x.v) }
func (x *Uint32) Store(val uint32)                    { store(&x.v, val) }
func (x *Uint32) Swap(new uint32) uint32              { return swap(&x.v, new) }
func (x *Uint32) CompareAndSwap(old, new uint32) bool { return compareAndSwap(&x.v, old, new) }
func (x *Uint32) Add(delta uint32) uint32             { return add(&x.v, delta) }
func (x *Uint32) And(mask uint32) uint32              { return and(&x.v, mask) }
func (x *Uint32) Or(mask uint32) uint32               { return or(&x.v, mask) }

func LoadUint64(addr *uint64) uint64                          { return load(addr) }
func StoreUint64(addr *uint64, val uint64)                    { store(addr, val) }
func SwapUint64(addr *uint64, new uint64) uint64              { return swap(addr, new) }
func CompareAndSwapUint64(addr *uint64, old, new uint64) bool { return compareAndSwap(addr, old, new) }
func AddUint64(addr *uint64, delta uint64) uint64             { return add(addr, delta) }
func AndUint64(addr *uint64, mask uint64) uint64              { return and(addr, mask) }
func OrUint64(addr *uint64, mask uint64) uint64               { return or(addr, mask) }

type Uint64 struct{ v uint64 }

func (x *Uint64) Load() uint64                        { return load(&x.v) }
func (x *Uint64) Store(val uint64)                    { store(&x.v, val) }
func (x *Uint64) Swap(new uint64) uint64              { return swap(&x.v, new) }
func (x *Uint64) CompareAndSwap(old, new uint64) bool { return compareAndSwap(&x.v, old, new) }
func (x *Uint64) Add(delta uint64) uint64             { return add(&x.v, delta) }
func (x *Uint64) And(mask uint64) uint64              { return and(&x.v, mask) }
func (x *Uint64) Or(mask uint64) uint64               { return or(&x.v, mask) }

func LoadUintptr(addr *uintptr) uintptr              { return load(addr) }
func StoreUintptr(addr *uintptr, val uintptr)        { store(addr, val) }
func SwapUintptr(addr *uintptr, new uintptr) uintptr { return swap(addr, new) }
func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	return compareAndSwap(addr, old, new)
}
func AddUintptr(addr *uintptr, delta uintptr) uintptr { return add(addr, delta) }
func AndUintptr(addr *uintptr, mask uintptr) uintptr  { return and(addr, mask) }
func OrUintptr(addr *uintptr, mask uintptr) uintptr   { return or(addr, mask) }

type Uintptr struct{ v uintptr }

func (x *Uintptr) Load() uintptr                        { return load(&x.v) }
func (x *Uintptr) Store(val uintptr)                    { store(&x.v, val) }
func (x *Uintptr) Swap(new uintptr) uintptr             { return swap(&x.v, new) }
func (x *Uintptr) CompareAndSwap(old, new uintptr) bool { return compareAndSwap(&x.v, old, new) }
func (x *Uintptr) Add(delta uintptr) uintptr            { return add(&x.v, delta) }
func (x *Uintptr) And(mask uintptr) uintptr             { return and(&x.v, mask) }
func (x *Uintptr) Or(mask uintptr) uintptr              { return or(&x.v, mask) }

type Bool struct{ v bool }

func (x *Bool) Load() bool                        { return load(&x.v) }
func (x *Bool) Store(val bool)                    { store(&x.v, val) }
func (x *Bool) Swap(new bool) bool                { return swap(&x.v, new) }
func (x *Bool) CompareAndSwap(old, new bool) bool { return compareAndSwap(&x.v, old, new) }

type Pointer[T any] struct{ v *T }

func (x *Pointer[T]) Load() *T                        { return load(&x.v) }
func (x *Pointer[T]) Store(val *T)                    { store(&x.v, val) }
func (x *Pointer[T]) Swap(new *T) *T                  { return swap(&x.v, new) }
func (x *Pointer[T]) CompareAndSwap(old, new *T) bool { return compareAndSwap(&x.v, old, new) }

// A Value holds a value of one type.
type Value struct{ v any }

func (x *Value) Load() any                        { return load(&x.v) }
func (x *Value) Store(val any)                    { store(&x.v, val) }
func (x *Value) Swap(new any) any                 { return swap(&x.v, new) }
func (x *Value) CompareAndSwap(old, new any) bool { return compareAndSwap(&x.v, old, new) }

func LoadPointer(addr *unsafe.Pointer) unsafe.Pointer
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer)
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool

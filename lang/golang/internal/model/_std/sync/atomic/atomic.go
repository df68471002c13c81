// Package atomic stands in for Go's: what stands between enter and leave is one step.
package atomic

import "unsafe"

func enter()
func leave()

func LoadInt32(addr *int32) (v int32) {
	enter()
	v = *addr
	leave()
	return v
}

func StoreInt32(addr *int32, val int32) {
	enter()
	*addr = val
	leave()
}

func SwapInt32(addr *int32, new int32) (old int32) {
	enter()
	old = *addr
	*addr = new
	leave()
	return old
}

func CompareAndSwapInt32(addr *int32, old, new int32) (swapped bool) {
	enter()
	if *addr == old {
		*addr = new
		swapped = true
	}
	leave()
	return swapped
}

func AddInt32(addr *int32, delta int32) (new int32) {
	enter()
	new = *addr + delta
	*addr = new
	leave()
	return new
}

func AndInt32(addr *int32, mask int32) (old int32) {
	enter()
	old = *addr
	*addr = old & mask
	leave()
	return old
}

func OrInt32(addr *int32, mask int32) (old int32) {
	enter()
	old = *addr
	*addr = old | mask
	leave()
	return old
}

type Int32 struct{ v int32 }

func (x *Int32) Load() int32                        { return LoadInt32(&x.v) }
func (x *Int32) Store(val int32)                    { StoreInt32(&x.v, val) }
func (x *Int32) Swap(new int32) int32               { return SwapInt32(&x.v, new) }
func (x *Int32) CompareAndSwap(old, new int32) bool { return CompareAndSwapInt32(&x.v, old, new) }
func (x *Int32) Add(delta int32) int32              { return AddInt32(&x.v, delta) }
func (x *Int32) And(mask int32) int32               { return AndInt32(&x.v, mask) }
func (x *Int32) Or(mask int32) int32                { return OrInt32(&x.v, mask) }

func LoadInt64(addr *int64) (v int64) {
	enter()
	v = *addr
	leave()
	return v
}

func StoreInt64(addr *int64, val int64) {
	enter()
	*addr = val
	leave()
}

func SwapInt64(addr *int64, new int64) (old int64) {
	enter()
	old = *addr
	*addr = new
	leave()
	return old
}

func CompareAndSwapInt64(addr *int64, old, new int64) (swapped bool) {
	enter()
	if *addr == old {
		*addr = new
		swapped = true
	}
	leave()
	return swapped
}

func AddInt64(addr *int64, delta int64) (new int64) {
	enter()
	new = *addr + delta
	*addr = new
	leave()
	return new
}

func AndInt64(addr *int64, mask int64) (old int64) {
	enter()
	old = *addr
	*addr = old & mask
	leave()
	return old
}

func OrInt64(addr *int64, mask int64) (old int64) {
	enter()
	old = *addr
	*addr = old | mask
	leave()
	return old
}

type Int64 struct{ v int64 }

func (x *Int64) Load() int64                        { return LoadInt64(&x.v) }
func (x *Int64) Store(val int64)                    { StoreInt64(&x.v, val) }
func (x *Int64) Swap(new int64) int64               { return SwapInt64(&x.v, new) }
func (x *Int64) CompareAndSwap(old, new int64) bool { return CompareAndSwapInt64(&x.v, old, new) }
func (x *Int64) Add(delta int64) int64              { return AddInt64(&x.v, delta) }
func (x *Int64) And(mask int64) int64               { return AndInt64(&x.v, mask) }
func (x *Int64) Or(mask int64) int64                { return OrInt64(&x.v, mask) }

func LoadUint32(addr *uint32) (v uint32) {
	enter()
	v = *addr
	leave()
	return v
}

func StoreUint32(addr *uint32, val uint32) {
	enter()
	*addr = val
	leave()
}

func SwapUint32(addr *uint32, new uint32) (old uint32) {
	enter()
	old = *addr
	*addr = new
	leave()
	return old
}

func CompareAndSwapUint32(addr *uint32, old, new uint32) (swapped bool) {
	enter()
	if *addr == old {
		*addr = new
		swapped = true
	}
	leave()
	return swapped
}

func AddUint32(addr *uint32, delta uint32) (new uint32) {
	enter()
	new = *addr + delta
	*addr = new
	leave()
	return new
}

func AndUint32(addr *uint32, mask uint32) (old uint32) {
	enter()
	old = *addr
	*addr = old & mask
	leave()
	return old
}

func OrUint32(addr *uint32, mask uint32) (old uint32) {
	enter()
	old = *addr
	*addr = old | mask
	leave()
	return old
}

type Uint32 struct{ v uint32 }

func (x *Uint32) Load() uint32                        { return LoadUint32(&x.v) }
func (x *Uint32) Store(val uint32)                    { StoreUint32(&x.v, val) }
func (x *Uint32) Swap(new uint32) uint32              { return SwapUint32(&x.v, new) }
func (x *Uint32) CompareAndSwap(old, new uint32) bool { return CompareAndSwapUint32(&x.v, old, new) }
func (x *Uint32) Add(delta uint32) uint32             { return AddUint32(&x.v, delta) }
func (x *Uint32) And(mask uint32) uint32              { return AndUint32(&x.v, mask) }
func (x *Uint32) Or(mask uint32) uint32               { return OrUint32(&x.v, mask) }

func LoadUint64(addr *uint64) (v uint64) {
	enter()
	v = *addr
	leave()
	return v
}

func StoreUint64(addr *uint64, val uint64) {
	enter()
	*addr = val
	leave()
}

func SwapUint64(addr *uint64, new uint64) (old uint64) {
	enter()
	old = *addr
	*addr = new
	leave()
	return old
}

func CompareAndSwapUint64(addr *uint64, old, new uint64) (swapped bool) {
	enter()
	if *addr == old {
		*addr = new
		swapped = true
	}
	leave()
	return swapped
}

func AddUint64(addr *uint64, delta uint64) (new uint64) {
	enter()
	new = *addr + delta
	*addr = new
	leave()
	return new
}

func AndUint64(addr *uint64, mask uint64) (old uint64) {
	enter()
	old = *addr
	*addr = old & mask
	leave()
	return old
}

func OrUint64(addr *uint64, mask uint64) (old uint64) {
	enter()
	old = *addr
	*addr = old | mask
	leave()
	return old
}

type Uint64 struct{ v uint64 }

func (x *Uint64) Load() uint64                        { return LoadUint64(&x.v) }
func (x *Uint64) Store(val uint64)                    { StoreUint64(&x.v, val) }
func (x *Uint64) Swap(new uint64) uint64              { return SwapUint64(&x.v, new) }
func (x *Uint64) CompareAndSwap(old, new uint64) bool { return CompareAndSwapUint64(&x.v, old, new) }
func (x *Uint64) Add(delta uint64) uint64             { return AddUint64(&x.v, delta) }
func (x *Uint64) And(mask uint64) uint64              { return AndUint64(&x.v, mask) }
func (x *Uint64) Or(mask uint64) uint64               { return OrUint64(&x.v, mask) }

func LoadUintptr(addr *uintptr) (v uintptr) {
	enter()
	v = *addr
	leave()
	return v
}

func StoreUintptr(addr *uintptr, val uintptr) {
	enter()
	*addr = val
	leave()
}

func SwapUintptr(addr *uintptr, new uintptr) (old uintptr) {
	enter()
	old = *addr
	*addr = new
	leave()
	return old
}

func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) (swapped bool) {
	enter()
	if *addr == old {
		*addr = new
		swapped = true
	}
	leave()
	return swapped
}

func AddUintptr(addr *uintptr, delta uintptr) (new uintptr) {
	enter()
	new = *addr + delta
	*addr = new
	leave()
	return new
}

func AndUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	enter()
	old = *addr
	*addr = old & mask
	leave()
	return old
}

func OrUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	enter()
	old = *addr
	*addr = old | mask
	leave()
	return old
}

type Uintptr struct{ v uintptr }

func (x *Uintptr) Load() uintptr                        { return LoadUintptr(&x.v) }
func (x *Uintptr) Store(val uintptr)                    { StoreUintptr(&x.v, val) }
func (x *Uintptr) Swap(new uintptr) uintptr             { return SwapUintptr(&x.v, new) }
func (x *Uintptr) CompareAndSwap(old, new uintptr) bool { return CompareAndSwapUintptr(&x.v, old, new) }
func (x *Uintptr) Add(delta uintptr) uintptr            { return AddUintptr(&x.v, delta) }
func (x *Uintptr) And(mask uintptr) uintptr             { return AndUintptr(&x.v, mask) }
func (x *Uintptr) Or(mask uintptr) uintptr              { return OrUintptr(&x.v, mask) }

type Bool struct{ v bool }

func (x *Bool) Load() (v bool) {
	enter()
	v = x.v
	leave()
	return v
}

func (x *Bool) Store(val bool) {
	enter()
	x.v = val
	leave()
}

func (x *Bool) Swap(new bool) (old bool) {
	enter()
	old = x.v
	x.v = new
	leave()
	return old
}

func (x *Bool) CompareAndSwap(old, new bool) (swapped bool) {
	enter()
	if x.v == old {
		x.v = new
		swapped = true
	}
	leave()
	return swapped
}

type Pointer[T any] struct{ v *T }

func (x *Pointer[T]) Load() (v *T) {
	enter()
	v = x.v
	leave()
	return v
}

func (x *Pointer[T]) Store(val *T) {
	enter()
	x.v = val
	leave()
}

func (x *Pointer[T]) Swap(new *T) (old *T) {
	enter()
	old = x.v
	x.v = new
	leave()
	return old
}

func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	enter()
	if x.v == old {
		x.v = new
		swapped = true
	}
	leave()
	return swapped
}

// A Value holds a value of one type.
type Value struct{ v any }

func (x *Value) Load() (v any) {
	enter()
	v = x.v
	leave()
	return v
}

func (x *Value) Store(val any) {
	enter()
	x.v = val
	leave()
}

func (x *Value) Swap(new any) (old any) {
	enter()
	old = x.v
	x.v = new
	leave()
	return old
}

func (x *Value) CompareAndSwap(old, new any) (swapped bool) {
	enter()
	if x.v == old {
		x.v = new
		swapped = true
	}
	leave()
	return swapped
}

func LoadPointer(addr *unsafe.Pointer) unsafe.Pointer
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer)
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool

package evalsim

import (
	"fmt"
	"unsafe"
)

// table indexes like a slice, but tests bounds only under the tag invariants. Every
// packet-hop indexes some twenty times; the tests cost 9 %.
type table[T any] struct {
	first unsafe.Pointer
	count int
}

func tableOf[T any](slice []T) table[T] {
	return table[T]{unsafe.Pointer(unsafe.SliceData(slice)), len(slice)}
}

func (t table[T]) at(i int32) *T {
	if invariants && (i < 0 || int(i) >= t.count) {
		panic(fmt.Sprintf("%T %d of %d", *new(T), i, t.count))
	}
	return (*T)(unsafe.Add(t.first, uintptr(uint32(i))*unsafe.Sizeof(*new(T))))
}

package evalsim

import (
	"fmt"
	"unsafe"
)

// channelTable and packetTable index like slices, but test bounds only under the
// tag invariants. Every packet-hop indexes some twenty times; the tests cost 9 %.
type (
	channelTable struct {
		first unsafe.Pointer
		count int
	}
	packetTable struct {
		first unsafe.Pointer
		count int
	}
)

func channelsOf(slice []channel) channelTable {
	return channelTable{unsafe.Pointer(unsafe.SliceData(slice)), len(slice)}
}

func packetsOf(slice []packet) packetTable {
	return packetTable{unsafe.Pointer(unsafe.SliceData(slice)), len(slice)}
}

func (t channelTable) at(id int32) *channel {
	if invariants {
		inBounds("channel", id, t.count)
	}
	return (*channel)(unsafe.Add(t.first, uintptr(uint32(id))*unsafe.Sizeof(channel{})))
}

func (t packetTable) at(p int32) *packet {
	if invariants {
		inBounds("packet", p, t.count)
	}
	return (*packet)(unsafe.Add(t.first, uintptr(uint32(p))*unsafe.Sizeof(packet{})))
}

func inBounds(what string, index int32, count int) {
	if index < 0 || int(index) >= count {
		panic(fmt.Sprintf("%s %d of %d", what, index, count))
	}
}

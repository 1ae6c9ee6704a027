package topology

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// linkSet is a set of links under its key; never changed once it is in a cache.
type linkSet struct {
	key    uint64
	ranges []LinkRange
}

// setCache keeps link sets in bounded memory. New sets go into the young
// generation; when that is half the bound, it becomes the old one and what was
// old is dropped. A set found in the old generation becomes young again, so
// those in use stay. Readers take no lock: tables only gain sets, and are
// replaced whole.
type setCache struct {
	young, old atomic.Pointer[setTable]
	mutex      sync.Mutex
	limit      int // bytes of a generation
	bytes      int // of the young generation without its table; under mutex
	count      int // sets of the young generation; under mutex
}

// setTable is a hash table with linear probing, never more than half full.
type setTable struct {
	shift uint // of the hash, so that it is below the number of slots
	slots []atomic.Pointer[linkSet]
}

func newSetCache(limit int) *setCache {
	c := &setCache{limit: limit / 2}
	c.young.Store(newSetTable(smallTable))
	return c
}

func newSetTable(logarithm uint) *setTable {
	return &setTable{64 - logarithm, make([]atomic.Pointer[linkSet], 1<<logarithm)}
}

// slot is where a key is, or where it belongs.
func (t *setTable) slot(key uint64) (*atomic.Pointer[linkSet], *linkSet) {
	// Fibonacci hashing (Knuth 1973, section 6.4): neighbouring keys spread evenly.
	for i := key * 0x9e3779b97f4a7c15 >> t.shift; ; i++ {
		slot := &t.slots[i&uint64(len(t.slots)-1)]
		if s := slot.Load(); s == nil || s.key == key {
			return slot, s
		}
	}
}

// get finds a set; nil when it is not there.
func (c *setCache) get(key uint64) *linkSet {
	if _, s := c.young.Load().slot(key); s != nil {
		return s
	}
	if old := c.old.Load(); old != nil {
		if _, s := old.slot(key); s != nil {
			return c.add(s)
		}
	}
	return nil
}

// put keeps a set. If another goroutine was first, it is that one's.
func (c *setCache) put(key uint64, ranges []LinkRange) *linkSet {
	return c.add(&linkSet{key, ranges})
}

func (c *setCache) add(s *linkSet) *linkSet {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	table := c.young.Load()
	if _, there := table.slot(s.key); there != nil {
		return there
	}
	if c.count > 0 && c.size()+s.size() > c.limit {
		c.old.Store(table)
		table = newSetTable(smallTable)
		c.young.Store(table)
		c.bytes, c.count = 0, 0
	}
	if 2*(c.count+1) > len(table.slots) {
		table = table.doubled()
		c.young.Store(table)
	}
	slot, _ := table.slot(s.key)
	slot.Store(s)
	c.count++
	c.bytes += s.size()
	return s
}

// doubled is the same table with twice the slots.
func (t *setTable) doubled() *setTable {
	wide := newSetTable(64 - t.shift + 1)
	for i := range t.slots {
		if s := t.slots[i].Load(); s != nil {
			slot, _ := wide.slot(s.key)
			slot.Store(s)
		}
	}
	return wide
}

// size is the memory of a set in bytes.
func (s *linkSet) size() int {
	return int(unsafe.Sizeof(*s)) + cap(s.ranges)*int(unsafe.Sizeof(LinkRange{}))
}

// size is the memory of the young generation in bytes; under mutex.
func (c *setCache) size() int {
	return c.bytes + len(c.young.Load().slots)*int(unsafe.Sizeof(atomic.Pointer[linkSet]{}))
}

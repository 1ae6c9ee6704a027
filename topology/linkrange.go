package topology

import "slices"

// LinkRange is links First..First+Count-1. It is an alias, so that a package
// which imports nothing of ours can name the same type. Sets of links are lists
// of ranges: ascending, disjoint, not adjacent.
type LinkRange = struct{ First, Count int32 }

// hasLink tells whether a link is in a set.
func hasLink(set []LinkRange, link int32) bool {
	i := upTo(set, link)
	return i > 0 && link < set[i-1].First+set[i-1].Count
}

// upTo counts the ranges that begin at a link or before it.
func upTo(set []LinkRange, link int32) int {
	low, high := 0, len(set)
	for low < high {
		if middle := int(uint(low+high) >> 1); set[middle].First <= link {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// withLink appends a set and one link that is not in it to buffer.
func withLink(buffer, set []LinkRange, link int32) []LinkRange {
	i := upTo(set, link)
	begin := len(buffer)
	buffer = append(buffer, set[:i]...)
	buffer = addRange(buffer, begin, LinkRange{link, 1})
	if i < len(set) {
		buffer = append(addRange(buffer, begin, set[i]), set[i+1:]...)
	}
	return buffer
}

// addRange appends a range that does not begin before the last one of buffer,
// and joins them if they touch; those before begin are not looked at.
func addRange(buffer []LinkRange, begin int, r LinkRange) []LinkRange {
	if n := len(buffer); n > begin {
		if last := &buffer[n-1]; r.First <= last.First+last.Count {
			last.Count = max(last.Count, r.First+r.Count-last.First)
			return buffer
		}
	}
	return append(buffer, r)
}

// union appends the union of a few sets to buffer.
func union(buffer []LinkRange, sets ...[]LinkRange) []LinkRange {
	begin, most := len(buffer), 0
	for _, set := range sets {
		most += len(set)
	}
	buffer = slices.Grow(buffer, most)
	for {
		least := -1
		for i, set := range sets {
			if len(set) > 0 && (least < 0 || set[0].First < sets[least][0].First) {
				least = i
			}
		}
		if least < 0 {
			return buffer
		}
		buffer = addRange(buffer, begin, sets[least][0])
		sets[least] = sets[least][1:]
	}
}

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

// merged is the union of two sets.
func merged(a, b []LinkRange) []LinkRange {
	both := make([]LinkRange, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].First <= b[0].First {
			both, a = addRange(both, 0, a[0]), a[1:]
		} else {
			both, b = addRange(both, 0, b[0]), b[1:]
		}
	}
	for _, rest := range [][]LinkRange{a, b} {
		for _, r := range rest {
			both = addRange(both, 0, r)
		}
	}
	return slices.Clone(both) // no more memory than it has ranges
}

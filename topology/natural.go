package topology

import "cmp"

// NaturalLess orders names so that numbers in them count as numbers: stage2
// before stage10. Names that differ only in leading zeros follow the order of
// their bytes, so that the order is total.
func NaturalLess(a, b string) bool { return naturalCompare(a, b) < 0 }

func naturalCompare(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if !isDigit(a[i]) || !isDigit(b[j]) {
			if a[i] != b[j] {
				return cmp.Compare(a[i], b[j])
			}
			i, j = i+1, j+1
			continue
		}
		var x, y string
		x, i = number(a, i)
		y, j = number(b, j)
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(a)-i, len(b)-j), cmp.Compare(a, b))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number is the run of digits at i without leading zeros, and where it ends.
func number(s string, i int) (digits string, end int) {
	for end = i; end < len(s) && isDigit(s[end]); end++ {
	}
	for i < end && s[i] == '0' {
		i++
	}
	return s[i:end], end
}

// Package scratch has what algorithms need that keep their memory between calls.
package scratch

// Resize gives a slice of length n, in the memory of s if that is large enough. Its
// contents are unspecified.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// Package nearest finds the name a user probably meant.
package nearest

// Name is the first candidate of least edit distance to name, if at most a
// third of its letters (and at least one) differ; otherwise "".
// O(letters of name x letters of all candidates).
func Name(name string, candidates []string) string {
	best, bestDistance := "", len(name)+1
	for _, candidate := range candidates {
		allowed := max(1, len(candidate)/3)
		if difference := len(candidate) - len(name); difference > allowed || -difference > allowed {
			continue
		}
		if d := Distance(name, candidate); d <= allowed && d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// Distance counts insertions, deletions and replacements of bytes
// (Levenshtein 1966), by dynamic programming over one row.
func Distance(a, b string) int {
	costs := make([]int, len(b)+1)
	for j := range costs {
		costs[j] = j
	}
	for i := range len(a) {
		diagonal := costs[0]
		costs[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = costs[j+1]
			costs[j+1] = min(replace, costs[j]+1, costs[j+1]+1)
		}
	}
	return costs[len(b)]
}

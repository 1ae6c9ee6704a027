package strategy

import (
	"fmt"
	"strings"

	"remap/internal/input"
)

// unknown is the error of a name that is not in the list: its hint offers the
// nearest one, if any is near, and the whole list.
func unknown(kind, name string, list []string, column int) error {
	e := &input.Error{Line: 1, Column: column, Reason: fmt.Sprintf("unknown %s %q", kind, name)}
	if len(list) == 0 {
		e.Hint = "it takes no options"
		return e
	}
	e.Hint = "known: " + strings.Join(list, ", ")
	if near := nearest(name, list); near != "" {
		e.Hint = fmt.Sprintf("did you mean %s? %s", near, e.Hint)
	}
	return e
}

// nearest is the first name of least edit distance, if at most a third of its
// letters (and at least one) differ; otherwise "".
func nearest(name string, list []string) string {
	best, bestDistance := "", len(name)+1
	for _, candidate := range list {
		d := editDistance(name, candidate)
		if d <= max(1, len(candidate)/3) && d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// editDistance counts insertions, deletions and replacements of bytes
// (Levenshtein 1966), by dynamic programming over one row.
func editDistance(a, b string) int {
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

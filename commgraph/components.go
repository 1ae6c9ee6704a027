package commgraph

// Components labels every vertex with its connected component, numbered from 0
// in the order of their lowest vertices; breadth first from each of them.
// Length vertices. O(vertices + edges).
func Components(g *Graph) []int32 {
	n := g.Vertices()
	label := make([]int32, n)
	for v := range label {
		label[v] = -1
	}
	queue := make([]int32, 0, n) // never emptied: every vertex enters once
	count := int32(0)
	for root := range int32(n) {
		if label[root] >= 0 {
			continue
		}
		label[root] = count
		head := len(queue)
		queue = append(queue, root)
		for ; head < len(queue); head++ {
			first, end := g.Row(queue[head])
			for _, v := range g.Neighbors[first:end] {
				if label[v] < 0 {
					label[v] = count
					queue = append(queue, v)
				}
			}
		}
		count++
	}
	return label
}

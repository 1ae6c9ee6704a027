package kernighanlin

// The binary heap of a queue: item i is no worse than items 2i+1 and 2i+2.

// up writes x at index i or above it.
func (q *queue) up(i int, x item, place []int32) {
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(q.items[parent]) {
			break
		}
		q.items[i] = q.items[parent]
		place[q.items[i].vertex] = int32(i)
		i = parent
	}
	q.items[i] = x
	place[x.vertex] = int32(i)
}

// down writes x at index i or below it.
func (q *queue) down(i int, x item, place []int32) {
	for {
		child := 2*i + 1
		if child >= len(q.items) {
			break
		}
		if child+1 < len(q.items) && q.items[child+1].before(q.items[child]) {
			child++
		}
		if !q.items[child].before(x) {
			break
		}
		q.items[i] = q.items[child]
		place[q.items[i].vertex] = int32(i)
		i = child
	}
	q.items[i] = x
	place[x.vertex] = int32(i)
}

package kernighanlin

// queue holds the free vertices of one side, the largest gain on top; of equal
// gains the one that changed last (Hagen, Huang and Kahng 1997 measured that
// last-in-first-out finds smaller cuts than other orders). A binary heap of
// values; the place of every vertex in it stands in a slice both sides share.
type queue struct {
	items []item
}

type item struct {
	gain   int64
	stamp  int32 // rises with every change: no two are equal
	vertex int32
}

func (i item) before(j item) bool {
	return i.gain > j.gain || i.gain == j.gain && i.stamp > j.stamp
}

// push adds a vertex; place[vertex] must be negative.
func (q *queue) push(x item, place []int32) {
	q.items = append(q.items, x)
	q.up(len(q.items)-1, x, place)
}

// change moves the vertex at index i to where its new gain belongs.
func (q *queue) change(i int, x item, place []int32) {
	if i > 0 && x.before(q.items[(i-1)/2]) {
		q.up(i, x, place)
		return
	}
	q.down(i, x, place)
}

// remove takes out the vertex at index i.
func (q *queue) remove(i int, place []int32) {
	place[q.items[i].vertex] = -1
	last := len(q.items) - 1
	x := q.items[last]
	q.items = q.items[:last]
	if i < last {
		q.change(i, x, place)
	}
}

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

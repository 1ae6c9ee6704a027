package kernighanlin

// queue holds the free vertices of one side and tells which has the largest
// gain; of equal gains the one that changed last (Hagen, Huang and Kahng 1997
// measured that last-in-first-out finds smaller cuts than other orders). The
// place of every vertex in it stands in a slice both sides share.
//
// It is a binary heap of values, or while a side is small a list without order
// whose best item is looked for when it is needed: a move changes many gains
// and needs two best items at most. Both give the same vertices.
type queue struct {
	items []item
	list  bool
	best  int32 // index of the best item of a list, -1 = not known
}

type item struct {
	gain   int64
	stamp  int32 // rises with every change: no two are equal
	vertex int32
}

func (i item) before(j item) bool {
	return i.gain > j.gain || i.gain == j.gain && i.stamp > j.stamp
}

// reset empties the queue.
func (q *queue) reset(list bool) { q.items, q.list, q.best = q.items[:0], list, -1 }

// top is the index of the best item, of which there must be one.
func (q *queue) top() int {
	if !q.list {
		return 0
	}
	if q.best < 0 {
		best := 0
		for i := 1; i < len(q.items); i++ {
			if q.items[i].before(q.items[best]) {
				best = i
			}
		}
		q.best = int32(best)
	}
	return int(q.best)
}

// push adds a vertex; place[vertex] must be negative.
func (q *queue) push(x item, place []int32) {
	last := len(q.items)
	q.items = append(q.items, x)
	if !q.list {
		q.up(last, x, place)
		return
	}
	place[x.vertex] = int32(last)
	if q.best >= 0 && x.before(q.items[q.best]) {
		q.best = int32(last)
	}
}

// change gives the vertex at index i a new gain.
func (q *queue) change(i int, x item, place []int32) {
	switch {
	case q.list:
		switch best := q.best; {
		case best < 0 || int(best) == i && x.before(q.items[i]):
		case int(best) == i:
			q.best = -1
		case x.before(q.items[best]):
			q.best = int32(i)
		}
		q.items[i] = x
	case i > 0 && x.before(q.items[(i-1)/2]):
		q.up(i, x, place)
	default:
		q.down(i, x, place)
	}
}

// remove takes out the vertex at index i.
func (q *queue) remove(i int, place []int32) {
	place[q.items[i].vertex] = -1
	last := len(q.items) - 1
	x := q.items[last]
	q.items = q.items[:last]
	switch {
	case q.list:
		if int(q.best) == i {
			q.best = -1
		} else if int(q.best) == last {
			q.best = int32(i)
		}
		if i < last {
			q.items[i] = x
			place[x.vertex] = int32(i)
		}
	case i == last:
	case i > 0 && x.before(q.items[(i-1)/2]):
		q.up(i, x, place)
	default:
		q.down(i, x, place)
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

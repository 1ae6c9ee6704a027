package kernighanlin

// queue holds the free vertices of one side and gives the one of the largest
// gain; of equal gains the one that changed last (Hagen, Huang and Kahng 1997
// measured that last-in-first-out finds smaller cuts than other orders). The
// place of every vertex in it, -1 = not in it, stands in a slice both sides share.
//
// It has three forms, which give the same vertices. While the pair is small it
// is a list without order, whose best item is looked for when it is needed: a
// move changes many gains and needs two best items at most. Else it is buckets,
// or where gains are too many for these a binary heap.
type queue struct {
	form    form
	items   []item // of a list or heap
	best    int32  // index of the best item of a list, -1 = not known
	buckets buckets
}

type form uint8

const (
	list form = iota
	bucketed
	heap
)

type item struct {
	gain   int64
	stamp  int32 // rises with every change: no two are equal
	vertex int32
}

func (i item) before(j item) bool {
	return i.gain > j.gain || i.gain == j.gain && i.stamp > j.stamp
}

// reset empties the queue. scale and links are for buckets.
func (q *queue) reset(form form, scale gainScale, links []link) {
	q.form, q.items, q.best = form, q.items[:0], -1
	if form == bucketed {
		q.buckets.reset(scale, links)
	}
}

func (q *queue) empty() bool {
	return len(q.items) == 0 && (q.form != bucketed || q.buckets.count == 0)
}

// rank orders the best vertices of the two sides: more gain, more rank. The
// queue must not be empty.
func (q *queue) rank() int64 {
	if q.form == bucketed {
		return int64(q.buckets.top())
	}
	return q.items[q.top()].gain
}

// set gives a vertex a gain; if it is not in the queue, it comes in.
func (q *queue) set(x item, place []int32) {
	at := place[x.vertex]
	switch {
	case q.form == list && at >= 0:
		switch best := q.best; {
		case best < 0 || best == at && x.before(q.items[at]):
		case best == at:
			q.best = -1
		case x.before(q.items[best]):
			q.best = at
		}
		q.items[at] = x
	case q.form == bucketed:
		if at >= 0 {
			q.buckets.remove(x.vertex)
		}
		place[x.vertex] = 0
		q.buckets.push(x.vertex, x.gain)
	case at > 0 && x.before(q.items[(at-1)/2]):
		q.up(int(at), x, place)
	case at >= 0:
		q.down(int(at), x, place)
	default:
		q.push(x, place)
	}
}

// pop takes the best vertex out. The queue must not be empty.
func (q *queue) pop(place []int32) (vertex int32) {
	if q.form == bucketed {
		vertex = q.buckets.first[q.buckets.top()]
		q.buckets.remove(vertex)
		place[vertex] = -1
		return vertex
	}
	top := q.top()
	vertex = q.items[top].vertex
	place[vertex] = -1
	last := len(q.items) - 1
	x := q.items[last]
	q.items = q.items[:last]
	q.best = -1
	switch {
	case top == last:
	case q.form == list:
		q.items[top] = x
		place[x.vertex] = int32(top)
	default:
		q.down(top, x, place)
	}
	return vertex
}

// top is the index of the best item.
func (q *queue) top() int {
	if q.form == heap {
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

// push adds a vertex to a list or heap.
func (q *queue) push(x item, place []int32) {
	last := len(q.items)
	q.items = append(q.items, x)
	if q.form == heap {
		q.up(last, x, place)
		return
	}
	place[x.vertex] = int32(last)
	if q.best >= 0 && x.before(q.items[q.best]) {
		q.best = int32(last)
	}
}

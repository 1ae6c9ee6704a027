package evalsim

// timer wakes a rank, or what ranks.go numbers below 0; timers are kept in a binary heap by (time, number).
type timer struct {
	at     int64
	number int64 // order of creation, breaks ties
	rank   int32
}

func (a timer) before(b timer) bool {
	return a.at < b.at || a.at == b.at && a.number < b.number
}

type timers []timer

func (h *timers) push(t timer) {
	*h = append(*h, t)
	q := *h
	for i := len(q) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q[i].before(q[parent]) {
			break
		}
		q[i], q[parent] = q[parent], q[i]
		i = parent
	}
}

func (h *timers) pop() timer {
	q := *h
	top := q[0]
	last := len(q) - 1
	q[0] = q[last]
	q = q[:last]
	*h = q
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(q) {
			return top
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(q[i]) {
			return top
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}

package partition

import "sync"

// pool is memory that goroutines use in turn. The zero value is empty.
type pool[T any] struct {
	mutex sync.Mutex
	idle  []*T
}

// take gives memory that nobody uses, or else what fresh makes.
func (p *pool[T]) take(fresh func() *T) *T {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	n := len(p.idle)
	if n == 0 {
		return fresh()
	}
	taken := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return taken
}

// giveBack ends the use of what take gave.
func (p *pool[T]) giveBack(used *T) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.idle = append(p.idle, used)
}

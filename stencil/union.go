package stencil

// union is a union-find: disjoint sets of the numbers 0..n-1. Each set's root
// is its least element, so that numbering the sets does not depend on the order
// of the joins.
type union struct{ parent []int32 }

func newUnion(n int) *union {
	u := &union{make([]int32, n)}
	for i := range u.parent {
		u.parent[i] = int32(i)
	}
	return u
}

func (u *union) root(x int32) int32 {
	for u.parent[x] != x {
		u.parent[x] = u.parent[u.parent[x]]
		x = u.parent[x]
	}
	return x
}

func (u *union) join(x, y int32) {
	x, y = u.root(x), u.root(y)
	if x < y {
		u.parent[y] = x
	} else {
		u.parent[x] = y
	}
}

// number gives the sets numbers 0.. in order of their least elements, and
// counts them; length n.
func (u *union) number() (of []int32, count int) {
	of = make([]int32, len(u.parent))
	for x := range of {
		r := u.root(int32(x))
		if r == int32(x) {
			of[x] = int32(count)
			count++
			continue
		}
		of[x] = of[r]
	}
	return of, count
}

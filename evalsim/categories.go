package evalsim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"remap/workload"
)

// category is the phase, tag and call site of messages whose samples are kept apart from
// those of other messages. A dimension that Options does not ask for is 0.
type category struct {
	phase         uint8
	tag, callSite uint16
}

func compareCategories(a, b category) int {
	return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.tag, b.tag), cmp.Compare(a.callSite, b.callSite))
}

// categories are those that the sends of a job's program have.
type categories struct {
	list       []category // ascending by phase, tag, call site
	opCategory []int32    // length operations of the program: index into list, of sends; nil = 0 for all
}

// maxCategories is the most of a job: more are not counted.
const maxCategories = 1 << 20

// apart names the dimensions that distinguish categories.
func (o *Options) apart() (names []string) {
	for _, dimension := range []struct {
		name  string
		asked bool
	}{{"phase", o.ByPhase}, {"tag", o.ByTag}, {"call site", o.ByCallSite}} {
		if dimension.asked {
			names = append(names, dimension.name)
		}
	}
	return names
}

// categoryOf is the category of an operation that sends.
func (o *Options) categoryOf(p *workload.Program, op int32) (c category) {
	if o.ByPhase {
		c.phase = p.Ops[op].Phase
	}
	if o.ByTag {
		c.tag = p.Ops[op].Tag
	}
	if o.ByCallSite {
		c.callSite = p.Site(op)
	}
	return c
}

// newCategories finds the categories of a program. Without a dimension to tell them
// apart there is one. O(operations), and a sort of the categories.
func newCategories(p *workload.Program, o *Options) (categories, error) {
	if o.apart() == nil {
		return categories{list: make([]category, 1)}, nil
	}
	c := categories{opCategory: make([]int32, len(p.Ops))}
	numbers := map[category]int32{}
	for i := range p.Ops {
		if !p.Ops[i].Kind.IsSend() {
			continue
		}
		of := o.categoryOf(p, int32(i))
		number, known := numbers[of]
		if !known {
			if number = int32(len(c.list)); number == maxCategories {
				return c, fmt.Errorf("samples by %s are in more than %d categories",
					strings.Join(o.apart(), ", "), maxCategories)
			}
			numbers[of] = number
			c.list = append(c.list, of)
		}
		c.opCategory[i] = number
	}
	c.sort()
	return c, nil
}

// sort numbers the categories in ascending order.
func (c *categories) sort() {
	found := c.list
	c.list = slices.SortedFunc(slices.Values(found), compareCategories)
	renumbered := make([]int32, len(found))
	for i, of := range found {
		number, _ := slices.BinarySearchFunc(c.list, of, compareCategories)
		renumbered[i] = int32(number)
	}
	if len(found) == 0 {
		return
	}
	for i := range c.opCategory {
		c.opCategory[i] = renumbered[c.opCategory[i]]
	}
}

// CountCategories is how many parts a time slice of jobs has: the distinct phases,
// tags and call sites of each job's sends that Options tells apart.
func CountCategories(jobs []Job, o Options) (int, error) {
	sum := 0
	for i := range jobs {
		c, err := newCategories(jobs[i].Program, &o)
		if err != nil {
			return 0, fmt.Errorf("job %d: %w", i, err)
		}
		sum += len(c.list)
	}
	return sum, nil
}

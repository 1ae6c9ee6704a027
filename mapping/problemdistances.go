package mapping

// Distances are those of LinkCost for the weight of the graph: the shared ones
// if ShareDistances made them from these prices, else new ones. LinkCost must
// not be nil. Errors are those of NewDistances; a problem that passes Check has
// none.
func (p *Problem) Distances() (*Distances, error) {
	d := p.distances
	if d != nil && d.machine == p.Machine && len(d.prices) == len(p.LinkCost) && &d.prices[0] == &p.LinkCost[0] {
		return d, nil
	}
	return NewDistances(p.Machine, p.LinkCost, p.Graph.TotalWeight())
}

// ShareDistances computes Distances once for all strategies and costs that this
// problem and its copies are given to. It is for the maker of the problem, to
// be called again when prices or graph have changed. Errors as Distances.
func (p *Problem) ShareDistances() error {
	p.distances = nil
	if len(p.LinkCost) == 0 {
		return nil
	}
	d, err := p.Distances()
	p.distances = d
	return err
}

// PathCost is the sum over the graph's edges of weight times the price of the
// path: PathBytes where LinkCost is nil, else Distances.Cost, which is
// DistanceScale times as much at equal prices. The problem and the mapping must
// pass Check.
func (p *Problem) PathCost(m Mapping) int64 {
	if p.LinkCost == nil {
		return PathBytes(p.Machine, p.Allocation, p.Graph, m)
	}
	d, err := p.Distances()
	if err != nil {
		panic("mapping: " + err.Error())
	}
	return d.Cost(p.Allocation, p.Graph, m)
}

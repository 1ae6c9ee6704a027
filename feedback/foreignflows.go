package feedback

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"remap/workload"
)

// flow is what a host of others sends to another.
type flow struct {
	// to is the index of the receiver.
	to int32
	// rate is in bytes a second.
	rate float64
}

// streams gives every host one receiver where it can. A stream arrives at the rate at which it was
// sent. So a host that receives as much as another sends may be its receiver; a host that receives
// more may be its receiver together with others. Hosts come in order of falling rates and take the
// likeliest receiver that is left. A stream that fits no receiver is divided.
func (x *foreignMatrix) streams(random *rand.Rand) [][]flow {
	n := len(x.leaves)
	missing, free := slices.Clone(x.rates), slices.Clone(x.receives)
	flows := make([][]flow, len(x.hosts))
	order := random.Perm(len(x.hosts))
	tie := random.Perm(len(x.hosts))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.sends[b], x.sends[a]) })
	for _, i := range order {
		row := missing[int(x.leafOf[i])*n:][:n]
		for left := x.sends[i]; left > leastPart*x.sends[i]; {
			to := x.receiver(i, left, row, free, tie)
			if to < 0 {
				break
			}
			rate := min(left, free[to])
			if left-rate < sameRate*x.linkRate(i) {
				rate = left
			}
			flows[i] = append(flows[i], flow{int32(to), rate})
			left, free[to] = left-rate, max(0, free[to]-rate)
			row[x.leafOf[to]] -= rate
		}
	}
	return flows
}

// linkRate is the rate of a host's link.
func (x *foreignMatrix) linkRate(i int) float64 {
	first, _ := x.machine.Out(x.hosts[i])
	return x.machine.Links[first].BytesPerSecond
}

// receiver is a host for a stream of a rate; -1 = no host misses any bytes. The likelihood of a
// receiver has two factors. One is the normal distribution of the difference between the rate and
// what the receiver misses; a receiver that misses more has the largest difference that rates of
// one stream have. The other is how many bytes the receiver's leaf misses from the sender's.
func (x *foreignMatrix) receiver(from int, rate float64, row, free []float64, tie []int) int {
	near, deviation := sameRate*x.linkRate(from), sameRate/3*x.linkRate(from)
	all := x.rates[int(x.leafOf[from])*len(x.leaves):]
	best, bestFits, bestScore := -1, false, 0.0
	for j, leaf := range x.leafOf {
		if j == from || free[j] < leastRate*x.linkRate(j) {
			continue
		}
		wanted := max(row[leaf], leastWanted*all[leaf], 1e-12*rate)
		difference := min(near, math.Abs(free[j]-rate)) / deviation
		score, fits := math.Log(wanted)-difference*difference/2, free[j] >= rate-near
		if !fits {
			score = math.Log(min(wanted, free[j]))
		}
		likelier := score > bestScore || score == bestScore && best >= 0 && tie[j] < tie[best]
		if best < 0 || fits && !bestFits || fits == bestFits && likelier {
			best, bestFits, bestScore = j, fits, score
		}
	}
	return best
}

// refine exchanges the receivers of streams with nearly equal rates as long as that brings sums of
// rates nearer to those that were measured.
func (x *foreignMatrix) refine(flows [][]flow, constraints []constraint) {
	n := int32(len(x.leaves))
	paths := make([][]term, n*n) // of a pair of leaves: constraints and shares
	gap := make([]float64, len(constraints))
	for c := range constraints {
		gap[c] = -constraints[c].sum
		for _, t := range constraints[c].terms {
			paths[t.pair] = append(paths[t.pair], term{int32(c), t.share})
		}
	}
	add := func(i, to int32, rate float64) (more float64) {
		for _, t := range paths[x.leafOf[i]*n+x.leafOf[to]] {
			d := t.share * rate
			more += d * (2*gap[t.pair] + d)
			gap[t.pair] += d
		}
		return more
	}
	var single []int32
	for i := range flows {
		for _, f := range flows[i] {
			add(int32(i), f.to, f.rate)
		}
		if len(flows[i]) == 1 {
			single = append(single, int32(i))
		}
	}
	if len(single) > mostRefined {
		return
	}
	for range mostSwapping {
		swapped := false
		for k, i := range single {
			for _, j := range single[:k] {
				a, b := &flows[i][0], &flows[j][0]
				unlike := math.Abs(a.rate-b.rate) > sameRate*x.linkRate(int(i))
				if a.to == j || b.to == i || a.to == b.to || unlike {
					continue
				}
				more := add(i, a.to, -a.rate) + add(j, b.to, -b.rate) + add(i, b.to, a.rate) + add(j, a.to,
					b.rate)
				if more < -1e-6*a.rate*a.rate {
					a.to, b.to = b.to, a.to
					swapped = true
					continue
				}
				add(i, a.to, a.rate)
				add(j, b.to, b.rate)
				add(i, b.to, -a.rate)
				add(j, a.to, -b.rate)
			}
		}
		if !swapped {
			return
		}
	}
}

// mixed draws the receiver of each of a number of messages: a leaf by the rates, a host there by
// what it receives.
func (x *foreignMatrix) mixed(random *rand.Rand, messages int) [][]flow {
	n := len(x.leaves)
	flows := make([][]flow, len(x.hosts))
	weights := make([]float64, len(x.hosts)) // sum of the shares of hosts up to each
	in := x.byLeaf(x.receives)
	for i := range x.hosts {
		sum := 0.0
		for j, b := range x.leafOf {
			if i != j && in[b] > 0 {
				sum += x.rates[int(x.leafOf[i])*n+int(b)] * x.receives[j] / in[b]
			}
			weights[j] = sum
		}
		if sum == 0 || x.sends[i] == 0 {
			continue
		}
		for range messages {
			// drawn is above 0 so that the host found has a share
			drawn := max(math.SmallestNonzeroFloat64, random.Float64()*sum)
			at, _ := slices.BinarySearch(weights, drawn)
			flows[i] = append(flows[i], flow{int32(at), x.sends[i] / float64(messages)})
		}
	}
	return flows
}

// program is what the hosts do, over and over. A host sends messages of `bytes` in turn over its
// flows by their rates. After each it rests, so that it rests the share rest[i] of the time: that
// in which it was neither sending nor waiting for credits.
func (x *foreignMatrix) program(flows [][]flow, rest []float64, messages int, bytes int64,
	random *rand.Rand) *workload.Program {
	p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
	for i := range x.hosts {
		first, end := x.machine.Out(x.hosts[i])
		rate := 0.0
		for l := first; l < end; l++ {
			rate += x.machine.Links[l].BytesPerSecond
		}
		pause := 0.0 // bytes that the host's link could send meanwhile
		if busy := x.sends[i] / rate; busy > 0 && rest[i] > leastRest {
			pause = float64(bytes) * rest[i] / busy
		}
		for _, to := range inTurn(flows[i], messages, random) {
			p.Ops = append(p.Ops, workload.Op{Kind: workload.Send, Peer: to, Bytes: bytes})
			if pause > 0 {
				p.Ops = append(p.Ops, workload.Op{Kind: workload.Idle,
					Bytes: int64(pause * random.ExpFloat64())})
			}
		}
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p
}

// inTurn is the receivers of a number of messages. Each flow comes as often as its rate says.
func inTurn(flows []flow, messages int, random *rand.Rand) []int32 {
	if len(flows) == 0 {
		return nil
	}
	sum := 0.0
	for _, f := range flows {
		sum += f.rate
	}
	due := make([]float64, len(flows))
	for k := range due {
		due[k] = random.Float64() * flows[k].rate / sum
	}
	list := make([]int32, messages)
	for i := range list {
		best := 0
		for k, f := range flows {
			if due[k] += f.rate / sum; due[k] > due[best] {
				best = k
			}
		}
		due[best]--
		list[i] = flows[best].to
	}
	return list
}

// rest is the share of the time in which every host has nothing to send: it neither sends nor waits
// for credits.
func (x *foreignMatrix) rest(m *MeasuredNetwork) []float64 {
	list := make([]float64, len(x.hosts))
	for i, h := range x.hosts {
		first, end := x.machine.Out(h)
		for l := first; l < end; l++ {
			list[i] += max(0, 1-m.Carried[l]-m.Congested[l]) / float64(end-first)
		}
	}
	return list
}

package benchmarks

import (
	"math"
	"testing"

	"remap/sampling"
)

// wanted is the root mean square of the relative error of W over the busiest links
// that packets are counted for.
const wanted = 0.1

// checkpoints are shares of the predicted number of packets at which runs are looked
// at; at the one of 1 fractions are, too.
var checkpoints = []float64{0.6, 0.8, 1, 1.25}

const checkFractions = 2

// reached is how many packets in all the wanted error takes.
type reached struct {
	packets   sure    // measured
	predicted float64 // infinite: no number does; 1 at least
	// root mean square error of F with the predicted number of packets; 0: not known, links have too few
	// packets by then
	rootF, predictedF float64
}

// predictedReach is the packets in all after which the formulas leave the wanted
// error: squares of errors fall as 1/packets (sampling.Times), but for a bias.
func (x *measured) predictedReach() float64 {
	bias := meanOver(
		x.busiest,
		func(l int32) float64 { return (x.formula[l].w/x.n[l] - 1) * (x.formula[l].w/x.n[l] - 1) },
	)
	if bias >= wanted*wanted {
		return math.Inf(1)
	}
	times := meanOver(x.busiest, func(l int32) float64 {
		return sampling.Times(math.Sqrt(x.formula[l].varW), x.n[l], math.Sqrt(wanted*wanted-bias))
	})
	return math.Ceil(max(1, times*float64(x.packets())))
}

// reach plays packets drawn from the traffic with replacement, so many in all runs
// together, but at least four runs.
func (x *measured) reach(t testing.TB, packets float64) reached {
	r := reached{predicted: x.predictedReach()}
	if math.IsInf(r.predicted, 1) || r.predicted == 1 {
		r.packets.mean = r.predicted
		return r
	}
	last := checkpoints[len(checkpoints)-1] * r.predicted
	runs := int(min(400, max(4, packets/last)))
	squares, fractions := make([][]float64, runs), make([]float64, runs)
	inParallel(chunks, func(chunk int) {
		p := newPlayer(t, x.met, x.row)
		for run := chunk * runs / chunks; run < (chunk+1)*runs/chunks; run++ {
			squares[run], fractions[run] = p.grow(runSeed(run+1e6), r.predicted)
		}
	})
	r.packets = crossing(squares, r.predicted)
	share := r.predicted / float64(x.packets())
	if least := meanOver(x.busiest, func(l int32) float64 { return x.n[l] * share }); least >= 20 {
		sum := 0.
		for _, f := range fractions {
			sum += f
		}
		r.rootF = math.Sqrt(sum / float64(runs))
		r.predictedF = math.Sqrt(meanOver(x.busiest, func(l int32) float64 {
			mean, deviation := x.formula[l].scaled(share).fraction()
			_, square := clipped(mean, deviation, x.m[l]/x.n[l])
			return square
		}))
	}
	return r
}

// scaled are the formulas of as many times as many packets.
func (f formula) scaled(by float64) formula {
	return formula{f.w * by, f.c * by, f.varW * by, f.varC * by, f.cov * by}
}

// grow is one run: mean squares over the busiest links of the relative error of W
// at each checkpoint, and of the error of F at one.
func (p *player) grow(seed uint64, predicted float64) (squares []float64, fraction float64) {
	p.begin(seed)
	draw := sampling.NewRandom(seed + 1)
	n, m := make([]float64, len(p.n)), make([]float64, len(p.n))
	sent := 0.
	for i, share := range checkpoints {
		for ; sent < share*predicted; sent++ {
			packet := int32(uint64(draw.Uint32()) * uint64(p.packets()) >> 32)
			p.cross(&p.arriving, packet)
			p.receiver.Receive(p.table, &p.arriving)
			links, congested := p.hops(packet)
			for k, link := range links {
				n[link]++
				if congested[k] {
					m[link]++
				}
			}
		}
		p.receiver.Flush()
		squares = append(squares, meanOver(p.busiest, func(l int32) float64 {
			e := (p.table.Links[l].Packets - n[l]) / (p.n[l] * sent / float64(p.packets()))
			return e * e
		}))
		if i == checkFractions {
			fraction = meanOver(p.busiest, func(l int32) float64 {
				e := p.table.Fraction(l).Value - m[l]/max(1, n[l])
				return e * e
			})
		}
	}
	return squares, fraction
}

// crossing is where the line through the logarithms of mean squares at the
// checkpoints meets the wanted one; its standard error is that of leaving out one
// run at a time.
func crossing(squares [][]float64, predicted float64) sure {
	runs := len(squares)
	sum := make([]float64, len(checkpoints))
	for _, run := range squares {
		for i, s := range run {
			sum[i] += s
		}
	}
	at := func(without []float64, count int) float64 {
		var x, y, xx, xy float64
		for i, share := range checkpoints {
			s := sum[i]
			if without != nil {
				s -= without[i]
			}
			a, b := math.Log(share), math.Log(s/float64(count))
			x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
		}
		k := float64(len(checkpoints))
		slope := (k*xy - x*y) / (k*xx - x*x)
		return predicted * math.Exp((2*math.Log(wanted)-(y-slope*x)/k)/slope)
	}
	mean, square := at(nil, runs), 0.
	for _, run := range squares {
		d := at(run, runs-1) - mean
		square += d * d
	}
	return sure{mean, math.Sqrt(square * float64(runs-1) / float64(runs))}
}

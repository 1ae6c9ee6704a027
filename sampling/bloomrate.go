package sampling

import "math"

// occupancy is the distribution of the number of bits set in a filter after some
// hash functions' positions, uniform and independent, were set.
type occupancy struct {
	chance    []float64 // length bits+1, by number of bits set
	low, high int       // others than these and those between are negligible
}

func newOccupancy(size int) *occupancy {
	o := &occupancy{chance: make([]float64, size+1)}
	o.chance[0] = 1
	return o
}

// set sets as many more positions.
func (o *occupancy) set(positions int) {
	const negligible = 1e-30
	size := len(o.chance) - 1
	share := 1 / float64(size)
	for range positions {
		if o.high < size {
			o.high++
		}
		for j := o.high; j > o.low; j-- {
			o.chance[j] = o.chance[j]*float64(j)*share + o.chance[j-1]*float64(size-j+1)*share
		}
		o.chance[o.low] *= float64(o.low) * share
		for ; o.chance[o.low] < negligible; o.low++ {
			o.chance[o.low] = 0
		}
		for ; o.chance[o.high] < negligible; o.high-- {
			o.chance[o.high] = 0
		}
	}
}

// notFull is the probability that some bit is not set, exactly 1 where all cannot be.
func (o *occupancy) notFull() float64 {
	size := len(o.chance) - 1
	if full := o.chance[size]; full < 0.5 {
		return 1 - full
	}
	sum := 0.
	for _, p := range o.chance[:size] {
		sum += p
	}
	return sum
}

// falsePositive is the probability that all positions of another element are set.
func (o *occupancy) falsePositive(hashes int) float64 {
	sum, size := 0., float64(len(o.chance)-1)
	for j := o.low; j <= o.high; j++ {
		sum += o.chance[j] * math.Pow(float64(j)/size, float64(hashes))
	}
	return sum
}

// bloomWeights are 1/P(not full) of filters by the number of links in them,
// length 256; 0 where that is above 256, about what a link counts with one
// reservoir at most: then hardly a packet would speak for all.
func bloomWeights(size, hashes int) []float64 {
	weights := make([]float64, 256)
	weights[0] = 1
	o := newOccupancy(size)
	for links := 1; links < len(weights); links++ {
		o.set(hashes)
		open := o.notFull()
		if open < 1./bloomMaxWeight {
			break
		}
		weights[links] = 1 / open
	}
	return weights
}

// FalsePositives are probabilities that an element that was not stored seems to be.
type FalsePositives struct {
	// Hashes: hash functions of the Bloom filter.
	Hashes int
	// Bloom: of the filter, exactly for ideal hash functions.
	Bloom float64
	// Thesis: (1 - exp(-hashes x elements / bits))^hashes, the usual approximation.
	Thesis float64
	// Measured: in 2^18 tests of MurmurHash3: 64 other elements for each of 4096 filters.
	Measured float64
	// Hash: of hashes stored one after the other in as many bits: 1 - (1 -
	// 2^(-bits/elements))^elements
	Hash float64
}

// FalsePositiveRates compares a Bloom filter that holds some elements with the
// explicit storage of their hashes in as many bits, which has to know how many
// there will be. For one element the filter is never better (Taffet 2018, section
// 5.8), whatever its hash functions and beyond the approximation used there: of
// 2^bits states, two elements have the same with probability 2^-bits at least.
func FalsePositiveRates(bits, elements int) FalsePositives {
	b := NewBloomFilter(bits)
	rates := falsePositiveRates(bits, elements, b.Hashes())
	filter, found := make([]uint64, (bits+63)/64), 0
	for id := range uint32(trialFilters) {
		clear(filter)
		for link := range int32(elements) {
			b.Add(filter, id, link)
		}
		for link := int32(elements); link < int32(elements+trialLinks); link++ {
			if b.Has(filter, id, link) {
				found++
			}
		}
	}
	rates.Measured = float64(found) / (trialFilters * trialLinks)
	return rates
}

// falsePositiveRates is all but what is measured, for any number of hash functions.
func falsePositiveRates(bits, elements, hashes int) FalsePositives {
	o := newOccupancy(bits)
	o.set(elements * hashes)
	size, n, k := float64(bits), float64(elements), float64(hashes)
	return FalsePositives{
		Hashes: hashes,
		Bloom:  o.falsePositive(hashes),
		Thesis: math.Pow(1-math.Exp(-k*n/size), k),
		Hash:   -math.Expm1(n * math.Log1p(-math.Exp2(-size/n))),
	}
}

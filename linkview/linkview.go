// Package linkview holds what somebody has seen of every link of a network: a job by the samples of its
// own packets, or an administrator by counters. Diagnosis, pictures and reports read it, whatever the
// source is.
package linkview

import (
	"math"

	"remap/counters"
	"remap/evalsim"
	"remap/sampling"
	"remap/topology"
)

// View is what was seen of every link in some time.
type View struct {
	// Links: length links of the topology.
	Links []Link
	// Seconds is the time that was watched, of all repeats together; NaN = not known.
	Seconds float64
}

// Link is what was seen of a directed link. NaN is a value that nobody knows.
type Link struct {
	// Bytes that crossed the link, and Packets; estimates of a job's own from samples, which may be
	// below 0 under hashes and filters.
	Bytes, Packets float64
	// Low is the lower end of the 95 % interval of Packets; NaN where packets are not counted.
	Low float64
	// Congested is the fraction of packets that found the port congested, with its 95 % interval; of
	// port counters the share of time in which the port had data and could send none. NaN on links that
	// leave hosts, whose ports do not sample.
	Congested sampling.Estimate
	// Sampled: the packets are significantly more than none.
	Sampled bool
}

// unknown is a value that nobody knows.
var unknown = math.NaN()

// notSeen is a congested fraction that nobody knows.
var notSeen = sampling.Estimate{Value: unknown, Low: unknown, High: unknown}

// BytesPerSecond is the mean rate at which the view saw bytes cross a link, at least 0; NaN = not known.
func (v *View) BytesPerSecond(link int32) float64 {
	return math.Max(0, v.Links[link].Bytes) / v.Seconds
}

// Use is BytesPerSecond as a share of the link's rate.
func (v *View) Use(t *topology.Topology, link int32) float64 {
	return v.BytesPerSecond(link) / t.Links[link].BytesPerSecond
}

// FromSamples is the view of the receivers of some packets: tables of one job, or of all jobs for an
// administrator, which are summed. packetBytes is the mean size of a packet, seconds the time of all
// tables together. On links that leave hosts nothing is known. Nil tables are passed over.
func FromSamples(t *topology.Topology, tables []*sampling.Table, packetBytes, seconds float64) *View {
	v := &View{Links: make([]Link, len(t.Links)), Seconds: seconds}
	var sum *sampling.Table
	for _, table := range tables {
		if table == nil {
			continue
		}
		if sum == nil {
			sum = sampling.NewTable(table.Variant, len(t.Links))
		}
		sum.Merge(table)
	}
	for i := range v.Links {
		l := &v.Links[i]
		if sum == nil || t.IsHost(t.Links[i].From) {
			*l = Link{Bytes: unknown, Packets: unknown, Low: unknown, Congested: notSeen}
			continue
		}
		packets := sum.PacketsEstimate(int32(i))
		*l = Link{Bytes: packets.Value * packetBytes, Packets: packets.Value, Low: packets.Low,
			Congested: sum.Fraction(int32(i)), Sampled: packets.Low > 0}
	}
	return v
}

// FromCounts is the view of exact counts of a simulation, summed over repeats: counts has the links of
// every repeat (evalsim.Result.Links, or one slice of each), seconds is the time of all together.
func FromCounts(t *topology.Topology, counts [][]evalsim.LinkStats, seconds float64) *View {
	v := &View{Links: make([]Link, len(t.Links)), Seconds: seconds}
	for i := range v.Links {
		l, congested := &v.Links[i], 0.0
		for _, links := range counts {
			l.Bytes += float64(links[i].Bytes)
			l.Packets += float64(links[i].Packets)
			congested += float64(links[i].Congested)
		}
		l.Low, l.Sampled = l.Packets, l.Packets > 0
		l.Congested = notSeen
		if !t.IsHost(t.Links[i].From) {
			share := 0.0
			if l.Packets > 0 {
				share = min(1, congested/l.Packets) // a packet may have joined the queue and not been sent
			}
			l.Congested = sampling.Estimate{Value: share, Low: share, High: share}
		}
	}
	return v
}

// FromCounters is the view of a site's port counters: rates are those of one second.
func FromCounters(t *topology.Topology, c *counters.Links) *View {
	v := &View{Links: make([]Link, len(t.Links)), Seconds: 1}
	for i := range v.Links {
		v.Links[i] = Link{Bytes: unknown, Packets: unknown, Low: unknown, Congested: notSeen}
		if !c.Known[i] {
			continue
		}
		share := c.Congested[i]
		v.Links[i] = Link{Bytes: c.Rate[i], Packets: unknown, Low: unknown, Sampled: c.Rate[i] > 0,
			Congested: sampling.Estimate{Value: share, Low: share, High: share}}
	}
	return v
}

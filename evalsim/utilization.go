package evalsim

import "remap/topology"

// Utilization is how busy links were: the fraction of the makespan in which a
// link was sending, averaged over the repeats; then the mean and the maximum
// over the links of a kind that carried a packet in any repeat. Links that
// carried none are in the counts alone: mean x used / links is the mean of all.
type Utilization struct {
	// InjectionMean: from hosts: of the NICs, sending.
	InjectionMean float64 `json:"injection_mean"`
	InjectionMax  float64 `json:"injection_max"`
	// InjectionUsed: links that carried a packet.
	InjectionUsed  int `json:"injection_used"`
	InjectionLinks int `json:"injection_links"`
	// EjectionMean: to hosts: of the NICs, receiving.
	EjectionMean  float64 `json:"ejection_mean"`
	EjectionMax   float64 `json:"ejection_max"`
	EjectionUsed  int     `json:"ejection_used"`
	EjectionLinks int     `json:"ejection_links"`
	// SwitchMean: between switches.
	SwitchMean  float64 `json:"switch_mean"`
	SwitchMax   float64 `json:"switch_max"`
	SwitchUsed  int     `json:"switch_used"`
	SwitchLinks int     `json:"switch_links"`
}

// Utilize reduces repeats on a topology.
func Utilize(t *topology.Topology, results []*Result) Utilization {
	var u Utilization
	for i := range t.Links {
		busy, used := 0.0, false
		for _, r := range results {
			busy += r.Links[i].Busy / float64(len(results))
			used = used || r.Links[i].Packets > 0
		}
		mean, most, count, links := &u.SwitchMean, &u.SwitchMax, &u.SwitchUsed, &u.SwitchLinks
		if t.IsHost(t.Links[i].From) {
			mean, most, count, links = &u.InjectionMean, &u.InjectionMax, &u.InjectionUsed, &u.InjectionLinks
		} else if t.IsHost(t.Links[i].To) {
			mean, most, count, links = &u.EjectionMean, &u.EjectionMax, &u.EjectionUsed, &u.EjectionLinks
		}
		*links++
		if used {
			*count++
			*most = max(*most, busy)
			*mean += (busy - *mean) / float64(*count)
		}
	}
	return u
}

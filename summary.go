package remap

import (
	"remap/topology"
)

// Names of whose measurements are read.
const (
	AdministratorView = "administrator" // counts of all packets at ports
	JobView           = "job"           // what the job's own packets told
)

// MeasurementSummary says what a measurement has told, and what was made of it.
type MeasurementSummary struct {
	// View is AdministratorView or JobView.
	View string `json:"view"`
	// Links are those of the network; Known have a rate, or were crossed by the job's packets.
	Links int `json:"links"`
	Known int `json:"known"`
	// FarEnd links are known by the counters of their far end.
	FarEnd int `json:"far_end"`
	// Alike links are taken to be as others of their kind, Idle ones as free.
	Alike int `json:"alike"`
	Idle  int `json:"idle"`
	// Missing to Strange count ports and files that told nothing, or not all.
	Missing   int `json:"missing_ports"`
	Empty     int `json:"empty_files"`
	Saturated int `json:"saturated"`
	Reset     int `json:"reset"`
	Clamped   int `json:"clamped"`
	Strange   int `json:"not_in_network"`
	// PerSecond is how often a second the job sent its traffic; 0 = not known.
	PerSecond float64 `json:"own_traffic_per_second"`
	// Busiest is the link that others use most; nil = none.
	Busiest *LinkUse `json:"busiest,omitempty"`
	// Others is nil where slowed links stand for others.
	Others *OthersSummary `json:"others,omitempty"`
	// Windows: intervals between more than two snapshots, or of several tables; 0 = there is one.
	Windows int `json:"windows,omitempty"`
}

// OthersSummary is the traffic that stands for others, and how far what it does beside the
// mapping that ran is from what was measured.
type OthersSummary struct {
	// Traffic is what the traffic is made of, Hosts how many hosts send it.
	Traffic string `json:"traffic"`
	Hosts   int    `json:"hosts"`
	// Bytes is how far bytes on links between switches are off, of 1; Waits the same of waits, of
	// the time in which these links send.
	Bytes float64 `json:"bytes_off"`
	Waits float64 `json:"waits_off"`
	// Time is the job's simulated time over the measured one; 0 = not known.
	Time float64 `json:"job_time"`
	// Windows: intervals that repeats take in turn; 0 = all are beside the mean of the whole time.
	Windows int `json:"windows,omitempty"`
}

// LinkUse is a link and the share of its rate that others use.
type LinkUse struct {
	From    string  `json:"from"`
	Port    int32   `json:"port"`
	To      string  `json:"to"`
	Foreign float64 `json:"foreign"`
}

// Summary is nil without a measurement.
func (x *Measurement) Summary(machine *topology.Topology) *MeasurementSummary {
	if x == nil {
		return nil
	}
	s := &MeasurementSummary{View: JobView, Links: len(machine.Links), Alike: x.Alike, Idle: x.Idle,
		PerSecond: x.Factor, Windows: len(x.Windows)}
	if x.Samples != nil {
		s.Known = x.Samples.Links
	} else {
		c := &x.Links.Count
		s.View, s.Known, s.FarEnd, s.Missing, s.Empty = AdministratorView, c.Measured, c.FarEnd, c.Missing, c.Dead
		s.Saturated, s.Reset, s.Clamped, s.Strange = c.Saturated, c.Reset, c.Clamped, c.Strange
	}
	if l := x.Busiest(); l >= 0 {
		link := &machine.Links[l]
		s.Busiest = &LinkUse{machine.NodeName(link.From), link.FromPort, machine.NodeName(link.To), x.Foreign[l]}
	}
	if o := x.Others; o != nil {
		s.Others = &OthersSummary{o.Name, o.Hosts, o.Bytes, o.Stall, o.Time, o.Windows}
	}
	return s
}

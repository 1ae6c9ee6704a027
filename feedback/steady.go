package feedback

import "remap/evalsim"

// In steady state the search simulates a mapping in fewer steps and with fewer seeds than
// the final validation: the result of a seed is a mean over steps already.
const (
	searchSteps   = 3
	searchRepeats = 2
)

// SearchOptions are those of the search, where the final validation has the options given.
func SearchOptions(o evalsim.Options) evalsim.Options {
	if o.Steps == 0 {
		o.SteadySteps = searchSteps
	}
	return o
}

// JudgeBy sets who judges, and in steady state Repeats: judge makes simulations with some
// options. Those of the final validation have the options given, those of the search in
// steady state fewer steps, and the finer look takes a port for congested where a packet
// waits behind more than one other.
func (s *Settings) JudgeBy(o evalsim.Options, judge func(evalsim.Options) Evaluate) {
	if s.Validate = judge(o); o.Steps == 0 {
		s.Repeats = searchRepeats
	}
	o = SearchOptions(o)
	s.Evaluate = judge(o)
	o.Congestion = SampledCongestion(o.PacketBytes)
	s.Sensitive = judge(o)
}

// ReadSamples has the search see of links what the samples of the job's own packets tell. It
// follows JudgeBy, whose options have Sampling; apart makes simulations of the job with the
// network to itself. A job that is alone keeps the search's definition of congested, since all
// congestion is its own; others are told by the finer one, unless the definition is kept.
func (s *Settings) ReadSamples(o evalsim.Options, judge, apart func(evalsim.Options) Evaluate, keep bool) {
	s.View = SampledView(float64(o.PacketBytes))
	if s.Alone {
		return
	}
	o = SearchOptions(o)
	if !keep {
		o.Congestion = SampledCongestion(o.PacketBytes)
	}
	s.Evaluate, s.Sensitive, s.Fine = judge(o), nil, true
	s.Apart = apart(o)
}

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

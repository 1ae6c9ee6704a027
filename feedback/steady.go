package feedback

import "remap/evalsim"

// SearchOptions are those of the search, for the given options of the final validation.
func SearchOptions(o evalsim.Options) evalsim.Options {
	if o.Steps == 0 {
		o.SteadySteps = searchSteps
	}
	return o
}

// SimulateBy sets how mappings are evaluated, and in steady state Repeats. simulate makes an Evaluate
// with some options. The final validation has the options given. The search has fewer steps in
// steady state. In the closer look a port is congested where a packet waits behind more than one
// other.
func (s *Settings) SimulateBy(o evalsim.Options, simulate func(evalsim.Options) Evaluate) {
	if s.Validate = simulate(o); o.Steps == 0 {
		s.Repeats = searchRepeats
	}
	o = SearchOptions(o)
	s.Evaluate = simulate(o)
	o.Congestion = SampledCongestion(o.PacketBytes)
	s.EvaluateFiner = simulate(o)
}

// ReadSamples makes the search read links by the samples of the job's own packets. Call it after
// JudgeBy, with options that have Sampling. alone makes simulations of the job with the network to
// itself. A job that is alone keeps the search's definition of congested, since all congestion is
// its own. Beside others the finer definition is used, unless keep is true.
func (s *Settings) ReadSamples(o evalsim.Options, simulate, alone func(evalsim.Options) Evaluate, keep bool) {
	s.View = SampledView(float64(o.PacketBytes))
	if s.Alone {
		return
	}
	o = SearchOptions(o)
	if !keep {
		o.Congestion = SampledCongestion(o.PacketBytes)
	}
	s.Evaluate, s.EvaluateFiner, s.FinerInSearch = simulate(o), nil, true
	s.EvaluateAlone = alone(o)
}

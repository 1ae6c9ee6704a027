package job

import (
	"strings"
	"time"

	"remap/evalsim"
	"remap/internal/nearest"
	"remap/sampling"
)

// Options are the simulator's options; errors name the option that is wrong.
func (s *SimulatorOptions) Options() (evalsim.Options, error) {
	o := evalsim.DefaultOptions()
	o.PacketBytes, o.BufferBytes = s.PacketBytes, s.BufferBytes
	o.SwitchLatency = time.Duration(s.SwitchNS)
	o.Steps, o.Seed = s.Steps, s.Seed
	o.EagerBytes, o.MaxInFlight = s.EagerBytes, s.InFlight
	o.ComputeNoise, o.StartJitter = s.ComputeNoise, time.Duration(s.StartJitterNS)
	o.MemoryBytesPerSecond = s.MemoryGbps * 1e9 / 8
	var err error
	if o.Sampling, err = s.variant(); err != nil {
		return o, err
	}
	if s.Switching != "" {
		if o.Switching, err = evalsim.ParseSwitching(s.Switching); err != nil {
			return o, InOption("switching", err)
		}
	}
	if s.Credits != "" {
		if o.Credits, err = evalsim.ParseCredits(s.Credits); err != nil {
			return o, InOption("credits", err)
		}
	}
	if s.Routing != "" {
		if o.Routing, err = evalsim.ParseRouting(s.Routing); err != nil {
			return o, InOption("routing", err)
		}
	}
	if o.Congestion, err = s.congestionRule(); err != nil {
		return o, err
	}
	if err := o.Validate(); err != nil {
		return o, Usage("the defaults are --packet-bytes 4096 --buffer-bytes 65536 --switch-ns 100",
			"simulation: %w", err)
	}
	return o, nil
}

// variant is what packets carry; off where nothing is said.
func (s *SimulatorOptions) variant() (sampling.Variant, error) {
	if s.Sampling == "" {
		return sampling.Variant{}, nil
	}
	v, err := sampling.ParseVariant(s.Sampling)
	if err != nil {
		hint := "for example --sampling one-reservoir,counter=4; docs/sampling.md tells what packets carry"
		name, _, _ := strings.Cut(s.Sampling, ",")
		kinds := []string{"off", "full", "one-bit", "one-reservoir"}
		if near := nearest.Name(strings.ToLower(name), kinds); near != "" && near != name {
			hint = "did you mean " + near + "?"
		}
		return v, Usage(hint, "--sampling: %w", err)
	}
	if !v.Simple() {
		return v, Usage("counter=BITS in place of drawn=HOPS gives the same samples",
			"--sampling: %v: draws in the header are not simulated", v)
	}
	return v, nil
}

// congestionRule is when a port counts as congested.
func (s *SimulatorOptions) congestionRule() (evalsim.Congestion, error) {
	if s.Congestion == "" {
		return evalsim.Congestion{}, nil
	}
	usual := evalsim.Congestion{}.String()
	if _, err := evalsim.ParseCongestion(usual, s.CongestionAt); err != nil {
		return evalsim.Congestion{}, InOption("congestion-at", err)
	}
	c, err := evalsim.ParseCongestion(s.Congestion, s.CongestionAt)
	if err != nil {
		return c, Usage("for example queue-above:16384, bytes waiting at the port; the default is "+usual,
			"--congestion: %w", err)
	}
	return c, nil
}

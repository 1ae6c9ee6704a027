package main

import (
	"fmt"
	"strings"
	"time"
)

// stopwatch notes how long the stages of a command took. What it says appears
// under `timing` only, and only with --timing: everything else is the same
// bytes for the same command.
type stopwatch struct {
	last   time.Time
	stages []string
	took   []float64
}

func (s *stopwatch) start() { s.last = time.Now() }

// lap ends a stage.
func (s *stopwatch) lap(stage string) {
	now := time.Now()
	s.stages = append(s.stages, stage)
	s.took = append(s.took, now.Sub(s.last).Seconds())
	s.last = now
}

// timing is the JSON object, nil without --timing.
func (p *program) timingFields() map[string]float64 {
	if !p.timing {
		return nil
	}
	fields := map[string]float64{}
	for i, stage := range p.clock.stages {
		fields[stage+"_seconds"] += p.clock.took[i]
	}
	return fields
}

// sayTiming prints the stages on stderr with --timing.
func (p *program) sayTiming() {
	if !p.timing {
		return
	}
	var parts []string
	for i, stage := range p.clock.stages {
		parts = append(parts, fmt.Sprintf("%s %.3f s", stage, p.clock.took[i]))
	}
	p.say("timing: %s", strings.Join(parts, ", "))
}

package main

import (
	"context"
	"math"

	"remap"
	"remap/diagnosis"
	"remap/evalsim"
	"remap/mapping"
)

const diagnoseExamples = `
  remap diagnose --topology fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=4,cores=0 \
      --pattern stencil2d:8x8 --strategy random
  remap diagnose --scenario pf3d-small --strategy identity --by-phase --json
`

// diagnoseResult is the JSON of diagnose.
type diagnoseResult struct {
	Strategy string          `json:"strategy"`
	Cause    diagnosis.Cause `json:"cause"`
	// Shares divide the time lost over causes, as logarithms of factors.
	Shares map[diagnosis.Cause]float64 `json:"shares"`
	// Slowdown is by how much each cause makes the job slower; missing where the time is not known.
	Slowdown map[diagnosis.Cause]float64 `json:"slowdown,omitempty"`
	// Needs are shares of the time that the job's own bytes need at full rate.
	Needs         needsJSON      `json:"needs"`
	HotLinks      int            `json:"hot_links"`
	Roots         []rootJSON     `json:"roots"`
	Evidence      []string       `json:"evidence"`
	Next          string         `json:"next"`
	Parts         []diagnosePart `json:"parts,omitempty"`
	View          string         `json:"view"`
	ElapsedNS     int64          `json:"elapsed_ns,omitempty"`
	MeasuredSteps float64        `json:"steps_per_second,omitempty"`

	sentence string
}

type needsJSON struct {
	Injection float64 `json:"injection"`
	Ejection  float64 `json:"ejection"`
	Interior  float64 `json:"interior"`
	Least     float64 `json:"interior_best"`
}

// rootJSON is the root of a congestion tree.
type rootJSON struct {
	Link      int32           `json:"link"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Congested float64         `json:"congested_fraction"`
	Own       *float64        `json:"own_gbps"`
	All       *float64        `json:"all_gbps,omitempty"`
	Gbps      float64         `json:"gbps"`
	Waits     float64         `json:"waits"`
	Cause     diagnosis.Cause `json:"cause"`
}

// diagnosePart is the verdict of a slice, phase, tag or call site.
type diagnosePart struct {
	Name     string                      `json:"name"`
	Cause    diagnosis.Cause             `json:"cause"`
	Shares   map[diagnosis.Cause]float64 `json:"shares"`
	HotLinks int                         `json:"hot_links"`
	Roots    []rootJSON                  `json:"roots"`
}

func (p *program) diagnose(ctx context.Context) error {
	format, err := p.reportFormat()
	if err != nil {
		return err
	}
	if err := p.checkDiagnose(); err != nil {
		return err
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	name, j, m, err := p.mappingToDiagnose(ctx)
	if err != nil {
		return err
	}
	d, err := p.diagnosed(ctx, j, m)
	if err != nil {
		return err
	}
	r := p.diagnoseResult(name, j, d)
	if err := p.writeReport(out, format, r.report()); err != nil {
		return err
	}
	if r.Cause != diagnosis.None {
		return answerNo{fail(r.Next, "%s", r.sentence)}
	}
	return nil
}

// checkDiagnose tests options that no table has.
func (p *program) checkDiagnose() error {
	measured := len(p.measuredFiles.Value()) > 0
	switch {
	case p.view != remap.JobView && p.view != remap.AdministratorView:
		return usage("views: job, administrator", "--view: unknown view %q", p.view)
	case p.Sampling == "off":
		return usage("--measured FILE diagnoses a network by its counters",
			"--sampling off: a diagnosis of a simulation is made from samples")
	case measured && p.measuredView == remap.JobView:
		return usage("port counters, which tell the time of the measurement",
			"--measured-view job: the est_ columns do not say how long they were collected")
	case measured && (p.strategy != "" || p.slices > 0 || p.categories()):
		return usage("--mapping FILE says which mapping ran while the network was measured",
			"--strategy, --slices and --by-... are of simulations, and --measured was not simulated")
	case !measured && (p.mapping == "") == (p.strategy == ""):
		return usage("--mapping FILE for a mapping of yours, --strategy NAME to make one",
			"exactly one of --mapping and --strategy is needed")
	}
	return nil
}

// mappingToDiagnose is the mapping to simulate, or the one that ran while the network was measured.
func (p *program) mappingToDiagnose(ctx context.Context) (string, *remap.Environment, mapping.Mapping,
	error) {
	if p.mapping != "" || p.strategy != "" {
		return p.mappingToSimulate(ctx)
	}
	j, err := p.loadSimulated()
	if err != nil {
		return "", nil, nil, err
	}
	return j.StartName(), j, j.Start(), nil
}

func (p *program) diagnosed(ctx context.Context, j *remap.Environment,
	m mapping.Mapping) (*remap.Diagnosis, error) {
	if len(p.measuredFiles.Value()) > 0 {
		j.Previous = m
		if err := p.openMeasured(ctx, j, j.Simulation); err != nil {
			return nil, err
		}
		return j.DiagnoseMeasured(ctx)
	}
	o := remap.DiagnoseOptions{Simulation: j.Simulation.Sampled(), Repeats: p.repeats, Slices: p.slices,
		Administrator: p.view == remap.AdministratorView}
	s := &o.Simulation
	s.ByPhase, s.ByTag, s.ByCallSite = p.byPhase, p.byTag, p.byCallSite
	if err := j.CheckMemory(j.Jobs(m), *s, p.slices, p.repeats); err != nil {
		return nil, err
	}
	meter := p.newMeter("simulating", p.repeats)
	defer meter.stop()
	o.Step = meter.step
	return j.Diagnose(ctx, m, o)
}

// diagnoseResult is a diagnosis with names.
func (p *program) diagnoseResult(name string, j *remap.Environment, d *remap.Diagnosis) *diagnoseResult {
	b := &d.Bounds
	r := &diagnoseResult{Strategy: name, Cause: d.Cause, Shares: d.Shares, HotLinks: d.Hot,
		Needs: needsJSON{b.Injection, b.Ejection, b.Interior, b.Least}, Roots: rootsJSON(j, d.Roots),
		Evidence: d.Evidence(d.Input), View: p.view}
	if b.Injection > 0 {
		r.Slowdown = d.Factors
	}
	if d.Results != nil {
		r.ElapsedNS = evalsim.Summarize(evalsim.FirstJob(d.Results)).ElapsedNS
	} else {
		r.View, r.MeasuredSteps = remap.AdministratorView, j.Measured.Factor
	}
	for _, part := range d.Parts {
		v := part.Verdict
		r.Parts = append(r.Parts, diagnosePart{part.Name, v.Cause, v.Shares, v.Hot, rootsJSON(j, v.Roots)})
	}
	r.sentence, r.Next = diagnosisSentence(r), p.next(d)
	return r
}

func rootsJSON(j *remap.Environment, roots []diagnosis.Root) []rootJSON {
	rows := []rootJSON{}
	for _, root := range roots {
		l := &j.Machine.Links[root.Link]
		gbps := func(rate float64) *float64 {
			if math.IsNaN(rate) {
				return nil
			}
			rate *= 8 / 1e9
			return &rate
		}
		rows = append(rows, rootJSON{Link: j.Machine.LinkNumber(root.Link), From: j.Machine.NodeName(l.From),
			To: j.Machine.NodeName(l.To), Congested: root.Congested, Own: gbps(root.Own), All: gbps(root.All),
			Gbps: l.BytesPerSecond * 8 / 1e9, Waits: root.Waits, Cause: root.Cause})
	}
	return rows
}

package feedback

import (
	"remap/evalsim"
	"remap/mapping"
)

// Event tells how far a run is.
type Event struct {
	// Round is 0 for static mappings.
	Round int
	// Simulations is how many mappings were evaluated so far.
	Simulations int
	Strategy    string
	// Elapsed is the time of the mapping evaluated last, in ns.
	Elapsed float64
	// Best is the best time so far, in ns.
	Best float64
}

// Candidate is one mapping and its evaluation.
type Candidate struct {
	// Round is 0 for static mappings.
	Round int
	// Strategy is what made the mapping, in words for users; "start" for the mapping to beat.
	Strategy string
	// Model is the name of the feedback model; empty = none.
	Model string
	// From is the index in Candidates of the mapping whose measurements made it, or that it was
	// refined from; -1 = none.
	From       int
	Mapping    mapping.Mapping
	Evaluation *Evaluation
	Summary    evalsim.Summary
	// Dropped: it lost its race after the first repeats and was evaluated by those alone.
	Dropped bool

	// origin is the index in Candidates of the static mapping it comes from.
	origin int
	// learned is the feedback state that it was made by.
	learned  *feedbackState
	observed *observation
	// finer is its evaluation by the finer definition of congested; nil = there was none.
	finer *savedEvaluation
}

// Result of a run. Best is never slower than Start on the seeds of the final validation.
type Result struct {
	Start, Best Candidate
	// Static is the best before any feedback.
	Static Candidate
	// Restarts is the best of the random restarts; nil without them.
	Restarts *Candidate
	// Feedback is the best of the search; nil without random restarts. It is Best then, unless Best
	// fell back to the baseline.
	Feedback *Candidate
	// Gain is that of Best over Static, on fresh seeds. It is no gain unless Proven.
	Gain Gain
	// ByRestarts is the gain of Restarts over Static: what selection gains.
	ByRestarts Gain
	// OverRestarts is the gain of Feedback over Restarts: what feedback gains beyond selection.
	OverRestarts Gain
	// MoveTable has a row for each of Settings.Limits below Problem.MaxMoves, then one for Best; nil
	// without limits, or where Fresh is not set.
	MoveTable []MoveRow
	// Bound is the largest lower bound of Best that its time does not contradict.
	Bound Bound
	// Rounds are the best new candidates of the rounds that had one, in order.
	Rounds []Candidate
	// Candidates are all, in order, without their evaluations.
	Candidates []Candidate
	// Skipped are the strategies and feedback models that could not be used, and why.
	Skipped []string
	// Simulations is how many mappings the search evaluated, closer looks included, without the
	// final validation.
	Simulations int
	// RestartSimulations is how many mappings the random restarts evaluated beside the static ones. There
	// are fewer than in the search when strategies gave no other mappings or time was up.
	RestartSimulations int
	// Runs is how many simulations that took, one for each repeat.
	Runs int
	// Fresh: Start and Best were evaluated in the final validation, on seeds that the search never
	// used.
	Fresh bool
	// Interrupted: ctx ended before the search did.
	Interrupted bool
	// Stopped is why the search ended.
	Stopped string
}

// SkippedModel begins the entries of Result.Skipped for feedback models.
const SkippedModel = "feedback by "

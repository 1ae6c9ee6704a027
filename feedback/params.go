package feedback

// This file has the constants of the search that were chosen by trial, foreignparams.go
// those of traffic that stands for measured others. "Not ablated" means that no experiment
// of this repository shows what the constant is worth.
//
// "Ablated" means: with the constant changed as stated, remap optimize --control=false was run
// on pf3d-small, spare-small and io-gateway-small with seeds 1 to 3:
//
//	remap optimize --scenario pf3d-small --seed 1 --control=false
//
// The ratio is that of the time of the best mapping, changed over unchanged, as a geometric
// mean over these nine searches, with the least and the largest in brackets. Searches with
// other seeds differ by as much, so a mean within 2 % of 1 shows neither gain nor loss.

// When the search ends because there is nothing to gain. Not ablated.
const (
	// NearBound is how near a time must come to the lower bound of hosts' links, as a
	// factor of it, for the search to end.
	NearBound = 1.05
	// impossible is the factor of a lower bound below which a time shows that the bound
	// is an extrapolation and does not hold.
	impossible = 0.99
	// heavyRank is how many times the bytes of the median rank the busiest rank must
	// send or receive for its bytes to be named as the lower bound. It names the bound
	// and does not change results.
	heavyRank = 2
	// littleCongestion is the share of congested ports below which, even by the finer
	// definition, there is nothing to learn.
	littleCongestion = 0.01
)

// What the feedback state learns, and how fast. The laws of prices and of the correction
// and their constants are those of a study of eight scenarios, in which other constants
// overshot or gained less. The laws are a damped integral of the error, as in traffic
// assignment. What each model gains: make results PAGES=loop-ablation.
//
// The ratios below are those of make ablate (nine jobs, seeds 1001 and 1002), with two standard
// errors:
//
//	make ablate FILE=feedback/params.go FROM='priceRate = 0.4' TO='priceRate = 1.0' SEEDS=2
const (
	// priceRate is the weight of the newest measurement in the price, an exponentially
	// weighted mean. Ablated: 1.0 0.995 +-0.022.
	priceRate = 0.4
	// correctionGain is that of the integral correction of capacities; 1.5 overshoots.
	// Ablated: 0 1.013 +-0.027; 1.15 +-0.04 on degraded-small, 0.94 +-0.07 on pf3d-small.
	correctionGain = 0.7
	// leastCapacity and mostCapacity are the limits of the correction.
	leastCapacity = 0.2
	mostCapacity  = 2
	// leastLeft is the share of a link that is left at least, whatever others do. Ablated:
	// 0.2 1.006 +-0.016.
	leastLeft = 0.02
	// leastFree is the same where a lower bound is estimated.
	leastFree = 0.35
	// leastHottest is the same where few moves are to go to the links that lose most.
	leastHottest = leastFree / 4
	// usualLevel is the level of capacities where a model is applied without one.
	usualLevel = 1.2
)

// MaxFactor is the most by which a pair of ranks can get heavier, so that a few pairs with
// much congestion do not hide all others. Of the model pairs alone, which is no default. Not
// ablated.
const MaxFactor = 16

// The surrogate cost. Where others load few links, those links decide; a high power finds them.
// Another power, 8 with path length to the power 1, brought nothing beside it or in its place (see
// hostDepth).
const surrogatePower, surrogatePath = 32, 0.25

// The levels of slowdown by others at which capacities are applied (applyLinks): 0 stands for no
// slowdown, 1 for that which the base is expected to have; hostDepth for exchanges of hosts,
// rankDepth for exchanges of ranks, restartDepth for the best restart. Ablated by make ablate:
// restartDepth of 1 0.990 +-0.014.
//
// One level of each is enough. Four levels for hosts, three for ranks, two restarts, a second
// surrogate cost and annealing that goes anywhere were deleted together: on seven small scenarios
// and eleven other jobs (trees, tori, dragonflies, HyperX; 54 searches, seeds 11 to 13) the times
// found are 0.998 [0.988, 1.008] of those found with them, for 0.89 of the processor time, by
// remap optimize --control=false of commit 06fa67f and of this code. By job they differ by -5 %
// (torus-scattered) to +5 % (hyperx-shared), on the fourteen seeds of README's job by less than
// 0.3 %.
const hostDepth, rankDepth, restartDepth = 0.3, 0.7, 0.5

// The search and its races.
const (
	// maxAhead is how many mappings are simulated in their first repeats before those
	// submitted earlier are evaluated, so that all cores have work. Results do not depend
	// on it: it is decided in order whether the other repeats follow. A run that is
	// killed simulates these mappings again.
	maxAhead = 4
	// raceMargin is how many times slower than the best a candidate must be in every one
	// of the first repeats to be dropped. Ablated on the first five of these searches: with
	// no race 1.002 [0.965, 1.026].
	raceMargin = 1.05
	// mostAttempts is how many random restarts are tried for each mapping that is wanted,
	// since many give mappings that were seen before. Not ablated.
	mostAttempts = 4
	// searchSteps and searchRepeats are those of the search in steady state, fewer than
	// the final validation has: the result of one seed is a mean over steps already. Not
	// ablated.
	searchSteps   = 3
	searchRepeats = 2
)

// The final validation.
const (
	// confirmRepeat is the number of the first repeat that confirms an early end,
	// secondRepeat that of the choice among finalists, and freshRepeat that of the final
	// validation. They are far apart, and far from the repeats of the search.
	confirmRepeat = 1 << 18
	secondRepeat  = 1 << 19
	freshRepeat   = 1 << 20
	// finalists is the most mappings that a choice is made among. Not ablated.
	finalists = 4
	// firstHalving: the first round of the choice takes the repeats of the final
	// validation divided by this number. With 10 instead of 5, and three times as many
	// more for the best two, the result of minighost-small is 2.8 % slower than the best
	// that was simulated, and optimize of 64 ranks takes a tenth less time.
	firstHalving = 5
	// firstLook is the least number of repeats, or of their turns, that have an interval.
	firstLook = 6
	// fewTold is the number of repeats below which their scatter tells little. A mapping
	// is then clearly better than another that takes fewMargin times as long: times of
	// one repeat of a search in steady state scatter by 1 to 7 % (standard deviation,
	// over ten jobs).
	fewTold   = 3
	fewMargin = 1.1
)

// leastShare is the share of a link's rate that a simulation leaves at least: a port that
// others use still gives every other packet its turn. Not ablated.
const leastShare = 0.05

// What is simulated of a migration. More packets give the same time, which by then is that
// of the busiest link.
const (
	// migrationPackets is the most packets of one rank's state,
	migrationPackets = 256
	// allPackets that of all ranks together.
	allPackets = 1 << 18
)

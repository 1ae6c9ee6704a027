// Package exchange improves a mapping by exchanging the contents of two slots:
// rank with rank, or rank with empty slot. It works on the objective itself, on
// any network, under all constraints of a mapping.Problem together.
//
// The mapping problem is the quadratic assignment problem of Koopmans and
// Beckmann (1957), sparse in who talks to whom. Exchanges of pairs are its
// oldest neighbourhood: Heider (1972) walks over all pairs and takes every
// exchange that gains; Brandfass, Alrutz and Gerhold (2013) keep the cost of
// every rank beside the mapping, so that an exchange is priced by the rows of
// its two ranks, and only look at pairs inside small blocks; Schulz and Träff
// (2017, VieM) price it in O(degree) on sparse graphs and try pairs that are
// near in the communication graph.
//
// Here a rank looks for partners by place, not by number or graph distance:
//
//	u's partners sit at p and q        leaf p   beside p      leaf q
//	                                 [ . x . ]  [ . . . ]  ... [ . y . ]
//	u tries the slots of p, of q,        ^          ^             ^
//	of what lies beside them,            best place for u first, then the
//	and walks on while it gains          slot whose content minds least
//
// because every exchange that gains has a rank that itself gains by the move,
// and what it gains it gains near its partners. Ranks whose surroundings have
// not changed since they found nothing are not asked again.
//
// From the local optimum simulated annealing of low heat goes on for path
// lengths and under Capacity. Link loads begin from short paths where these are no worse; then the
// ranks whose messages cross the worst link are tried first.
//
// Costs: pricing an exchange takes O(degree) for path lengths, O(degree x links
// of a path) for link loads.
package exchange

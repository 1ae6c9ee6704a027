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
//	of what lies beside them,            first the best place for u, then the slot
//	and goes on while it gains           whose rank loses least
//
// That is enough because of two facts: every exchange that gains has a rank that gains by
// its own move, and a rank gains only near its partners. A rank is not tried again until
// something has changed around it.
//
// For path lengths and under Capacity, simulated annealing at a low temperature follows
// the local optimum. Under objectives with link loads the search begins from short paths
// where these are no worse; then ranks on the critical link are tried first, those whose
// messages cross the link that takes longest.
//
// Costs: pricing an exchange takes O(degree) for path lengths, O(degree x links of a path)
// for link loads.
package exchange

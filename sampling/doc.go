/*
Package sampling measures the links of a network by what its packets carry: reservoirs of the links that a
packet has crossed, or hashes of them, from which receivers estimate how many packets crossed each link and
how many found it congested (Taffet 2018, chapters 3 and 5; Taffet and Mellor-Crummey 2019).
docs/sampling.md tells how to use it; this page derives what it computes.

# Moments

Let d be a link. A packet adds a term with expectation 1 to W if it crossed d, to C if it found d congested,
and with expectation zero otherwise. Sums are over packets: N crossed d, M found it congested, and Q are
candidates, which might have crossed d as far as the receiver knows.

	variant                   to W                   to C            Var W         Var C         Cov
	full                      l if d is held         g if d is held  Σ_N (l-1)     Σ_M (g-1)     0
	n=SLOTS, n' = min(n,l)    l/n' if held           g/n'            Σ_N (l/n'-1)  Σ_M (g/n'-1)  0
	one-reservoir,hash=whole  l if held              l b if held     Σ_N (l-1)     Σ_M (l-1)     Σ_M (l-1)
	one-bit                   l s                    g s'            Σ_Q l² - N    Σ_Q g² - M    Σ_Q g - M
	one-reservoir             l s                    l b s           Σ_Q l² - N    Σ_Q l g - M   Σ_Q l g - M

b = 1 if the held link was congested. s, s' = +1 if d's hash bit agrees with the header's, else -1.

  - Held. A reservoir of n' of l links holds d with probability n'/l. So w = l/n' has E w² - 1 = l/n' - 1.
    The two reservoirs draw independently, hence no covariance. With one reservoir C's term is W's times b.
  - Hashed. s = h(a) h(d) with h = ±1 and a the held link. For a ≠ d the bits are pairwise
    independent, so E s = 0, E[l s] = l P(a = d) = 1 for a crossed link, and E[(l s)²] = l² for
    every candidate. In the product of both terms of one-bit, l g h(a) h(c), d cancels; its
    expectation is l g P(a = c) = g. With one reservoir E[(l s)(l b s)] = l² P(b = 1) = l g.
  - Estimates of the variances replace N by W and M by C: w² - w is summed over packets.

# Intervals

Intervals are score intervals: all values that the data do not reject, tested with the variance that the
value itself implies. They are never empty, and never of length zero because a sample is missing. z is 1.96.

N, held. (W-N)² ≤ z² v N with the variance v per packet gives

	N = W + q/2 ± sqrt(q W + q²/4),  q = z² v.

v is the mean weight of the samples less 1. It is taken from the link's samples and one imaginary sample of
the weight that is typical of the table. A link without samples has N ≤ z² v.

N, hashed. With S = Σ_Q l² known the variance is S - N, so N = W - z²/2 ± z sqrt(Var + z²/4). The
interval of M has the same form.

F. All f with (C - f W)² ≤ z² V(f), V(f) = Var C - 2 f Cov + f² Var W at M = f N (Fieller). N is replaced
by what is most likely under f:

  - two reservoirs (variances c f N and w N): V(f) = f (c W + w C). For C = 0 the interval is [0, z² c / W].
  - one reservoir (variances c and u per congested and other packet): V(f) = f (1-f) (u C + c (W-C)). For c
    = u it is Wilson's interval for W/(l-1) trials.
  - hashed: V(f) = Sc - 2 f Sk + f² Sw - f (1-f) W, with S the sums over Q.
  - Bloom: from the intervals of N and M and their correlation (Zou and Donner 2008).

Limits that follow from one congested sample are moved out as in Brown, Cai and DasGupta (2001). If W is not
significant, F is 0 with the interval [0, 1].

Certain bounds cut the intervals: 0 ≤ N ≤ packets received, M ≤ packets with a congested hop (except
with one reservoir), 0 ≤ F ≤ 1, and F = 0 if no header has a congested hop. At a bound the unified
interval of Feldman and Cousins (1998) is used (Estimate.within), so that a true value there is
covered in 95 % of cases, too.

Nominal 95 % intervals cover 92 % or more with at least two expected samples, 87.5 % at least with fewer,
and 83 % for F on paths of mixed length with fewer than 10 packets (TestCoverageOfWholeLinks,
TestCoverageOfNoise). An F that is only reported when W is significant suffers from selection: among those
runs it is covered to about 80 %.

# One reservoir or two

Whole links. The congested among the samples of a link on paths of one length are hypergeometric. So F̂ =
C/W has

	one reservoir:   E F̂ = F exactly,             Var F̂ ≈ (l-1)/N · F (1-F)
	two reservoirs:  E F̂ ≈ F + F (l-1)/N,         Var F̂ ≈ F (g-1)/N + F² (l-1)/N

Hashed, when all Q candidates have l hops, g of them congested on average:

	one: Var F̂ ≈ [Q l (g (1-2F) + l F²) - N F (1-F)] / N²,     bias ≈ Q l (l F - g) / N²
	two: Var F̂ ≈ [Q (E g² - 2 F g + l² F²) - N F (1-F)] / N²,  bias ≈ Q (l² F - g) / N²

One reservoir has the smaller variance if F > (l - g) / (2 (l - 1)): for g = l always, for g = 1 if F > 1/2,
for l = 5 and g = 2 from 3/8 on. It takes half the header, and the roots of congestion have F near 1. Two
reservoirs are better at rare congestion on long paths, and never miss that a packet met congestion. The
bias is at most about F/k² for W of k standard deviations. LessBiased is Beale's (1962) estimator (C W +
Cov) / (W² + Var W), with a bias of higher order; Fraction is C/W.

# Bloom filters

bloom:BITS holds every link that a packet crossed in one filter, every congested link in another (thesis,
5.8). Hash functions and positions are those of btcutil/bloom: MurmurHash3(i x 0xFBA4C795 + identity, link)
modulo BITS, i = 0 to k-1, with k = BITS/5 x ln 2 rounded down, from 1 to 50. The identity is the tweak, so
every packet mistakes other links.

With f the share of set bits in the filter that arrives, a link that was not put in seems to be in with
probability p = f^k. A candidate link adds

	x = u if it seems to be in, -u p/(1-p) if not;   u = 1/P(filter not full)

and 0 if the filter is full. x has expectation 1 for a crossed link and 0 for others. The congested filter
gives c in the same way, with its own p. x² - x, c² - c and x c - c are unbiased estimates of the variances
and the covariance. With F = P(full) the variance of W is F/(1-F) per packet that crossed and E[p/(1-p), not
full]/(1-F)² per packet that did not: it grows with Q - N. u is 1 unless k x hops reaches BITS. Where u
would exceed 256 (from 58 hops in 8 bits, 78 in 64) packets are left out, and counts of crossed links are
too low. Totals.Full counts packets whose filter said nothing: a high share means that filters are too
small.

For one link a filter is never better than a hash of its size. Testing a candidate costs 6 to 14 ns, so a
packet with 800 candidates takes microseconds (go test ./sampling -run XXX -bench Bloom).
*/
package sampling

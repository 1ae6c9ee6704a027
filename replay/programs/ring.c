/* ring sums vectors of all ranks by an all-reduce round a ring (Patarasuk and Yuan 2009).
 *
 *     ring BYTES STEPS LONGEST_SLEEP_US
 *
 * Each of 2 (ranks - 1) rounds sends a part of BYTES / ranks bytes to the next rank: first
 * reduce-scatter, then all-gather. The numbers are small integers, so that sums are exact; every
 * rank checks all of them in every step. */
#include "steps.h"

static int64_t part; /* numbers of a part */
static double *vector, *incoming;
static double *weights; /* 1 to 97 */

/* number_of is what this rank contributes to a sum. */
static double number_of(int64_t i, int step) { return (rank + 1.0) * weights[i] + step; }

/* sum_of is the sum of what all ranks contribute. */
static double sum_of(int64_t i, int step)
{
    return ranks * (ranks + 1.0) / 2 * weights[i] + (double)ranks * step;
}

/* exchange sends a part of the vector to the next rank while a part comes from the one before. */
static void exchange(int out, double *in)
{
    MPI_Request requests[2];
    out = (out % ranks + ranks) % ranks;
    MPI_Isend(&vector[out * part], part, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, part, MPI_DOUBLE, (rank - 1 + ranks) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
    wait_for(2, requests);
}

static double *part_at(int i) { return &vector[(i % ranks + ranks) % ranks * part]; }

static void all_reduce(void)
{
    for (int i = 0; i < ranks - 1; i++) {
        exchange(rank - i, incoming);
        double *sum = part_at(rank - i - 1);
        for (int64_t k = 0; k < part; k++)
            sum[k] += incoming[k];
    }
    for (int i = 0; i < ranks - 1; i++)
        exchange(rank - i + 1, part_at(rank - i));
}

int main(int argc, char **argv)
{
    steps_init(&argc, &argv);
    if (argc != 4)
        fail("usage: ring BYTES STEPS LONGEST_SLEEP_US");
    int64_t bytes = number("the bytes of the vector", argv[1], 8, 1 << 30);
    int steps = number("the number of steps", argv[2], 1, 1000000);
    steps_limit(argv[3]);
    if (bytes % (8 * ranks))
        fail("the bytes of the vector, %lld, are no multiple of 8 times %d ranks", (long long)bytes, ranks);
    part = bytes / 8 / ranks;
    vector = need(malloc(bytes));
    weights = need(malloc(bytes));
    for (int64_t i = 0; i < part * ranks; i++)
        weights[i] = i % 97 + 1;
    incoming = need(malloc(part * sizeof(double)));
    int next = (rank + 1) % ranks, before = (rank - 1 + ranks) % ranks, peers[2] = {next, before};
    steps_start(ranks == 1 ? 0 : ranks == 2 ? 1 : 2, peers);
    for (int step = 0; step < steps; step++) {
        for (int64_t i = 0; i < part * ranks; i++)
            vector[i] = number_of(i, step);
        all_reduce();
        step_end(step);
        for (int64_t i = 0; i < part * ranks; i++)
            if (vector[i] != sum_of(i, step))
                fail("not verified: sum %lld of step %d is %.17g, not %.17g", (long long)i, step, vector[i],
                     sum_of(i, step));
    }
    steps_stop();
    steps_finish("verified ring: every sum is exact");
    return 0;
}

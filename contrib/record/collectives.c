/* The messages that this process sends in a collective, by the algorithms that record.h names. */
#include "record.h"

enum {
    ALLGATHER_LONG = 512 << 10,  /* bytes of the result: a ring from here on */
    ALLGATHER_SHORT = 80 << 10,  /* Bruck below, where the ranks are no power of two */
    ALLREDUCE_SHORT = 10000,     /* bytes of the vector: recursive doubling up to it */
};

/* block counts a message, unless it is empty. */
static void block(const struct peers *p, int destination, uint64_t bytes)
{
    if (bytes > 0)
        record_add(p, destination, bytes);
}

/* everyone counts a block to each of the others. */
static void everyone(const struct peers *p, uint64_t bytes)
{
    for (int i = 0; i < p->size; i++)
        if (p->remote || i != p->me)
            block(p, i, bytes);
}

static int least(int a, int b) { return a < b ? a : b; }

/* down is a binomial tree from the root; with blocks, an edge carries bytes for every rank below it. */
static void down(const struct peers *p, int root, uint64_t bytes, int blocks)
{
    int n = p->size, me = (p->me - root + n) % n;
    int mask = 1;
    while (mask < n && !(me & mask))
        mask <<= 1;
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (me + mask < n)
            block(p, (me + mask + root) % n, blocks ? bytes * least(mask, n - me - mask) : bytes);
}

/* up is the same tree towards the root. */
static void up(const struct peers *p, int root, uint64_t bytes, int blocks)
{
    int n = p->size, me = (p->me - root + n) % n, mask = me & -me;
    if (me > 0)
        block(p, (me - mask + root) % n, blocks ? bytes * least(mask, n - me) : bytes);
}

void record_barrier(MPI_Comm comm)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (p->remote)
        for (int i = 0; i < p->size; i++)
            record_add(p, i, 0);
    else
        for (int64_t k = 1; k < p->size; k *= 2)
            record_add(p, (p->me + k) % p->size, 0);
    record_close();
}

void record_bcast(MPI_Comm comm, MPI_Count count, MPI_Datatype type, int root)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (!p->remote)
        down(p, root, record_size(count, type), 0);
    else if (root == MPI_ROOT)
        everyone(p, record_size(count, type));
    record_close();
}

void record_reduce(MPI_Comm comm, MPI_Count count, MPI_Datatype type, int root)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (!p->remote)
        up(p, root, record_size(count, type), 0);
    else if (root != MPI_ROOT && root != MPI_PROC_NULL)
        block(p, root, record_size(count, type));
    record_close();
}

void record_gather(MPI_Comm comm, MPI_Count sent, MPI_Datatype type, int root)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (p->remote && root != MPI_ROOT && root != MPI_PROC_NULL)
        block(p, root, record_size(sent, type));
    else if (!p->remote && root != p->me) /* the root's send buffer may be MPI_IN_PLACE */
        up(p, root, record_size(sent, type), 1);
    record_close();
}

void record_gatherv(MPI_Comm comm, MPI_Count sent, MPI_Datatype type, int root)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (root != MPI_ROOT && root != MPI_PROC_NULL && (p->remote || root != p->me))
        block(p, root, record_size(sent, type));
    record_close();
}

void record_scatter(MPI_Comm comm, MPI_Count sent, MPI_Datatype sent_type, MPI_Count received,
                    MPI_Datatype received_type, int root)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (p->remote && root == MPI_ROOT)
        everyone(p, record_size(sent, sent_type));
    else if (!p->remote && root == p->me)
        down(p, root, record_size(sent, sent_type), 1);
    else if (!p->remote) /* only the root knows what was sent: as much for every rank */
        down(p, root, record_size(received, received_type), 1);
    record_close();
}

void record_scatterv(MPI_Comm comm, const int *sent, MPI_Datatype type, int root)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (p->remote ? root == MPI_ROOT : root == p->me)
        for (int i = 0; i < p->size; i++)
            if (p->remote || i != p->me)
                block(p, i, record_size(sent[i], type));
    record_close();
}

/* allgather_short: recursive doubling, if the size is a power of two, or Bruck. In each step a process
 * sends all blocks that it has, as far as the other lacks them. */
static void allgather_short(const struct peers *p, uint64_t bytes)
{
    int n = p->size, power = !(n & (n - 1));
    for (int64_t have = 1; have < n; have *= 2)
        block(p, power ? p->me ^ have : (p->me - have + n) % n, bytes * (have < n - have ? have : n - have));
}

void record_allgather(MPI_Comm comm, MPI_Count sent, MPI_Datatype sent_type, MPI_Count received,
                      MPI_Datatype received_type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (p->remote) {
        everyone(p, record_size(sent, sent_type));
    } else { /* received is what every rank sends, and known where MPI_IN_PLACE stands for the other */
        int n = p->size;
        uint64_t bytes = record_size(received, received_type);
        if (bytes * n < (n & (n - 1) ? ALLGATHER_SHORT : ALLGATHER_LONG))
            allgather_short(p, bytes);
        else
            for (int i = 1; i < n; i++)
                block(p, (p->me + 1) % n, bytes);
    }
    record_close();
}

/* ring counts the messages to the next process by which everyone gets the blocks of all: each sends all
 * blocks but the next process's own. */
static void ring(const struct peers *p, const int *counts, uint64_t size)
{
    int next = (p->me + 1) % p->size;
    for (int i = 0; i < p->size; i++)
        if (i != next)
            block(p, next, counts[i] * size);
}

void record_allgatherv(MPI_Comm comm, MPI_Count sent, MPI_Datatype sent_type, const int *received,
                       MPI_Datatype received_type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (p->remote)
        everyone(p, record_size(sent, sent_type));
    else
        ring(p, received, record_size(1, received_type));
    record_close();
}

void record_alltoall(MPI_Comm comm, MPI_Count sent, MPI_Datatype sent_type, MPI_Count received,
                     MPI_Datatype received_type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (p->remote)
        everyone(p, record_size(sent, sent_type));
    else /* received is as much as sent, and known where MPI_IN_PLACE stands for the other */
        everyone(p, record_size(received, received_type));
    record_close();
}

void record_alltoallv(MPI_Comm comm, int in_place, const int *sent, MPI_Datatype sent_type,
                      const int *received, MPI_Datatype received_type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    const int *counts = in_place ? received : sent;
    uint64_t size = record_size(1, in_place ? received_type : sent_type);
    for (int i = 0; i < p->size; i++)
        if (p->remote || i != p->me)
            block(p, i, counts[i] * size);
    record_close();
}

void record_alltoallw(MPI_Comm comm, int in_place, const int *sent, const MPI_Datatype *sent_types,
                      const int *received, const MPI_Datatype *received_types)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    const int *counts = in_place ? received : sent;
    const MPI_Datatype *types = in_place ? received_types : sent_types;
    for (int i = 0; i < p->size; i++)
        if (p->remote || i != p->me)
            block(p, i, record_size(counts[i], types[i]));
    record_close();
}

/* allreduce_short: recursive doubling. Of a size that is no power of two, the first ranks stand in
 * pairs, of which the odd one takes part for both. */
static void allreduce_short(const struct peers *p, uint64_t bytes)
{
    int n = p->size, core = 1, me = p->me;
    while (core <= n / 2)
        core *= 2;
    int rest = n - core;
    if (me < 2 * rest && me % 2 == 0) {
        block(p, me + 1, bytes);
        return;
    }
    int here = me < 2 * rest ? me / 2 : me - rest;
    for (int mask = 1; mask < core; mask *= 2) {
        int other = here ^ mask;
        block(p, other < rest ? 2 * other + 1 : other + rest, bytes);
    }
    if (me < 2 * rest)
        block(p, me - 1, bytes);
}

void record_allreduce(MPI_Comm comm, MPI_Count count, MPI_Datatype type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    uint64_t bytes = record_size(count, type), n = p->size;
    if (p->remote) {
        everyone(p, bytes);
    } else if (bytes <= ALLREDUCE_SHORT) {
        allreduce_short(p, bytes);
    } else { /* n parts, the first bytes % n of them a byte longer, twice round the ring */
        uint64_t next = (p->me + 1) % n, after = (next + 1) % n;
        for (uint64_t part = 0; part < n; part++) {
            uint64_t length = bytes / n + (part < bytes % n);
            if (part != next) /* reduce-scatter ends with part next at this process */
                block(p, next, length);
            if (part != after)
                block(p, next, length);
        }
    }
    record_close();
}

/* equally counts a vector that is cut into a block for each remote process. */
static void equally(const struct peers *p, uint64_t bytes)
{
    for (int i = 0; i < p->size; i++)
        block(p, i, bytes / p->size + ((uint64_t)i < bytes % p->size));
}

void record_reduce_scatter(MPI_Comm comm, const int *counts, MPI_Datatype type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    uint64_t size = record_size(1, type), all = 0;
    if (p->remote) { /* counts are those of this group: of the remote ones only the sum is known, the same */
        int own = 0;
        PMPI_Comm_size(comm, &own);
        for (int i = 0; i < own; i++)
            all += counts[i] * size;
        equally(p, all);
    } else {
        for (int i = 0; i < p->size; i++)
            if (i != p->me)
                block(p, i, counts[i] * size);
    }
    record_close();
}

void record_reduce_scatter_block(MPI_Comm comm, MPI_Count count, MPI_Datatype type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (p->remote) {
        int own = 0;
        PMPI_Comm_size(comm, &own);
        equally(p, record_size(count, type) * own);
    } else {
        everyone(p, record_size(count, type));
    }
    record_close();
}

void record_scan(MPI_Comm comm, MPI_Count count, MPI_Datatype type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    for (int64_t mask = 1; mask < p->size; mask *= 2)
        if ((p->me ^ mask) < p->size)
            block(p, p->me ^ mask, record_size(count, type));
    record_close();
}

void record_neighbor(MPI_Comm comm, MPI_Count count, MPI_Datatype type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    const int *to;
    int degree = record_degree(p, comm, &to);
    for (int i = 0; i < degree; i++)
        block(p, to[i], record_size(count, type));
    record_close();
}

void record_neighborv(MPI_Comm comm, const int *counts, MPI_Datatype type)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    const int *to;
    int degree = record_degree(p, comm, &to);
    for (int i = 0; i < degree; i++)
        block(p, to[i], record_size(counts[i], type));
    record_close();
}

void record_neighborw(MPI_Comm comm, const int *counts, const MPI_Datatype *types)
{
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    const int *to;
    int degree = record_degree(p, comm, &to);
    for (int i = 0; i < degree; i++)
        block(p, to[i], record_size(counts[i], types[i]));
    record_close();
}

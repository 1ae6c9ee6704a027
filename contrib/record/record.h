/* libremap_record.so records how many bytes and messages every rank of an MPI program sends every
 * other one. It is loaded before the program by LD_PRELOAD and replaces the MPI calls that send; each
 * replacement makes the real call (PMPI_...) and counts what succeeded. docs/record.md says how to use
 * it.
 *
 * What is counted
 * - Send, Ssend, Bsend, Rsend, their nonblocking and persistent forms, Sendrecv, Sendrecv_replace: the
 *   bytes of the buffer, one message each; of a persistent request at every Start.
 * - Put, Accumulate and their request forms: one message to the target. Get: one message from the
 *   target. Get_accumulate, Fetch_and_op, Compare_and_swap: one each way.
 * - Collectives, blocking and nonblocking. The messages inside the MPI library cannot be seen, so those
 *   of a textbook algorithm are counted (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of
 *   Collective Communication Operations in MPICH", 2005, unless another source is given):
 *     Barrier                  dissemination
 *     Bcast, Reduce            binomial tree, the whole vector on every edge
 *     Gather, Scatter          binomial tree, on every edge the blocks of the subtree
 *     Gatherv, Scatterv        directly from and to the root
 *     Allgather                recursive doubling where the ranks are a power of two and the result is
 *                              below 512 KiB; else Bruck below 80 KiB; else a ring
 *     Allgatherv               ring
 *     Allreduce                recursive doubling up to 10,000 bytes; a ring above (reduce-scatter and
 *                              allgather; Patarasuk and Yuan 2009), as Open MPI's module tuned chooses
 *     Alltoall, -v, -w         pairwise exchange: every rank to every other one
 *     Reduce_scatter, -_block  pairwise exchange of the blocks
 *     Scan, Exscan             recursive doubling
 *     Neighbor_...             directly to every neighbour
 *   Over an intercommunicator all of them go directly to the remote ranks that need the data.
 *   Empty blocks of collectives are no messages.
 * - Datatypes count by MPI_Type_size. Messages to MPI_PROC_NULL are none. Messages of a rank to itself
 *   count, as the edge from a rank to itself; collectives have none.
 *
 * What is not counted: calls with large counts (MPI_Send_c), partitioned and persistent collective
 * communication, MPI-IO, MPI sessions, what the MPI library sends for itself, and processes outside
 * MPI_COMM_WORLD (spawned or connected); how many messages went to such processes is said at the end. */
#ifndef REMAP_RECORD_H
#define REMAP_RECORD_H

#include <mpi.h>
#include <stdint.h>

#pragma GCC visibility push(hidden) /* a program may have names like these */

/* peers is what is known of the processes that a communicator or a window reaches. */
struct peers {
    int size;       /* processes that a destination can name: of an intercommunicator the remote ones */
    int me;         /* number of this process in its own group */
    int remote;     /* of an intercommunicator */
    int *world;     /* rank in MPI_COMM_WORLD of each, -1 = outside it; NULL = the same number */
    int degree;     /* number of neighbours that this process sends to, -1 = not asked for */
    int *neighbors; /* length degree */
};

/* record_seen is set by the C calls. The Fortran calls see by it whether their MPI has gone through a
 * C call, which has counted. */
extern __thread int record_seen;

void record_begin(void);          /* after MPI_Init */
void record_end(void);            /* before MPI_Finalize */
void record_phase(int number);    /* MPI_Pcontrol; below 0 = no phase */

/* record_open gives the peers of a communicator and takes the lock, which record_close returns; NULL,
 * without the lock, when nothing is to be counted. record_add counts a message between them. */
const struct peers *record_open(MPI_Comm comm);
void record_add(const struct peers *p, int destination, uint64_t bytes);
void record_close(void);
int record_degree(const struct peers *p, MPI_Comm comm, const int **neighbors); /* within the lock */
uint64_t record_size(MPI_Count count, MPI_Datatype type);                       /* bytes */

/* peers.c, within the lock of record.c. */
void record_peers_begin(void);
void record_peers_end(void);
struct peers *record_peers_of_comm(MPI_Comm comm);
struct peers *record_peers_of_win(MPI_Win win);

/* record_need ends the program when there is no memory: what it would record is wrong. */
void *record_need(void *memory);

void record_send(MPI_Comm comm, int destination, MPI_Count count, MPI_Datatype type);
void record_persistent(MPI_Comm comm, int destination, MPI_Count count, MPI_Datatype type,
                       MPI_Request request);
void record_start(MPI_Request request);
void record_forget(MPI_Request request);
void record_put(MPI_Win win, int target, MPI_Count count, MPI_Datatype type);
void record_get(MPI_Win win, int target, MPI_Count count, MPI_Datatype type);
/* record_both_ways is record_put, unless nothing is put, and record_get. */
void record_both_ways(MPI_Win win, int target, MPI_Count put, MPI_Datatype type, MPI_Count got,
                      MPI_Datatype got_type);

/* Collectives. sent and received are the buffers' counts with their types, as in the calls; in_place
 * says that MPI_IN_PLACE stood for the send buffer. */
void record_barrier(MPI_Comm comm);
void record_bcast(MPI_Comm comm, MPI_Count count, MPI_Datatype type, int root);
void record_reduce(MPI_Comm comm, MPI_Count count, MPI_Datatype type, int root);
void record_gather(MPI_Comm comm, MPI_Count sent, MPI_Datatype type, int root);
void record_gatherv(MPI_Comm comm, MPI_Count sent, MPI_Datatype type, int root);
void record_scatter(MPI_Comm comm, MPI_Count sent, MPI_Datatype sent_type, MPI_Count received,
                    MPI_Datatype received_type, int root);
void record_scatterv(MPI_Comm comm, const int *sent, MPI_Datatype type, int root);
void record_allgather(MPI_Comm comm, MPI_Count sent, MPI_Datatype sent_type, MPI_Count received,
                      MPI_Datatype received_type);
void record_allgatherv(MPI_Comm comm, MPI_Count sent, MPI_Datatype sent_type, const int *received,
                       MPI_Datatype received_type);
void record_alltoall(MPI_Comm comm, MPI_Count sent, MPI_Datatype sent_type, MPI_Count received,
                     MPI_Datatype received_type);
void record_alltoallv(MPI_Comm comm, int in_place, const int *sent, MPI_Datatype sent_type,
                      const int *received, MPI_Datatype received_type);
void record_alltoallw(MPI_Comm comm, int in_place, const int *sent, const MPI_Datatype *sent_types,
                      const int *received, const MPI_Datatype *received_types);
void record_allreduce(MPI_Comm comm, MPI_Count count, MPI_Datatype type);
void record_reduce_scatter(MPI_Comm comm, const int *counts, MPI_Datatype type);
void record_reduce_scatter_block(MPI_Comm comm, MPI_Count count, MPI_Datatype type);
void record_scan(MPI_Comm comm, MPI_Count count, MPI_Datatype type);
void record_neighbor(MPI_Comm comm, MPI_Count count, MPI_Datatype type);
void record_neighborv(MPI_Comm comm, const int *counts, MPI_Datatype type);
void record_neighborw(MPI_Comm comm, const int *counts, const MPI_Datatype *types);

#pragma GCC visibility pop

#endif

/* The MPI calls of Fortran programs (mpif.h, use mpi), under the names that gfortran and most other
 * compilers give them: mpi_send_. Each makes the real Fortran call, which converts the arguments. In
 * MPICH that one goes through MPI_Send of calls.c, which counts; where it does not, as in Open MPI, it
 * is counted here.
 *
 * Open MPI's module mpi_f08 calls ompi_send_f, which is a second name here. For MPICH's see the end of
 * this file. Programs compiled with INTEGER of 8 bytes are not covered. */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>

typedef MPI_Fint *Int;
typedef void *Any; /* a buffer, or what is only handed on */

/* The address that stands for MPI_IN_PLACE in Open MPI's mpif.h. MPICH converts it for the C call. */
extern int mpi_fortran_in_place_ __attribute__((weak));

static int in_place(Any buffer) { return &mpi_fortran_in_place_ && buffer == (Any)&mpi_fortran_in_place_; }

#define COMM MPI_Comm_f2c(*comm)
#define WIN MPI_Win_f2c(*win)
#define TYPE(type) MPI_Type_f2c(*type)

/* UNPACK takes the brackets off a list of parameters. */
#define UNPACK(...) __VA_ARGS__

/* CALL defines mpi_NAME_ with what to count after it. The real call is found when it is needed only: a C
 * program has none. */
#define CALL(name, parameters, arguments, note)                                                   \
    extern void pmpi_##name##_(UNPACK parameters, Int error) __attribute__((weak));               \
    void mpi_##name##_(UNPACK parameters, Int error)                                              \
    {                                                                                             \
        if (!pmpi_##name##_)                                                                      \
            lacking("pmpi_" #name "_");                                                           \
        record_seen = 0;                                                                          \
        pmpi_##name##_(UNPACK arguments, error);                                                  \
        if (!record_seen && *error == MPI_SUCCESS) {                                              \
            note;                                                                                 \
        }                                                                                         \
    }                                                                                             \
    OTHER_NAME(name, parameters)

#ifdef OPEN_MPI
#define OTHER_NAME(name, parameters) \
    void ompi_##name##_f(UNPACK parameters, Int error) __attribute__((alias("mpi_" #name "_")));
#else
#define OTHER_NAME(name, parameters)
#endif

static void lacking(const char *name)
{
    fprintf(stderr, "remap-record: %s is not among the program's libraries\n", name);
    abort();
}

extern void pmpi_init_(Int error) __attribute__((weak));
void mpi_init_(Int error)
{
    if (!pmpi_init_)
        lacking("pmpi_init_");
    pmpi_init_(error);
    if (*error == MPI_SUCCESS)
        record_begin();
}

extern void pmpi_finalize_(Int error) __attribute__((weak));
void mpi_finalize_(Int error)
{
    if (!pmpi_finalize_)
        lacking("pmpi_finalize_");
    record_end();
    pmpi_finalize_(error);
}

/* It has no error in Fortran. Twice the same phase is one. */
extern void pmpi_pcontrol_(Int level) __attribute__((weak));
void mpi_pcontrol_(Int level)
{
    if (!pmpi_pcontrol_)
        lacking("pmpi_pcontrol_");
    pmpi_pcontrol_(level);
    record_phase(*level);
}

#ifdef OPEN_MPI
void ompi_init_f(Int error) __attribute__((alias("mpi_init_")));
void ompi_finalize_f(Int error) __attribute__((alias("mpi_finalize_")));
void ompi_pcontrol_f(Int level) __attribute__((alias("mpi_pcontrol_")));
#endif

CALL(init_thread, (Int required, Int provided), (required, provided), record_begin())

/* Sends. */

#define MESSAGE Any buffer, Int count, Int type, Int to, Int tag, Int comm

#define SEND(name) \
    CALL(name, (MESSAGE), (buffer, count, type, to, tag, comm), record_send(COMM, *to, *count, TYPE(type)))
SEND(send)
SEND(ssend)
SEND(bsend)
SEND(rsend)

#define ISEND(name)                                                               \
    CALL(name, (MESSAGE, Int request), (buffer, count, type, to, tag, comm, request), \
         record_send(COMM, *to, *count, TYPE(type)))
ISEND(isend)
ISEND(issend)
ISEND(ibsend)
ISEND(irsend)

#define SEND_INIT(name)                                                           \
    CALL(name, (MESSAGE, Int request), (buffer, count, type, to, tag, comm, request), \
         record_persistent(COMM, *to, *count, TYPE(type), MPI_Request_f2c(*request)))
SEND_INIT(send_init)
SEND_INIT(ssend_init)
SEND_INIT(bsend_init)
SEND_INIT(rsend_init)

CALL(start, (Int request), (request), record_start(MPI_Request_f2c(*request)))

CALL(startall, (Int count, Int requests), (count, requests),
     for (int i = 0; i < *count; i++) record_start(MPI_Request_f2c(requests[i])))

extern void pmpi_request_free_(Int request, Int error) __attribute__((weak));
void mpi_request_free_(Int request, Int error)
{
    if (!pmpi_request_free_)
        lacking("pmpi_request_free_");
    record_forget(MPI_Request_f2c(*request));
    pmpi_request_free_(request, error);
}
OTHER_NAME(request_free, (Int request))

CALL(sendrecv,
     (Any out, Int count, Int type, Int to, Int tag, Any in, Int most, Int in_type, Int from, Int in_tag,
      Int comm, Int status),
     (out, count, type, to, tag, in, most, in_type, from, in_tag, comm, status),
     record_send(COMM, *to, *count, TYPE(type)))

CALL(sendrecv_replace,
     (Any buffer, Int count, Int type, Int to, Int tag, Int from, Int in_tag, Int comm, Int status),
     (buffer, count, type, to, tag, from, in_tag, comm, status), record_send(COMM, *to, *count, TYPE(type)))

/* One-sided communication. */

#define TARGET Int to, Any at, Int there, Int there_type

#define ONE_SIDED(name, parameters, arguments, note)                             \
    CALL(name, (UNPACK parameters, Int win), (UNPACK arguments, win), note)      \
    CALL(r##name, (UNPACK parameters, Int win, Int request), (UNPACK arguments, win, request), note)

ONE_SIDED(put, (Any buffer, Int count, Int type, TARGET), (buffer, count, type, to, at, there, there_type),
          record_put(WIN, *to, *count, TYPE(type)))
ONE_SIDED(get, (Any buffer, Int count, Int type, TARGET), (buffer, count, type, to, at, there, there_type),
          record_get(WIN, *to, *count, TYPE(type)))
ONE_SIDED(accumulate, (Any buffer, Int count, Int type, TARGET, Int op),
          (buffer, count, type, to, at, there, there_type, op), record_put(WIN, *to, *count, TYPE(type)))
ONE_SIDED(get_accumulate,
          (Any buffer, Int count, Int type, Any result, Int results, Int result_type, TARGET, Int op),
          (buffer, count, type, result, results, result_type, to, at, there, there_type, op),
          record_both_ways(WIN, *to, MPI_Op_f2c(*op) == MPI_NO_OP ? 0 : *count, TYPE(type), *results,
                           TYPE(result_type)))

CALL(fetch_and_op, (Any buffer, Any result, Int type, Int to, Any at, Int op, Int win),
     (buffer, result, type, to, at, op, win),
     record_both_ways(WIN, *to, MPI_Op_f2c(*op) == MPI_NO_OP ? 0 : 1, TYPE(type), 1, TYPE(type)))
CALL(compare_and_swap, (Any buffer, Any compare, Any result, Int type, Int to, Any at, Int win),
     (buffer, compare, result, type, to, at, win), record_both_ways(WIN, *to, 2, TYPE(type), 1, TYPE(type)))

/* Collectives, blocking and nonblocking. */

/* convert makes C handles of types, one for each process of the remote or only group. */
static MPI_Datatype *convert(const MPI_Fint *types, int n)
{
    MPI_Datatype *all = malloc((n + 1) * sizeof *all);
    for (int i = 0; all && i < n; i++)
        all[i] = MPI_Type_f2c(types[i]);
    return all;
}

static void alltoallw(MPI_Comm comm, int here, const int *sent, const MPI_Fint *sent_types,
                      const int *received, const MPI_Fint *received_types)
{
    int n = 0;
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    n = p->size;
    record_close();
    MPI_Datatype *types = convert(here ? received_types : sent_types, n);
    if (types)
        record_alltoallw(comm, here, sent, types, received, types);
    free(types);
}

static void neighborw(MPI_Comm comm, const int *sent, const MPI_Fint *sent_types)
{
    const int *neighbors;
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    int n = record_degree(p, comm, &neighbors);
    record_close();
    MPI_Datatype *types = convert(sent_types, n);
    if (types)
        record_neighborw(comm, sent, types);
    free(types);
}

#define BOTH(name, parameters, arguments, note)                                  \
    CALL(name, (UNPACK parameters, Int comm), (UNPACK arguments, comm), note)    \
    CALL(i##name, (UNPACK parameters, Int comm, Int request), (UNPACK arguments, comm, request), note)

CALL(barrier, (Int comm), (comm), record_barrier(COMM))
CALL(ibarrier, (Int comm, Int request), (comm, request), record_barrier(COMM))

BOTH(bcast,
     (Any buffer, Int count, Int type, Int root),
     (buffer, count, type, root),
     record_bcast(COMM, *count, TYPE(type), *root))
BOTH(gather,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int received_type, Int root),
     (out, sent, sent_type, in, received, received_type, root),
     record_gather(COMM, *sent, TYPE(sent_type), *root))
BOTH(gatherv,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int in_places, Int received_type, Int
      root),
     (out, sent, sent_type, in, received, in_places, received_type, root),
     record_gatherv(COMM, *sent, TYPE(sent_type), *root))
BOTH(scatter,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int received_type, Int root),
     (out, sent, sent_type, in, received, received_type, root),
     record_scatter(COMM, *sent, TYPE(sent_type), *received, TYPE(received_type), *root))
BOTH(scatterv,
     (Any out, Int sent, Int places, Int sent_type, Any in, Int received, Int received_type, Int root),
     (out, sent, places, sent_type, in, received, received_type, root),
     record_scatterv(COMM, sent, TYPE(sent_type), *root))
BOTH(allgather,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int received_type),
     (out, sent, sent_type, in, received, received_type),
     record_allgather(COMM, *sent, TYPE(sent_type), *received, TYPE(received_type)))
BOTH(allgatherv,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int in_places, Int received_type),
     (out, sent, sent_type, in, received, in_places, received_type),
     record_allgatherv(COMM, *sent, TYPE(sent_type), received, TYPE(received_type)))
BOTH(alltoall,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int received_type),
     (out, sent, sent_type, in, received, received_type),
     record_alltoall(COMM, *sent, TYPE(sent_type), *received, TYPE(received_type)))
BOTH(alltoallv,
     (Any out, Int sent, Int places, Int sent_type, Any in, Int received, Int in_places, Int
      received_type),
     (out, sent, places, sent_type, in, received, in_places, received_type),
     record_alltoallv(COMM, in_place(out), sent, TYPE(sent_type), received, TYPE(received_type)))
BOTH(alltoallw,
     (Any out, Int sent, Any places, Int sent_types, Any in, Int received, Any in_places, Int
      received_types),
     (out, sent, places, sent_types, in, received, in_places, received_types),
     alltoallw(COMM, in_place(out), sent, sent_types, received, received_types))
BOTH(reduce,
     (Any out, Any in, Int count, Int type, Int op, Int root),
     (out, in, count, type, op, root),
     record_reduce(COMM, *count, TYPE(type), *root))
BOTH(allreduce,
     (Any out, Any in, Int count, Int type, Int op),
     (out, in, count, type, op),
     record_allreduce(COMM, *count, TYPE(type)))
BOTH(reduce_scatter,
     (Any out, Any in, Int counts, Int type, Int op),
     (out, in, counts, type, op),
     record_reduce_scatter(COMM, counts, TYPE(type)))
BOTH(reduce_scatter_block,
     (Any out, Any in, Int count, Int type, Int op),
     (out, in, count, type, op),
     record_reduce_scatter_block(COMM, *count, TYPE(type)))
BOTH(scan,
     (Any out, Any in, Int count, Int type, Int op),
     (out, in, count, type, op),
     record_scan(COMM, *count, TYPE(type)))
BOTH(exscan,
     (Any out, Any in, Int count, Int type, Int op),
     (out, in, count, type, op),
     record_scan(COMM, *count, TYPE(type)))
BOTH(neighbor_allgather,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int received_type),
     (out, sent, sent_type, in, received, received_type),
     record_neighbor(COMM, *sent, TYPE(sent_type)))
BOTH(neighbor_allgatherv,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int in_places, Int received_type),
     (out, sent, sent_type, in, received, in_places, received_type),
     record_neighbor(COMM, *sent, TYPE(sent_type)))
BOTH(neighbor_alltoall,
     (Any out, Int sent, Int sent_type, Any in, Int received, Int received_type),
     (out, sent, sent_type, in, received, received_type),
     record_neighbor(COMM, *sent, TYPE(sent_type)))
BOTH(neighbor_alltoallv,
     (Any out, Int sent, Int places, Int sent_type, Any in, Int received, Int in_places, Int
      received_type),
     (out, sent, places, sent_type, in, received, in_places, received_type),
     record_neighborv(COMM, sent, TYPE(sent_type)))
BOTH(neighbor_alltoallw,
     (Any out, Int sent, Any places, Int sent_types, Any in, Int received, Any in_places, Int
      received_types),
     (out, sent, places, sent_types, in, received, in_places, received_types),
     neighborw(COMM, sent, sent_types))

/* MPICH's module mpi_f08 goes through the C calls where there are buffers (MPIR_Send_cdesc); where there
 * are none it goes past them. error may be absent. */
#ifdef MPICH
#define CALL_F08(name, parameters, arguments, note)                                               \
    extern void pmpir_##name##_f08_(UNPACK parameters, Int error) __attribute__((weak));          \
    void mpi_##name##_f08_(UNPACK parameters, Int error)                                          \
    {                                                                                             \
        if (!pmpir_##name##_f08_)                                                                 \
            lacking("pmpir_" #name "_f08_");                                                      \
        record_seen = 0;                                                                          \
        pmpir_##name##_f08_(UNPACK arguments, error);                                             \
        if (!record_seen && (!error || *error == MPI_SUCCESS)) {                                  \
            note;                                                                                 \
        }                                                                                         \
    }
CALL_F08(init_thread, (Int required, Int provided), (required, provided), record_begin())
CALL_F08(start, (Int request), (request), record_start(MPI_Request_f2c(*request)))
CALL_F08(startall, (Int count, Int requests), (count, requests),
         for (int i = 0; i < *count; i++) record_start(MPI_Request_f2c(requests[i])))
CALL_F08(barrier, (Int comm), (comm), record_barrier(COMM))
CALL_F08(ibarrier, (Int comm, Int request), (comm, request), record_barrier(COMM))

extern void pmpir_init_f08_(Int error) __attribute__((weak));
void mpi_init_f08_(Int error)
{
    if (!pmpir_init_f08_)
        lacking("pmpir_init_f08_");
    pmpir_init_f08_(error);
    if (!error || *error == MPI_SUCCESS)
        record_begin();
}

extern void pmpir_finalize_f08_(Int error) __attribute__((weak));
void mpi_finalize_f08_(Int error)
{
    if (!pmpir_finalize_f08_)
        lacking("pmpir_finalize_f08_");
    record_end();
    pmpir_finalize_f08_(error);
}

extern void pmpir_pcontrol_f08_(Int level) __attribute__((weak));
void mpi_pcontrol_f08_(Int level)
{
    if (!pmpir_pcontrol_f08_)
        lacking("pmpir_pcontrol_f08_");
    pmpir_pcontrol_f08_(level);
    record_phase(*level);
}

extern void pmpir_request_free_f08_(Int request, Int error) __attribute__((weak));
void mpi_request_free_f08_(Int request, Int error)
{
    if (!pmpir_request_free_f08_)
        lacking("pmpir_request_free_f08_");
    record_forget(MPI_Request_f2c(*request));
    pmpir_request_free_f08_(request, error);
}
#endif

/* The MPI calls of C programs: each makes the real call and counts it when it succeeded. */
#include "record.h"

#define DO(call, note)          \
    int code = call;            \
    if (code == MPI_SUCCESS) {  \
        note;                   \
    }                           \
    record_seen = 1;            \
    return code

int MPI_Init(int *argc, char ***argv) { DO(PMPI_Init(argc, argv), record_begin()); }

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    DO(PMPI_Init_thread(argc, argv, required, provided), record_begin());
}

int MPI_Finalize(void)
{
    record_end();
    return PMPI_Finalize();
}

int MPI_Pcontrol(const int level, ...) { DO(PMPI_Pcontrol(level), record_phase(level)); }

/* Sends. */

#define SEND(name)                                                                                      \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)    \
    {                                                                                                   \
        DO(PMPI_##name(buffer, count, type, to, tag, comm), record_send(comm, to, count, type));        \
    }
SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)

#define ISEND(name)                                                                                     \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,    \
                   MPI_Request *request)                                                                \
    {                                                                                                   \
        DO(PMPI_##name(buffer, count, type, to, tag, comm, request), record_send(comm, to, count, type)); \
    }
ISEND(Isend)
ISEND(Issend)
ISEND(Ibsend)
ISEND(Irsend)

#define SEND_INIT(name)                                                                                 \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,    \
                   MPI_Request *request)                                                                \
    {                                                                                                   \
        DO(PMPI_##name(buffer, count, type, to, tag, comm, request),                                    \
           record_persistent(comm, to, count, type, *request));                                         \
    }
SEND_INIT(Send_init)
SEND_INIT(Ssend_init)
SEND_INIT(Bsend_init)
SEND_INIT(Rsend_init)

int MPI_Start(MPI_Request *request) { DO(PMPI_Start(request), record_start(*request)); }

int MPI_Startall(int count, MPI_Request requests[])
{
    DO(PMPI_Startall(count, requests), for (int i = 0; i < count; i++) record_start(requests[i]));
}

int MPI_Request_free(MPI_Request *request)
{
    record_forget(*request);
    DO(PMPI_Request_free(request), );
}

int MPI_Sendrecv(const void *out, int count, MPI_Datatype type, int to, int tag, void *in, int most,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    DO(PMPI_Sendrecv(out, count, type, to, tag, in, most, in_type, from, in_tag, comm, status),
       record_send(comm, to, count, type));
}

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status *status)
{
    DO(PMPI_Sendrecv_replace(buffer, count, type, to, tag, from, in_tag, comm, status),
       record_send(comm, to, count, type));
}

#if MPI_VERSION >= 4
int MPI_Isendrecv(const void *out, int count, MPI_Datatype type, int to, int tag, void *in, int most,
                  MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Request *request)
{
    DO(PMPI_Isendrecv(out, count, type, to, tag, in, most, in_type, from, in_tag, comm, request),
       record_send(comm, to, count, type));
}

int MPI_Isendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int tag, int from, int in_tag,
                          MPI_Comm comm, MPI_Request *request)
{
    DO(PMPI_Isendrecv_replace(buffer, count, type, to, tag, from, in_tag, comm, request),
       record_send(comm, to, count, type));
}
#endif

/* One-sided communication. */

#define TARGET int to, MPI_Aint at, int there, MPI_Datatype there_type

int MPI_Put(const void *buffer, int count, MPI_Datatype type, TARGET, MPI_Win win)
{
    DO(PMPI_Put(buffer, count, type, to, at, there, there_type, win), record_put(win, to, count, type));
}

int MPI_Rput(const void *buffer, int count, MPI_Datatype type, TARGET, MPI_Win win, MPI_Request *request)
{
    DO(PMPI_Rput(buffer, count, type, to, at, there, there_type, win, request),
       record_put(win, to, count, type));
}

int MPI_Get(void *buffer, int count, MPI_Datatype type, TARGET, MPI_Win win)
{
    DO(PMPI_Get(buffer, count, type, to, at, there, there_type, win), record_get(win, to, count, type));
}

int MPI_Rget(void *buffer, int count, MPI_Datatype type, TARGET, MPI_Win win, MPI_Request *request)
{
    DO(PMPI_Rget(buffer, count, type, to, at, there, there_type, win, request),
       record_get(win, to, count, type));
}

int MPI_Accumulate(const void *buffer, int count, MPI_Datatype type, TARGET, MPI_Op op, MPI_Win win)
{
    DO(PMPI_Accumulate(buffer, count, type, to, at, there, there_type, op, win),
       record_put(win, to, count, type));
}

int MPI_Raccumulate(const void *buffer, int count, MPI_Datatype type, TARGET, MPI_Op op, MPI_Win win,
                    MPI_Request *request)
{
    DO(PMPI_Raccumulate(buffer, count, type, to, at, there, there_type, op, win, request),
       record_put(win, to, count, type));
}

int MPI_Get_accumulate(const void *buffer, int count, MPI_Datatype type, void *result, int results,
                       MPI_Datatype result_type, TARGET, MPI_Op op, MPI_Win win)
{
    DO(PMPI_Get_accumulate(buffer, count, type, result, results, result_type, to, at, there, there_type, op,
                           win),
       record_both_ways(win, to, op == MPI_NO_OP ? 0 : count, type, results, result_type));
}

int MPI_Rget_accumulate(const void *buffer, int count, MPI_Datatype type, void *result, int results,
                        MPI_Datatype result_type, TARGET, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    DO(PMPI_Rget_accumulate(buffer, count, type, result, results, result_type, to, at, there, there_type, op,
                            win, request),
       record_both_ways(win, to, op == MPI_NO_OP ? 0 : count, type, results, result_type));
}

int MPI_Fetch_and_op(const void *buffer, void *result, MPI_Datatype type, int to, MPI_Aint at, MPI_Op op,
                     MPI_Win win)
{
    DO(PMPI_Fetch_and_op(buffer, result, type, to, at, op, win),
       record_both_ways(win, to, op == MPI_NO_OP ? 0 : 1, type, 1, type));
}

int MPI_Compare_and_swap(const void *buffer, const void *compare, void *result, MPI_Datatype type, int to,
                         MPI_Aint at, MPI_Win win)
{
    DO(PMPI_Compare_and_swap(buffer, compare, result, type, to, at, win),
       record_both_ways(win, to, 2, type, 1, type));
}

/* Collectives, blocking and nonblocking. UNPACK takes the brackets off a list of parameters. */

#define UNPACK(...) __VA_ARGS__

#define BOTH(name, iname, parameters, arguments, note)                                            \
    int MPI_##name(UNPACK parameters) { DO(PMPI_##name(UNPACK arguments), note); }                \
    int MPI_##iname(UNPACK parameters, MPI_Request *request)                                      \
    {                                                                                             \
        DO(PMPI_##iname(UNPACK arguments, request), note);                                        \
    }

BOTH(Barrier, Ibarrier,
     (MPI_Comm comm),
     (comm),
     record_barrier(comm))

BOTH(Bcast, Ibcast,
     (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
     (buffer, count, type, root, comm),
     record_bcast(comm, count, type, root))

BOTH(Gather, Igather,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, int received, MPI_Datatype
      received_type, int root, MPI_Comm comm),
     (out, sent, sent_type, in, received, received_type, root, comm),
     record_gather(comm, sent, sent_type, root))

BOTH(Gatherv, Igatherv,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, const int received[], const int
      in_places[], MPI_Datatype received_type, int root, MPI_Comm comm),
     (out, sent, sent_type, in, received, in_places, received_type, root, comm),
     record_gatherv(comm, sent, sent_type, root))

BOTH(Scatter, Iscatter,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, int received, MPI_Datatype
      received_type, int root, MPI_Comm comm),
     (out, sent, sent_type, in, received, received_type, root, comm),
     record_scatter(comm, sent, sent_type, received, received_type, root))

BOTH(Scatterv, Iscatterv,
     (const void *out, const int sent[], const int places[], MPI_Datatype sent_type, void *in, int
      received, MPI_Datatype received_type, int root, MPI_Comm comm),
     (out, sent, places, sent_type, in, received, received_type, root, comm),
     record_scatterv(comm, sent, sent_type, root))

BOTH(Allgather, Iallgather,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, int received, MPI_Datatype
      received_type, MPI_Comm comm),
     (out, sent, sent_type, in, received, received_type, comm),
     record_allgather(comm, sent, sent_type, received, received_type))

BOTH(Allgatherv, Iallgatherv,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, const int received[], const int
      in_places[], MPI_Datatype received_type, MPI_Comm comm),
     (out, sent, sent_type, in, received, in_places, received_type, comm),
     record_allgatherv(comm, sent, sent_type, received, received_type))

BOTH(Alltoall, Ialltoall,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, int received, MPI_Datatype
      received_type, MPI_Comm comm),
     (out, sent, sent_type, in, received, received_type, comm),
     record_alltoall(comm, sent, sent_type, received, received_type))

BOTH(Alltoallv, Ialltoallv,
     (const void *out, const int sent[], const int places[], MPI_Datatype sent_type, void *in, const int
      received[], const int in_places[], MPI_Datatype received_type, MPI_Comm comm),
     (out, sent, places, sent_type, in, received, in_places, received_type, comm),
     record_alltoallv(comm, out == MPI_IN_PLACE, sent, sent_type, received, received_type))

BOTH(Alltoallw, Ialltoallw,
     (const void *out, const int sent[], const int places[], const MPI_Datatype sent_types[], void *in,
      const int received[], const int in_places[], const MPI_Datatype received_types[], MPI_Comm comm),
     (out, sent, places, sent_types, in, received, in_places, received_types, comm),
     record_alltoallw(comm, out == MPI_IN_PLACE, sent, sent_types, received, received_types))

BOTH(Reduce, Ireduce,
     (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     (out, in, count, type, op, root, comm),
     record_reduce(comm, count, type, root))

BOTH(Allreduce, Iallreduce,
     (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, count, type, op, comm),
     record_allreduce(comm, count, type))

BOTH(Reduce_scatter, Ireduce_scatter,
     (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, counts, type, op, comm),
     record_reduce_scatter(comm, counts, type))

BOTH(Reduce_scatter_block, Ireduce_scatter_block,
     (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, count, type, op, comm),
     record_reduce_scatter_block(comm, count, type))

BOTH(Scan, Iscan,
     (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, count, type, op, comm),
     record_scan(comm, count, type))

BOTH(Exscan, Iexscan,
     (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, count, type, op, comm),
     record_scan(comm, count, type))

BOTH(Neighbor_allgather, Ineighbor_allgather,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, int received, MPI_Datatype
      received_type, MPI_Comm comm),
     (out, sent, sent_type, in, received, received_type, comm),
     record_neighbor(comm, sent, sent_type))

BOTH(Neighbor_allgatherv, Ineighbor_allgatherv,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, const int received[], const int
      in_places[], MPI_Datatype received_type, MPI_Comm comm),
     (out, sent, sent_type, in, received, in_places, received_type, comm),
     record_neighbor(comm, sent, sent_type))

BOTH(Neighbor_alltoall, Ineighbor_alltoall,
     (const void *out, int sent, MPI_Datatype sent_type, void *in, int received, MPI_Datatype
      received_type, MPI_Comm comm),
     (out, sent, sent_type, in, received, received_type, comm),
     record_neighbor(comm, sent, sent_type))

BOTH(Neighbor_alltoallv, Ineighbor_alltoallv,
     (const void *out, const int sent[], const int places[], MPI_Datatype sent_type, void *in, const int
      received[], const int in_places[], MPI_Datatype received_type, MPI_Comm comm),
     (out, sent, places, sent_type, in, received, in_places, received_type, comm),
     record_neighborv(comm, sent, sent_type))

BOTH(Neighbor_alltoallw, Ineighbor_alltoallw,
     (const void *out, const int sent[], const MPI_Aint places[], const MPI_Datatype sent_types[], void
      *in, const int received[], const MPI_Aint in_places[], const MPI_Datatype received_types[],
      MPI_Comm comm),
     (out, sent, places, sent_types, in, received, in_places, received_types, comm),
     record_neighborw(comm, sent, sent_types))

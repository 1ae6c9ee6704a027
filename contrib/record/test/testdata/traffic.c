/* Sends known traffic by every call that libremap_record.so counts, each in a phase of its own
 * (MPI_Pcontrol). record_test.go knows what every phase must hold. From 4 to 1024 processes. With an
 * argument, only the sends of which Open MPI's monitoring knows exactly. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static int me, n, next, last;
static char out[1 << 20], in[1 << 20];

static void point_to_point(void)
{
    MPI_Request request;
    static char space[4096];
    MPI_Pcontrol(1); /* 100 + 200 + 400 + 800 bytes to the next rank */
    MPI_Irecv(in, 400, MPI_BYTE, last, 3, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD); /* for Rsend; phase 1 has this barrier, too */
    MPI_Rsend(out, 400, MPI_BYTE, next, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(out, 100, MPI_BYTE, next, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 100, MPI_BYTE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 200, MPI_BYTE, last, 2, MPI_COMM_WORLD, &request);
    MPI_Ssend(out, 200, MPI_BYTE, next, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Buffer_attach(space, sizeof space);
    MPI_Bsend(out, 800, MPI_BYTE, next, 4, MPI_COMM_WORLD);
    MPI_Recv(in, 800, MPI_BYTE, last, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Pcontrol(2); /* the same to the rank before, nonblocking, without a barrier */
    MPI_Request all[8];
    for (int i = 0; i < 4; i++)
        MPI_Irecv(in + 1000 * i, 1000, MPI_BYTE, next, i, MPI_COMM_WORLD, &all[i]);
    MPI_Pcontrol(-1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(2);
    MPI_Isend(out, 100, MPI_BYTE, last, 0, MPI_COMM_WORLD, &all[4]);
    MPI_Issend(out, 200, MPI_BYTE, last, 1, MPI_COMM_WORLD, &all[5]);
    MPI_Irsend(out, 400, MPI_BYTE, last, 2, MPI_COMM_WORLD, &all[6]);
    MPI_Ibsend(out, 800, MPI_BYTE, last, 3, MPI_COMM_WORLD, &all[7]);
    MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
    int size;
    void *attached;
    MPI_Buffer_detach(&attached, &size);

    MPI_Pcontrol(3); /* 24 + 48 bytes to the next rank, 5 bytes to itself; nothing to MPI_PROC_NULL */
    MPI_Sendrecv(out, 3, MPI_DOUBLE, next, 0, in, 3, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 6, MPI_DOUBLE, next, 0, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 5, MPI_BYTE, 0, 0, in, 5, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Send(out, 7, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(out, 9, MPI_BYTE, MPI_PROC_NULL, 0, in, 9, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Request all[5];
    MPI_Pcontrol(4); /* to the next rank 3 x 80 bytes of the first, 2 x (80 + 8 + 16 + 32) of all */
    MPI_Send_init(out, 10, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Ssend_init(out, 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Bsend_init(out, 2, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &all[2]);
    MPI_Rsend_init(out, 4, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &all[3]);
    MPI_Send_init(out, 4, MPI_DOUBLE, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &all[4]);
    static char space[4096];
    int size;
    void *attached;
    MPI_Buffer_attach(space, sizeof space);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&all[0]);
        MPI_Recv(in, 80, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&all[0], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Request received[4];
        for (int k = 0; k < 4; k++)
            MPI_Irecv(in + 100 * k, 100, MPI_BYTE, last, k, MPI_COMM_WORLD, &received[k]);
        MPI_Pcontrol(-1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(4);
        MPI_Startall(5, all);
        MPI_Waitall(5, all, MPI_STATUSES_IGNORE);
        MPI_Waitall(4, received, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < 5; k++)
        MPI_Request_free(&all[k]);
    MPI_Buffer_detach(&attached, &size);
    /* Requests of receives, perhaps with the handles of those freed, send nothing. */
    for (int k = 0; k < 5; k++)
        MPI_Recv_init(in + 100 * k, 100, MPI_BYTE, MPI_PROC_NULL, k, MPI_COMM_WORLD, &all[k]);
    MPI_Startall(5, all);
    MPI_Waitall(5, all, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 5; k++)
        MPI_Request_free(&all[k]);
}

static void types_and_communicators(void)
{
    MPI_Pcontrol(5); /* 5 of 3 x 2 doubles, 240 bytes, to the next rank */
    MPI_Datatype type;
    MPI_Type_vector(3, 2, 7, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(out, 5, type, next, 0, in, 5, type, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);

    /* Twice, because a second communicator may get the handle of the first: ranks in reverse, number 0
     * sends 10 + its own number bytes to each; then even and odd ranks, number 0 sends 1000 to each. */
    for (int round = 0; round < 2; round++) {
        MPI_Comm comm;
        int here, size;
        MPI_Pcontrol(-1);
        MPI_Comm_split(MPI_COMM_WORLD, round ? me % 2 : 0, round ? me : n - me, &comm);
        MPI_Comm_rank(comm, &here);
        MPI_Comm_size(comm, &size);
        MPI_Pcontrol(6 + round);
        for (int i = 1; i < size && here == 0; i++)
            MPI_Send(out, round ? 1000 : 10 + i, MPI_BYTE, i, 0, comm);
        if (here > 0)
            MPI_Recv(in, 1000, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
    }
}

/* Between the lower half and the rest: number i of the lower half sends 77 bytes to number i. */
static void between_groups(void)
{
    MPI_Comm half, both;
    int lower = me < n / 2;
    MPI_Pcontrol(-1);
    MPI_Comm_split(MPI_COMM_WORLD, lower, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? n / 2 : 0, 5, &both);
    MPI_Pcontrol(8);
    if (lower)
        MPI_Send(out, 77, MPI_BYTE, me, 0, both);
    else if (me - n / 2 < n / 2)
        MPI_Recv(in, 77, MPI_BYTE, me - n / 2, 0, both, MPI_STATUS_IGNORE);
    MPI_Pcontrol(9); /* rank 0 to all of the rest 8 bytes; each of a half 16 bytes to each of the other */
    MPI_Bcast(out, 1, MPI_DOUBLE, lower ? (me == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, both);
    MPI_Alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, both);
    MPI_Pcontrol(-1);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void one_sided(void)
{
    double *memory;
    MPI_Win win;
    MPI_Request request;
    MPI_Pcontrol(-1);
    MPI_Win_allocate(8000, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Pcontrol(10); /* to the next rank 8 x (10 + 20 + 1 + 1); from it 8 x (30 + 1 + 1), where the last two
                       * are of Get_accumulate and Fetch_and_op */
    MPI_Put(out, 10, MPI_DOUBLE, next, 0, 10, MPI_DOUBLE, win);
    MPI_Get(in, 30, MPI_DOUBLE, next, 0, 30, MPI_DOUBLE, win);
    MPI_Accumulate(out, 20, MPI_DOUBLE, next, 100, 20, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Get_accumulate(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, next, 200, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Fetch_and_op(out, in, MPI_DOUBLE, next, 300, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Put(out, 10, MPI_DOUBLE, MPI_PROC_NULL, 0, 10, MPI_DOUBLE, win);
    MPI_Pcontrol(11); /* the same by requests, but for Fetch_and_op */
    MPI_Rput(out, 10, MPI_DOUBLE, next, 0, 10, MPI_DOUBLE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget(in, 30, MPI_DOUBLE, next, 0, 30, MPI_DOUBLE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Raccumulate(out, 20, MPI_DOUBLE, next, 100, 20, MPI_DOUBLE, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, next, 200, 1, MPI_DOUBLE, MPI_SUM, win,
                        &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Pcontrol(-1);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void neighbors(void)
{
    MPI_Comm ring, graph;
    int periodic = 1, counts[2] = {1, 2}, places[2] = {0, 8}, sources[1] = {last}, targets[2] = {next, 0};
    MPI_Aint offsets[2] = {0, 64};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Request request;
    MPI_Pcontrol(-1);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &ring);
    MPI_Pcontrol(12); /* 24 bytes both ways; 32 both ways; 8 back and 16 on; 8 back and 8 on; as many again */
    MPI_Neighbor_allgather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, ring);
    MPI_Neighbor_alltoall(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE, ring);
    int received[2] = {2, 1};
    MPI_Neighbor_alltoallv(out, counts, places, MPI_DOUBLE, in, received, places, MPI_DOUBLE, ring);
    MPI_Datatype received_types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Neighbor_alltoallw(out, counts, offsets, types, in, received, offsets, received_types, ring);
    MPI_Ineighbor_allgather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoall(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoallv(out, counts, places, MPI_DOUBLE, in, received, places, MPI_DOUBLE, ring,
                            &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoallw(out, counts, offsets, types, in, received, offsets, received_types, ring,
                            &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);

    MPI_Pcontrol(-1);
    int all[1 << 10];
    for (int i = 0; i < n; i++)
        all[i] = i;
    if (me == 0) /* all send rank 0 and the next rank, and rank 0 hears all and the last */
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, all, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &graph);
    else
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, me == n - 1 ? 1 : 2,
                                       targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Pcontrol(13); /* 48 bytes to rank 0 and to the next one, which is rank 0 for the last */
    int numbers[1 << 10], from[1 << 10];
    for (int i = 0; i < n; i++)
        numbers[i] = 6, from[i] = 6 * i;
    MPI_Neighbor_allgatherv(out, 6, MPI_DOUBLE, in, numbers, from, MPI_DOUBLE, graph);
    MPI_Comm_free(&graph);
}

/* Collectives: phase 20 on, every call once, nonblocking once and, where it may be, in place once. */
#define TWICE(name, iname, ...)                   \
    MPI_##name(__VA_ARGS__, MPI_COMM_WORLD);      \
    MPI_##iname(__VA_ARGS__, MPI_COMM_WORLD, &r); \
    MPI_Wait(&r, MPI_STATUS_IGNORE)

static void rooted(void)
{
    MPI_Request r;
    int counts[1 << 10], places[1 << 10], sum = 0;
    for (int i = 0; i < n; i++)
        places[i] = sum, sum += counts[i] = i % 3;
    MPI_Pcontrol(20);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Pcontrol(21); /* root 1, 800 bytes */
    TWICE(Bcast, Ibcast, out, 100, MPI_DOUBLE, 1);
    MPI_Pcontrol(22);
    TWICE(Reduce, Ireduce, out, in, 100, MPI_DOUBLE, MPI_SUM, 1);
    MPI_Reduce(me == 1 ? MPI_IN_PLACE : out, in, 100, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Pcontrol(23); /* blocks of 24 bytes */
    TWICE(Gather, Igather, out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, 1);
    MPI_Gather(me == 1 ? MPI_IN_PLACE : out, me == 1 ? 0 : 3, me == 1 ? MPI_DATATYPE_NULL : MPI_DOUBLE, in, 3,
               MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Pcontrol(24);
    TWICE(Scatter, Iscatter, out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, 1);
    MPI_Scatter(out, 3, MPI_DOUBLE, me == 1 ? MPI_IN_PLACE : in, 3, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Pcontrol(25); /* rank i: 8 (i % 3) bytes to or from the root */
    TWICE(Gatherv, Igatherv, out, counts[me], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, 1);
    MPI_Pcontrol(26);
    TWICE(Scatterv, Iscatterv, out, counts, places, MPI_DOUBLE, in, counts[me], MPI_DOUBLE, 1);
}

static void all_to_all(void)
{
    MPI_Request r;
    int counts[1 << 10], places[1 << 10], mine[1 << 10], offsets[1 << 10], sum = 0;
    MPI_Datatype types[1 << 10];
    for (int i = 0; i < n; i++) {
        places[i] = sum, sum += counts[i] = i % 3;
        mine[i] = me == i ? 2 : (me + i) % 3; /* the same both ways */
        offsets[i] = 64 * i;
        types[i] = MPI_DOUBLE;
    }
    MPI_Pcontrol(30); /* blocks of 80 bytes: short */
    TWICE(Allgather, Iallgather, out, 10, MPI_DOUBLE, in, 10, MPI_DOUBLE);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 10, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Pcontrol(31); /* blocks of 131,072 bytes: a ring for 4 and more ranks */
    MPI_Allgather(out, 1 << 14, MPI_DOUBLE, in, 1 << 14, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Pcontrol(32); /* rank i: 8 (i % 3) bytes */
    TWICE(Allgatherv, Iallgatherv, out, counts[me], MPI_DOUBLE, in, counts, places, MPI_DOUBLE);
    MPI_Pcontrol(33); /* 24 bytes a pair */
    TWICE(Alltoall, Ialltoall, out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        places[i] = 8 * i;
    MPI_Pcontrol(34); /* 8 ((i + j) % 3) bytes */
    TWICE(Alltoallv, Ialltoallv, out, mine, places, MPI_DOUBLE, in, mine, places, MPI_DOUBLE);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, mine, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Pcontrol(35);
    TWICE(Alltoallw, Ialltoallw, out, mine, offsets, types, in, mine, offsets, types);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, mine, offsets, types, MPI_COMM_WORLD);
}

static void reductions(void)
{
    MPI_Request r;
    int counts[1 << 10];
    for (int i = 0; i < n; i++)
        counts[i] = i % 3;
    MPI_Pcontrol(40); /* 800 bytes */
    TWICE(Allreduce, Iallreduce, out, in, 100, MPI_DOUBLE, MPI_SUM);
    MPI_Allreduce(MPI_IN_PLACE, in, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(41); /* 80,024 bytes */
    MPI_Allreduce(out, in, 10003, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(42); /* rank i keeps 8 (i % 3) bytes */
    TWICE(Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_DOUBLE, MPI_SUM);
    MPI_Pcontrol(43); /* every rank keeps 24 bytes */
    TWICE(Reduce_scatter_block, Ireduce_scatter_block, out, in, 3, MPI_DOUBLE, MPI_SUM);
    MPI_Pcontrol(44); /* 24 bytes */
    TWICE(Scan, Iscan, out, in, 3, MPI_DOUBLE, MPI_SUM);
    TWICE(Exscan, Iexscan, out, in, 3, MPI_DOUBLE, MPI_SUM);
}

/* Threads: four send 250 messages of 4 bytes each to their own rank at the same time. */
static void *talk(void *argument)
{
    int tag = (int)(long)argument;
    for (int i = 0; i < 250; i++) {
        MPI_Request request;
        MPI_Isend(out, 4, MPI_BYTE, me, tag, MPI_COMM_WORLD, &request);
        MPI_Recv(in + 4 * tag, 4, MPI_BYTE, me, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    next = (me + 1) % n;
    last = (me + n - 1) % n;
    point_to_point();
    types_and_communicators();
    if (argc == 1) {
        persistent();
        between_groups();
        one_sided();
        neighbors();
        rooted();
        all_to_all();
        reductions();
    }
    MPI_Pcontrol(50);
    if (level == MPI_THREAD_MULTIPLE) {
        pthread_t threads[4];
        for (long i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, talk, (void *)i);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else {
        for (long i = 0; i < 4; i++)
            talk((void *)i);
    }
    MPI_Pcontrol(-1);
    MPI_Finalize();
    return 0;
}

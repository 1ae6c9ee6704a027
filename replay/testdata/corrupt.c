/* A preload library: the third message of rank 1 has a wrong bit. */
#include <mpi.h>

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    static int calls;
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && comm == MPI_COMM_WORLD && to != MPI_PROC_NULL && ++calls == 3)
        ((unsigned char *)buffer)[7] ^= 0x40;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

! Sends known traffic from Fortran, each kind in a phase of its own (mpi_pcontrol); with F08 defined by
! the module mpi_f08, else by the module mpi. record_test.go knows what every phase must hold.
program traffic
#ifdef F08
    use mpi_f08
#define HANDLE(kind) type(kind)
#else
    use mpi
#define HANDLE(kind) integer
#endif
    implicit none
    integer :: rank, ranks, next, last, error, i
    integer, allocatable :: counts(:), places(:)
    double precision :: out(4096), in(4096)
    HANDLE(MPI_Request) :: all(2), received(2)
    HANDLE(MPI_Comm) :: comm

    call mpi_init(error)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
    call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    out = 0

    call mpi_pcontrol(1) ! 8 x (3 + 5 + 7) bytes to the next rank, of which the first two by their own
    call mpi_irecv(in, 3, MPI_DOUBLE_PRECISION, last, 0, MPI_COMM_WORLD, all(1), error)
    call mpi_send(out, 3, MPI_DOUBLE_PRECISION, next, 0, MPI_COMM_WORLD, error)
    call mpi_wait(all(1), MPI_STATUS_IGNORE, error)
    call mpi_isend(out, 5, MPI_DOUBLE_PRECISION, next, 0, MPI_COMM_WORLD, all(1), error)
    call mpi_recv(in, 5, MPI_DOUBLE_PRECISION, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call mpi_wait(all(1), MPI_STATUS_IGNORE, error)
    call mpi_sendrecv(out, 7, MPI_DOUBLE_PRECISION, next, 0, in, 7, MPI_DOUBLE_PRECISION, last, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call mpi_send(out, 7, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_COMM_WORLD, error)

    call mpi_pcontrol(2) ! persistent: twice 8 x 2 and once more 8 x 2 and 8 x 4 bytes to the next rank
    call mpi_send_init(out, 2, MPI_DOUBLE_PRECISION, next, 0, MPI_COMM_WORLD, all(1), error)
    call mpi_ssend_init(out, 4, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, all(2), error)
    do i = 1, 2
        call mpi_start(all(1), error)
        call mpi_recv(in, 2, MPI_DOUBLE_PRECISION, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call mpi_wait(all(1), MPI_STATUS_IGNORE, error)
    end do
    call mpi_startall(2, all, error)
    call mpi_irecv(in, 2, MPI_DOUBLE_PRECISION, last, 0, MPI_COMM_WORLD, received(1), error)
    call mpi_irecv(in(100), 4, MPI_DOUBLE_PRECISION, last, 1, MPI_COMM_WORLD, received(2), error)
    call mpi_waitall(2, all, MPI_STATUSES_IGNORE, error)
    call mpi_waitall(2, received, MPI_STATUSES_IGNORE, error)
    call mpi_request_free(all(1), error)
    call mpi_request_free(all(2), error)

    call mpi_pcontrol(3) ! in ranks reversed: number 0 sends number 1 8 bytes
    call mpi_comm_split(MPI_COMM_WORLD, 0, ranks - rank, comm, error)
    if (rank == ranks - 1) call mpi_send(out, 1, MPI_DOUBLE_PRECISION, 1, 0, comm, error)
    if (rank == ranks - 2) call mpi_recv(in, 1, MPI_DOUBLE_PRECISION, 0, 0, comm, MPI_STATUS_IGNORE, error)
    call mpi_comm_free(comm, error)

    call mpi_pcontrol(4)
    call mpi_barrier(MPI_COMM_WORLD, error)
    call mpi_pcontrol(5) ! 80 bytes from rank 1
    call mpi_bcast(out, 10, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
    call mpi_pcontrol(6) ! 24 bytes, nonblocking, too, and in place
    call mpi_allreduce(out, in, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call mpi_iallreduce(out, in, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, all(1), error)
    call mpi_wait(all(1), MPI_STATUS_IGNORE, error)
    call mpi_allreduce(MPI_IN_PLACE, in, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)

    allocate (counts(ranks), places(ranks))
    do i = 1, ranks
        counts(i) = mod(rank + i - 1, 3)
        places(i) = 8 * i
    end do
    call mpi_pcontrol(7) ! 8 ((i + j) mod 3) bytes, then again in place, where the first counts say nothing
    call mpi_alltoallv(out, counts, places, MPI_DOUBLE_PRECISION, in, counts, places, MPI_DOUBLE_PRECISION, &
                       MPI_COMM_WORLD, error)
    places(:) = 8 * [(i, i = 1, ranks)]
    call mpi_alltoallv(MPI_IN_PLACE, 0 * counts, places, MPI_DOUBLE_PRECISION, in, counts, places, &
                       MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
    call mpi_pcontrol(-1)
    call mpi_finalize(error)
end program

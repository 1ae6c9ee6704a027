/* What the programs of this folder have in common: they wait without spinning, and print when their
 * steps end.
 *
 * Many ranks share few processors with the kernel that forwards their packets. So a rank that waits
 * tests its requests, sleeps, and tests again; the sleep doubles from 100 us up to a limit. Behind the
 * sleep it waits until data have come, up to 10 ms. So a rank costs little while nothing comes, and
 * while data stream in it does not look at every packet. MPI goes on with transfers only inside its
 * functions, so computing is sleeping with tests in between.
 *
 * On standard output every rank prints, with CLOCK_MONOTONIC, which all processes of a machine share:
 *
 *     start rank R NANOSECONDS        after all connections exist and all ranks have met
 *     step K rank R NANOSECONDS       when the rank's part of step K, from 0, is over
 *
 * MPI_Pcontrol(1) and MPI_Pcontrol(-1) bracket the steps, so that a recording knows their messages. */
#ifndef STEPS_H
#define STEPS_H

#define _GNU_SOURCE /* ppoll */

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#define UNUSED __attribute__((unused))

enum {
    FIRST_SLEEP = 100000,   /* ns */
    LONGEST_WAIT = 10000000 /* ns: for a connection */
};

static int rank, ranks;               /* of MPI_COMM_WORLD */
static int64_t longest_sleep;         /* ns */
static struct pollfd sockets[2] = {{.events = POLLIN}, {.events = POLLIN}}; /* input, output */
static int socket_count;                                                  /* 0 = do not wait for them */
static MPI_Comm control = MPI_COMM_NULL; /* for what is no message of the program */

/* fail ends all ranks with a line that names this one. */
static void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void fail(const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "remap-replay: rank %d: %s\n", rank, text);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static UNUSED void *need(void *memory)
{
    if (!memory)
        fail("out of memory");
    return memory;
}

/* number reads a number of the command line. */
static UNUSED int64_t number(const char *what, const char *text, int64_t least, int64_t most)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (errno || end == text || *end || n < least || n > most)
        fail("%s is \"%s\": must be a number from %lld to %lld", what, text, (long long)least,
             (long long)most);
    return n;
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* find_sockets prepares waiting for the connections of Open MPI's TCP transport, all of which must
 * exist. Level-triggered input tells of data that MPI has not read; edge-triggered output of room in
 * a connection that was full. With another transport, or none named, there is nothing to wait for. */
static void find_sockets(void)
{
    const char *transport = getenv("OMPI_MCA_btl");
    DIR *folder = NULL;
    if (!transport || (strcmp(transport, "tcp,self") && strcmp(transport, "self,tcp")))
        return;
    sockets[0].fd = epoll_create1(EPOLL_CLOEXEC);
    sockets[1].fd = epoll_create1(EPOLL_CLOEXEC);
    if (sockets[0].fd < 0 || sockets[1].fd < 0 || !(folder = opendir("/proc/self/fd")))
        fail("cannot list the connections: %s", strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct sockaddr_storage peer;
        socklen_t length = sizeof peer;
        int fd = atoi(entry->d_name);
        if (getpeername(fd, (struct sockaddr *)&peer, &length) || peer.ss_family == AF_UNIX)
            continue;
        if (epoll_ctl(sockets[0].fd, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN}) ||
            epoll_ctl(sockets[1].fd, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLOUT | EPOLLET}))
            fail("cannot watch a connection: %s", strerror(errno));
    }
    closedir(folder);
    socket_count = 2;
}

/* rest sleeps, at most until a time, and makes the next sleep longer. After the sleep it waits on,
 * until a connection has something to do. */
static void rest(int64_t *length, int64_t until)
{
    struct epoll_event ignored[64];
    int64_t ns = *length < longest_sleep ? *length : longest_sleep, left = until - now();
    *length = 2 * ns;
    if (left <= 0)
        return;
    ns = ns < left ? ns : left;
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
    left -= ns;
    if (socket_count == 0 || left <= 0)
        return;
    left = left < LONGEST_WAIT ? left : LONGEST_WAIT;
    ppoll(sockets, socket_count, &(struct timespec){0, left}, NULL);
    if (sockets[1].revents)
        epoll_wait(sockets[1].fd, ignored, 64, 0);
}

/* wait_for waits for requests, which become MPI_REQUEST_NULL. It tests twice before it sleeps: where
 * not all have ended, MPI_Testall of Open MPI goes on with transfers and does not look again. */
static void wait_for(int count, MPI_Request *requests)
{
    int64_t length = FIRST_SLEEP;
    for (;;) {
        int done;
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (!done)
            MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done)
            return;
        rest(&length, INT64_MAX);
    }
}

static void meet(void)
{
    MPI_Request request;
    MPI_Ibarrier(control, &request);
    wait_for(1, &request);
}

/* steps_init starts MPI. */
static void steps_init(int *count, char ***arguments)
{
    MPI_Init(count, arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    longest_sleep = 1000000;
}

/* steps_limit sets the longest sleep, an argument of the program. */
static void steps_limit(const char *microseconds)
{
    longest_sleep = 1000 * number("the longest sleep in microseconds", microseconds, 1, 1000000);
}

/* steps_start connects this rank to its peers, who must name it too, and waits for all ranks. Open
 * MPI connects two ranks at their first message. */
static void steps_start(int count, const int *peers)
{
    static char out, in; /* without content, so that all receives may share one byte */
    MPI_Request *requests = need(calloc(2 * (size_t)count + 1, sizeof *requests));
    for (int i = 0; i < count; i++) {
        MPI_Irecv(&in, 0, MPI_CHAR, peers[i], 0, control, &requests[2 * i]);
        MPI_Isend(&out, 0, MPI_CHAR, peers[i], 0, control, &requests[2 * i + 1]);
    }
    wait_for(2 * count, requests);
    free(requests);
    meet();
    find_sockets();
    meet(); /* no rank begins while another one still looks */
    MPI_Pcontrol(1);
    printf("start rank %d %lld\n", rank, (long long)now());
    fflush(stdout);
}

static void step_end(int step)
{
    printf("step %d rank %d %lld\n", step, rank, (long long)now());
    fflush(stdout);
}

/* steps_stop is called behind the last step. What follows is verification; it must not take processor
 * time from ranks that are still in that step. */
static void steps_stop(void)
{
    MPI_Pcontrol(-1);
    meet();
}

/* steps_finish ends MPI when all ranks are through. Rank 0 then prints a line, if there is one. */
static void steps_finish(const char *line)
{
    meet();
    if (rank == 0 && line) {
        puts(line);
        fflush(stdout);
    }
    MPI_Comm_free(&control);
    MPI_Finalize();
}

#endif

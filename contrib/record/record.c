/* What libremap_record.so counts, and the files it writes. record.h says what is counted. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PHASES = 256,     /* different numbers of MPI_Pcontrol that get files of their own */
    CHUNK = 4096,     /* edges in a message to rank 0 */
    TAG = 1,          /* of these messages, in a communicator of their own */
    BUCKETS = 1 << 12 /* of the table of persistent requests */
};

/* tally counts what this process sends each rank of MPI_COMM_WORLD, and what it gets from each by
 * one-sided reads, which the other one cannot count. */
struct tally {
    int phase;
    uint64_t *bytes, *messages; /* length 2 * ranks: sent to each, then got from each */
};

/* persistent is a request of Send_init, and what its start sends. */
struct persistent {
    MPI_Request request;
    int world; /* destination */
    uint64_t bytes;
    struct persistent *next;
};

__thread int record_seen;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static int running;                                      /* between MPI_Init and MPI_Finalize */
static int ranks, rank;                                  /* of MPI_COMM_WORLD */
static struct peers everybody;                           /* of MPI_COMM_WORLD */
static MPI_Comm own_comm = MPI_COMM_NULL;                /* MPI_COMM_WORLD again, for the end */
static struct tally total, phases[PHASES], *current; /* current: NULL = no phase */
static int phase_count;
static uint64_t outside, unphased; /* messages out of MPI_COMM_WORLD; phases beyond PHASES */
static struct persistent *table[BUCKETS];
static char *prefix; /* of the files, absolute */

/* say writes a line to standard error. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("remap-record: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* need ends the program when memory is lacking: what it would record is wrong. */
void *record_need(void *memory)
{
    if (!memory) {
        say("rank %d: out of memory", rank);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* absolute is a path that a change of the working folder does not change. */
static char *absolute(const char *path)
{
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0), *all;
    if (!folder)
        return record_need(strdup(path));
    all = record_need(malloc(strlen(folder) + strlen(path) + 2));
    sprintf(all, "%s/%s", folder, path);
    free(folder);
    return all;
}

static void make(struct tally *t, int phase)
{
    t->phase = phase;
    t->bytes = record_need(calloc(2 * (size_t)ranks, sizeof *t->bytes));
    t->messages = record_need(calloc(2 * (size_t)ranks, sizeof *t->messages));
}

/* count adds a message to the total and to the phase in hand. got: the peer is its sender. */
static void count(int peer, uint64_t bytes, int got)
{
    if (peer < 0 || peer >= ranks) {
        outside++;
        return;
    }
    size_t at = (got ? (size_t)ranks : 0) + peer;
    total.bytes[at] += bytes;
    total.messages[at]++;
    if (current) {
        current->bytes[at] += bytes;
        current->messages[at]++;
    }
}

const struct peers *record_open(MPI_Comm comm)
{
    pthread_mutex_lock(&lock);
    if (running)
        return comm == MPI_COMM_WORLD ? &everybody : record_peers_of_comm(comm);
    pthread_mutex_unlock(&lock);
    return NULL;
}

void record_close(void) { pthread_mutex_unlock(&lock); }

/* world_rank is -1 outside MPI_COMM_WORLD. */
static int world_rank(const struct peers *p, int number) { return p->world ? p->world[number] : number; }

void record_add(const struct peers *p, int destination, uint64_t bytes)
{
    if (destination >= 0 && destination < p->size) /* others are MPI_PROC_NULL */
        count(world_rank(p, destination), bytes, 0);
}

uint64_t record_size(MPI_Count number, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (number <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    PMPI_Type_size_x(type, &size);
    return size > 0 ? (uint64_t)size * number : 0;
}

void record_send(MPI_Comm comm, int destination, MPI_Count number, MPI_Datatype type)
{
    if (destination == MPI_PROC_NULL)
        return;
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    record_add(p, destination, record_size(number, type));
    record_close();
}

static void one_sided(MPI_Win win, int target, MPI_Count number, MPI_Datatype type, int got)
{
    if (target == MPI_PROC_NULL)
        return;
    pthread_mutex_lock(&lock);
    if (running) {
        const struct peers *p = record_peers_of_win(win);
        if (target >= 0 && target < p->size)
            count(world_rank(p, target), record_size(number, type), got);
    }
    pthread_mutex_unlock(&lock);
}

void record_put(MPI_Win win, int target, MPI_Count number, MPI_Datatype type)
{
    one_sided(win, target, number, type, 0);
}

void record_get(MPI_Win win, int target, MPI_Count number, MPI_Datatype type)
{
    one_sided(win, target, number, type, 1);
}

void record_both_ways(MPI_Win win, int target, MPI_Count put, MPI_Datatype type, MPI_Count got,
                      MPI_Datatype got_type)
{
    if (put > 0)
        record_put(win, target, put, type);
    record_get(win, target, got, got_type);
}

/* place is where a request stands, or would stand, in the table. */
static struct persistent **place(MPI_Request request)
{
    uint64_t key = (uint64_t)(uintptr_t)request * 0x9e3779b97f4a7c15u;
    struct persistent **at = &table[key >> 52];
    while (*at && (*at)->request != request)
        at = &(*at)->next;
    return at;
}

void record_persistent(MPI_Comm comm, int destination, MPI_Count number, MPI_Datatype type,
                       MPI_Request request)
{
    if (destination == MPI_PROC_NULL)
        return;
    const struct peers *p = record_open(comm);
    if (!p)
        return;
    if (destination >= 0 && destination < p->size) {
        struct persistent **at = place(request);
        if (!*at)
            *at = record_need(calloc(1, sizeof **at));
        (*at)->request = request;
        (*at)->world = world_rank(p, destination);
        (*at)->bytes = record_size(number, type);
    }
    record_close();
}

void record_start(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    const struct persistent *found = running ? *place(request) : NULL;
    if (found)
        count(found->world, found->bytes, 0);
    pthread_mutex_unlock(&lock);
}

void record_forget(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    struct persistent **at = place(request), *found = *at;
    if (found) {
        *at = found->next;
        free(found);
    }
    pthread_mutex_unlock(&lock);
}

void record_phase(int number)
{
    pthread_mutex_lock(&lock);
    current = NULL;
    if (running && number >= 0) {
        int i = 0;
        while (i < phase_count && phases[i].phase != number)
            i++;
        if (i == phase_count && i < PHASES)
            make(&phases[phase_count++], number);
        if (i < PHASES)
            current = &phases[i];
        else
            unphased++;
    }
    pthread_mutex_unlock(&lock);
}

void record_begin(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    if (running)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        if (rank == 0)
            say("what spawned processes send is not recorded");
        return;
    }
    const char *name = getenv("REMAP_RECORD");
    prefix = absolute(name && name[0] ? name : "remap-record");
    everybody = (struct peers){.size = ranks, .me = rank, .degree = -1};
    make(&total, -1);
    PMPI_Comm_dup(MPI_COMM_WORLD, &own_comm);
    record_peers_begin();
    pthread_mutex_lock(&lock);
    running = 1;
    pthread_mutex_unlock(&lock);
}

/* output is a file that rank 0 writes: aside first, under its name when all went well. */
struct output {
    FILE *file;
    char *path, *aside;
    int error; /* errno of the first failure, or 0 */
};

/* open_output makes a new file beside the one that it will replace. O_EXCL follows no link. */
static struct output open_output(int phase)
{
    struct output o = {0};
    size_t room = strlen(prefix) + 80;
    o.path = record_need(malloc(room));
    o.aside = record_need(malloc(room));
    if (phase < 0)
        snprintf(o.path, room, "%s.csv", prefix);
    else
        snprintf(o.path, room, "%s.phase%d.csv", prefix, phase);
    snprintf(o.aside, room, "%s.%ld.tmp", o.path, (long)getpid());
    int handle = open(o.aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (handle < 0 || !(o.file = fdopen(handle, "w")))
        o.error = errno;
    if (handle >= 0 && !o.file) {
        close(handle);
        unlink(o.aside);
    }
    return o;
}

static void close_output(struct output *o)
{
    if (o->file) {
        int failed = ferror(o->file);
        if (fclose(o->file) || failed || rename(o->aside, o->path))
            o->error = errno ? errno : EIO;
        if (o->error)
            unlink(o->aside);
    }
    if (o->error)
        say("cannot write %s: %s", o->path, strerror(o->error));
    free(o->path);
    free(o->aside);
}

/* fill copies edges (peer, bytes, messages) from an index of the tally on; returns how many. */
static int fill(uint64_t *edges, const struct tally *t, size_t *at)
{
    int n = 0;
    for (; t && *at < 2 * (size_t)ranks && n < CHUNK; ++*at)
        if (t->messages[*at] > 0) {
            edges[3 * n] = *at;
            edges[3 * n + 1] = t->bytes[*at];
            edges[3 * n + 2] = t->messages[*at];
            n++;
        }
    return n;
}

/* print writes the edges of one rank. */
static void print(FILE *file, const uint64_t *edges, int n, int from)
{
    for (int i = 0; file && i < n; i++) {
        long long peer = edges[3 * i], me = from;
        int got = peer >= ranks;
        fprintf(file, "%lld,%lld,%llu,%llu\n", got ? peer - ranks : me, got ? me : peer,
                (unsigned long long)edges[3 * i + 1], (unsigned long long)edges[3 * i + 2]);
    }
}

/* collect has rank 0 write the edges of all ranks, one rank after the other, each when rank 0 calls it.
 * A chunk that is not full is the last of its rank. */
static void collect(const struct tally *t, FILE *file)
{
    uint64_t *edges = record_need(malloc(3 * CHUNK * sizeof *edges));
    size_t at = 0;
    int n = CHUNK;
    if (rank > 0) {
        PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, own_comm, MPI_STATUS_IGNORE);
        while (n == CHUNK) {
            n = fill(edges, t, &at);
            PMPI_Send(edges, 3 * n, MPI_UINT64_T, 0, TAG, own_comm);
        }
    }
    for (int from = 0; rank == 0 && from < ranks; from++) {
        if (from > 0)
            PMPI_Send(NULL, 0, MPI_BYTE, from, TAG, own_comm);
        for (n = CHUNK; n == CHUNK;) {
            if (from == 0) {
                n = fill(edges, t, &at);
            } else {
                MPI_Status status;
                PMPI_Recv(edges, 3 * CHUNK, MPI_UINT64_T, from, TAG, own_comm, &status);
                PMPI_Get_count(&status, MPI_UINT64_T, &n);
                n /= 3;
            }
            print(file, edges, n, from);
        }
    }
    free(edges);
}

/* write_all is one file, by all ranks together. t is NULL where this rank was not in the phase. */
static void write_all(const struct tally *t, int phase)
{
    struct output o = {0};
    if (rank == 0) {
        o = open_output(phase);
        if (o.file)
            fprintf(o.file, "# ranks %d\nsrc,dst,bytes,messages\n", ranks);
    }
    collect(t, o.file);
    if (rank == 0)
        close_output(&o);
}

/* next_phase is the lowest phase above one that any rank has been in, or INT64_MAX. */
static int64_t next_phase(int64_t after)
{
    int64_t mine = INT64_MAX, all = INT64_MAX;
    for (int i = 0; i < phase_count; i++)
        if (phases[i].phase > after && phases[i].phase < mine)
            mine = phases[i].phase;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MIN, own_comm);
    return all;
}

void record_end(void)
{
    pthread_mutex_lock(&lock);
    int was = running;
    running = 0;
    pthread_mutex_unlock(&lock);
    if (!was)
        return;
    write_all(&total, -1);
    for (int64_t phase = next_phase(-1); phase < INT64_MAX; phase = next_phase(phase)) {
        const struct tally *mine = NULL;
        for (int i = 0; i < phase_count; i++)
            if (phases[i].phase == phase)
                mine = &phases[i];
        write_all(mine, (int)phase);
    }
    uint64_t mine[2] = {outside, unphased}, sum[2] = {0, 0};
    PMPI_Reduce(mine, sum, 2, MPI_UINT64_T, MPI_SUM, 0, own_comm);
    if (rank == 0 && sum[0])
        say("%llu messages to processes outside MPI_COMM_WORLD are left out", (unsigned long long)sum[0]);
    if (rank == 0 && sum[1])
        say("more than %d phases on a rank: what came after is in %s.csv only", PHASES, prefix);
    record_peers_end();
    PMPI_Comm_free(&own_comm);
}

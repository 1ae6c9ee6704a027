/* replay plays a program of sends, receives, waits and computing (Go: workload.Program) with MPI.
 *
 *     replay FILE STEPS BYTES_PER_SECOND LONGEST_SLEEP_US
 *
 * The file is what replay.Write of Go writes. The program is one step, played STEPS times without a
 * barrier in between. Idle(bytes) lasts bytes / BYTES_PER_SECOND. A step ends for a rank when all its
 * requests have ended. Every message begins with its number among those of its sender, receiver and
 * tag; the receiver checks it. See steps.h for the output. */
#include "steps.h"

enum {
    ANY_TAG = 65535,
    LINE = 256,          /* longest line of the file */
    MESSAGE = 1 << 30,   /* most bytes of a message */
    CLASSES = 32         /* of buffers: powers of two */
};

enum kind { SEND, ISEND, RECEIVE, IRECEIVE, WAIT, WAITALL, IDLE, COMPUTE, KINDS };
static const char *const names[KINDS] = {"send", "isend", "receive", "ireceive", "wait", "waitall", "idle",
                                         "compute"};

/* op is an operation of this rank. */
struct op {
    enum kind kind;
    int peer, tag, exact; /* exact: a receive knows the size of its message */
    int64_t bytes;        /* of receives: most bytes of the message */
    int transfer;         /* sends, receives and waits: index of the transfer */
};

/* head is the start of a message; a shorter message has as much of it as fits. */
struct head {
    uint64_t number, sender, tag, bytes, step;
};

/* transfer is a message of the step in hand, sent or received. */
struct transfer {
    int op, done;
    int source, tag, bytes; /* of what has been received */
    int class;
    void *buffer;
    struct head head; /* of what has been received */
};

/* counter counts the messages to or from a peer with a tag. */
struct counter {
    int used, peer, tag;
    uint64_t count;
};

static const char *file;
static int64_t rank_line; /* of this rank's first operation in the file */
static struct op *ops;
static int op_count;
static struct transfer *transfers;
static int transfer_count;
static int *peers, peer_count;
static int wildcards; /* this rank has receives that leave open which message they take */
static double rate;
static int step;

static MPI_Request *open_requests; /* of the open transfers */
static int *open_transfers, open_count;
static int *completed; /* for MPI_Testsome */
static MPI_Status *statuses;

static struct counter *sent, *received;
static size_t table; /* length of both: a power of two */

static void bad(int64_t line, const char *what) __attribute__((noreturn));
static void bad(int64_t line, const char *what) { fail("%s:%lld: %s", file, (long long)line, what); }

/* read_line reads a line without its end. */
static void read_line(FILE *f, char *line, int64_t at)
{
    if (!fgets(line, LINE, f))
        bad(at, "the file ends too early");
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n')
        bad(at, "the line is cut off or too long");
    line[length - 1] = 0;
}

/* numbers reads count numbers, and nothing else, from a line. */
static void numbers(const char *text, int count, int64_t *to, int64_t at)
{
    for (int i = 0; i < count; i++) {
        char *end;
        errno = 0;
        to[i] = strtoll(text, &end, 10);
        if (errno || end == text)
            bad(at, "a number is missing or too large");
        text = end;
    }
    if (*text)
        bad(at, "there is more on the line than belongs there");
}

/* find_part moves to this rank's part of the file. */
static void find_part(FILE *f)
{
    char line[LINE];
    int64_t n[4], mine[4] = {0};
    read_line(f, line, 1);
    if (strncmp(line, "remap-replay 1 ", 15))
        bad(1, "this is no program for replay");
    numbers(line + 15, 1, n, 1);
    if (n[0] != ranks) {
        char text[100];
        snprintf(text, sizeof text, "the program is for %lld ranks, not %d", (long long)n[0], ranks);
        bad(1, text);
    }
    for (int r = 0; r < ranks; r++) {
        read_line(f, line, r + 2);
        numbers(line, 4, n, r + 2); /* offset in the parts, line, peers, operations */
        if (r == rank)
            memcpy(mine, n, sizeof mine);
    }
    if (mine[0] < 0 || mine[1] < 0 || mine[2] < 0 || mine[2] > ranks || mine[3] < 0 || mine[3] > INT_MAX / 4)
        bad(rank + 2, "a number is out of its bounds");
    rank_line = mine[1];
    peer_count = mine[2];
    op_count = mine[3];
    if (fseek(f, mine[0], SEEK_CUR))
        bad(rank + 2, "the part of this rank cannot be reached");
}

/* parse reads an operation. */
static struct op parse(const char *line, int64_t at)
{
    struct op o = {.kind = KINDS};
    size_t length = strcspn(line, " ");
    for (int k = 0; k < KINDS; k++)
        if (strlen(names[k]) == length && !strncmp(line, names[k], length))
            o.kind = k;
    int64_t n[4] = {0};
    switch (o.kind) {
    case SEND:
    case ISEND:
    case RECEIVE:
    case IRECEIVE: {
        int receive = o.kind == RECEIVE || o.kind == IRECEIVE;
        numbers(line + length, 3 + receive, n, at);
        if (n[0] < -receive || n[0] >= ranks)
            bad(at, "there is no such rank");
        if (n[1] < 0 || n[1] > ANY_TAG - !receive)
            bad(at, "there is no such tag");
        if (n[2] < 0 || n[2] > MESSAGE)
            bad(at, "a message has 0 to 2^30 bytes");
        o.peer = n[0], o.tag = n[1], o.bytes = n[2], o.exact = n[3];
        wildcards |= receive && (o.peer < 0 || o.tag == ANY_TAG);
        break;
    }
    case WAITALL:
        numbers(line + length, 0, n, at);
        break;
    case WAIT:
    case IDLE:
    case COMPUTE:
        numbers(line + length, 1, n, at);
        if (n[0] < 0)
            bad(at, "the number is negative");
        o.bytes = n[0];
        break;
    default:
        bad(at, "there is no such operation");
    }
    return o;
}

/* number_transfers gives sends and receives their transfers, and waits those of their requests. */
static void number_transfers(void)
{
    int *requests = need(malloc(sizeof(int) * (op_count + 1))), request_count = 0;
    transfers = need(calloc(op_count + 1, sizeof *transfers));
    for (int i = 0; i < op_count; i++) {
        struct op *o = &ops[i];
        if (o->kind <= IRECEIVE) {
            if (o->kind == ISEND || o->kind == IRECEIVE)
                requests[request_count++] = transfer_count;
            transfers[transfer_count].op = i;
            o->transfer = transfer_count++;
        } else if (o->kind == WAIT) {
            if (o->bytes >= request_count)
                bad(rank_line + i, "it waits for a request that was not made before");
            o->transfer = requests[o->bytes];
        }
    }
    free(requests);
}

/* read_program reads this rank's part of the file. */
static void read_program(void)
{
    char line[LINE];
    FILE *f = fopen(file, "r");
    if (!f)
        fail("%s: %s", file, strerror(errno));
    find_part(f);
    peers = need(calloc(peer_count + 1, sizeof *peers));
    for (int i = 0; i < peer_count; i++) {
        int64_t at = rank_line - peer_count + i, peer;
        read_line(f, line, at);
        numbers(line, 1, &peer, at);
        if (peer < 0 || peer >= ranks)
            bad(at, "there is no such rank");
        peers[i] = peer;
    }
    ops = need(calloc(op_count + 1, sizeof *ops));
    for (int i = 0; i < op_count; i++) {
        read_line(f, line, rank_line + i);
        ops[i] = parse(line, rank_line + i);
    }
    fclose(f);
    number_transfers();
    size_t most = transfer_count + 1;
    open_requests = need(malloc(most * sizeof *open_requests));
    open_transfers = need(malloc(most * sizeof *open_transfers));
    completed = need(malloc(most * sizeof *completed));
    statuses = need(malloc(most * sizeof *statuses));
    for (table = 16; table < 4 * most; table *= 2)
        ;
    sent = need(calloc(table, sizeof *sent));
    received = need(calloc(table, sizeof *received));
}

/* count returns how many messages with this peer and tag there were before, and counts one more. */
static uint64_t count(struct counter *counters, int peer, int tag)
{
    size_t i = ((uint64_t)peer << 16 | tag) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    for (size_t tries = 0; tries < table; i++, tries++) {
        struct counter *c = &counters[i & (table - 1)];
        if (!c->used)
            *c = (struct counter){.used = 1, .peer = peer, .tag = tag};
        if (c->peer == peer && c->tag == tag)
            return c->count++;
    }
    fail("step %d: more senders and tags than the program has", step);
}

/* Buffers of transfers that have ended are used again. A free buffer holds the next free one. */
static void *free_buffers[CLASSES];

static void *take_buffer(int64_t bytes, int *class)
{
    *class = 6;
    while (INT64_C(1) << *class < bytes)
        ++*class;
    void *buffer = free_buffers[*class];
    if (!buffer)
        return need(calloc(1, (size_t)1 << *class));
    free_buffers[*class] = *(void **)buffer;
    return buffer;
}

static void give_buffer(void *buffer, int class)
{
    *(void **)buffer = free_buffers[class];
    free_buffers[class] = buffer;
}

static int64_t shorter(int64_t a, int64_t b) { return a < b ? a : b; }

/* must ends all ranks if MPI reports an error of an operation. */
static void must(int code, int op)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &length);
    fail("step %d, %s:%lld: %s", step, file, (long long)(rank_line + op), text);
}

/* post starts a transfer. */
static void post(int index)
{
    struct transfer *t = &transfers[index];
    struct op *o = &ops[t->op];
    MPI_Request *request = &open_requests[open_count];
    int code;
    t->done = 0;
    t->buffer = take_buffer(o->bytes, &t->class);
    if (o->kind == SEND || o->kind == ISEND) {
        struct head head = {count(sent, o->peer, o->tag), rank, o->tag, o->bytes, step};
        memcpy(t->buffer, &head, shorter(o->bytes, sizeof head));
        code = MPI_Isend(t->buffer, o->bytes, MPI_BYTE, o->peer, o->tag, MPI_COMM_WORLD, request);
    } else {
        code = MPI_Irecv(t->buffer, o->bytes, MPI_BYTE, o->peer < 0 ? MPI_ANY_SOURCE : o->peer,
                         o->tag == ANY_TAG ? MPI_ANY_TAG : o->tag, MPI_COMM_WORLD, request);
    }
    must(code, t->op);
    open_transfers[open_count++] = index;
}

/* end_transfer keeps of a transfer what will be checked, and gives its buffer back. */
static void end_transfer(struct transfer *t, MPI_Status *status)
{
    struct op *o = &ops[t->op];
    t->done = 1;
    if (o->kind == RECEIVE || o->kind == IRECEIVE) {
        MPI_Get_count(status, MPI_BYTE, &t->bytes);
        t->source = status->MPI_SOURCE, t->tag = status->MPI_TAG;
        memcpy(&t->head, t->buffer, shorter(t->bytes, sizeof t->head));
    }
    give_buffer(t->buffer, t->class);
}

/* poll_open lets MPI go on with transfers, and says whether one has ended. */
static int poll_open(void)
{
    int any = 0, flag;
    if (open_count == 0) { /* what has left for MPI may still have to be sent */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, control, &flag, MPI_STATUS_IGNORE);
        return 0;
    }
    for (int tries = 0, ended = 0; tries < 2 && ended == 0; tries++) {
        /* What ends in one call of Open MPI is seen by the next one. */
        int code = MPI_Testsome(open_count, open_requests, &ended, completed, statuses);
        if (code != MPI_ERR_IN_STATUS)
            must(code, 0);
        for (int i = 0; i < ended; i++) {
            struct transfer *t = &transfers[open_transfers[completed[i]]];
            if (code == MPI_ERR_IN_STATUS)
                must(statuses[i].MPI_ERROR, t->op);
            end_transfer(t, &statuses[i]);
        }
        any |= ended > 0;
    }
    if (!any)
        return 0;
    int left = 0;
    for (int i = 0; i < open_count; i++)
        if (open_requests[i] != MPI_REQUEST_NULL) {
            open_requests[left] = open_requests[i];
            open_transfers[left++] = open_transfers[i];
        }
    open_count = left;
    return 1;
}

/* await waits until a transfer, or all open ones where index is below 0, have ended. */
static void await(int index)
{
    int64_t length = FIRST_SLEEP;
    while (index < 0 ? open_count > 0 : !transfers[index].done)
        if (poll_open())
            length = FIRST_SLEEP;
        else
            rest(&length, INT64_MAX);
}

/* pass lets time pass, with MPI at work. */
static void pass(int64_t nanoseconds)
{
    int64_t end = now() + nanoseconds, length = longest_sleep;
    do {
        poll_open();
        rest(&length, end);
    } while (now() < end);
}

/* check holds a received message against what must have come. Called in the order of posting, in
 * which MPI matches messages of one sender and tag. With wildcards it may be of another step. */
static void check(struct transfer *t)
{
    struct op *o = &ops[t->op];
    struct head want = {count(received, t->source, t->tag), t->source, t->tag, t->bytes, step};
    size_t length = shorter(t->bytes, wildcards ? offsetof(struct head, step) : sizeof want);
    if (o->exact && t->bytes != o->bytes)
        fail("step %d, %s:%lld: a message of %d bytes from rank %d, tag %d, not of %lld bytes", step, file,
             (long long)(rank_line + t->op), t->bytes, t->source, t->tag, (long long)o->bytes);
    if (memcmp(&t->head, &want, length))
        fail("step %d, %s:%lld: the message from rank %d, tag %d, is not what was sent: it begins with "
             "number %llu, rank %llu, tag %llu, %llu bytes, step %llu",
             step, file, (long long)(rank_line + t->op), t->source, t->tag,
             (unsigned long long)t->head.number, (unsigned long long)t->head.sender,
             (unsigned long long)t->head.tag, (unsigned long long)t->head.bytes,
             (unsigned long long)t->head.step);
}

/* play plays a step. */
static void play(void)
{
    for (int i = 0; i < op_count; i++) {
        struct op *o = &ops[i];
        switch (o->kind) {
        case SEND:
        case RECEIVE:
            post(o->transfer);
            await(o->transfer);
            break;
        case ISEND:
        case IRECEIVE:
            post(o->transfer);
            break;
        case WAIT:
            await(o->transfer);
            break;
        case WAITALL:
            await(-1);
            break;
        case IDLE:
            pass(o->bytes / rate * 1e9);
            break;
        default:
            pass(o->bytes);
        }
    }
    await(-1);
    for (int i = 0; i < transfer_count; i++)
        if (ops[transfers[i].op].kind == RECEIVE || ops[transfers[i].op].kind == IRECEIVE)
            check(&transfers[i]);
}

int main(int argc, char **argv)
{
    steps_init(&argc, &argv);
    if (argc != 5)
        fail("usage: replay FILE STEPS BYTES_PER_SECOND LONGEST_SLEEP_US");
    file = argv[1];
    int steps = number("the number of steps", argv[2], 1, 1000000);
    rate = number("the bytes per second", argv[3], 1, INT64_C(1000000000000000));
    steps_limit(argv[4]);
    read_program();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    steps_start(peer_count, peers);
    for (step = 0; step < steps; step++) {
        play();
        step_end(step);
    }
    steps_stop();
    steps_finish(NULL);
    return 0;
}

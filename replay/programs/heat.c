/* heat solves the heat equation on a grid of PX x PY ranks: rank = y * PX + x.
 *
 *     heat PX PY BYTES STEPS LONGEST_SLEEP_US
 *
 * A rank has 8 x 8 cells with BYTES / 64 independent components each, so that the halo sent to each
 * neighbour has BYTES bytes. A step exchanges halos and does an explicit step in time; the value
 * outside of the domain is 0. The start is a sum of two eigenvectors of the discrete Laplacian. They
 * only shrink, by a known factor a step, so that every rank knows the exact result of its cells. */
#include "steps.h"

#include <math.h>

enum { SIDE = 8, WIDTH = SIDE + 2 };

static const double diffusion = 0.1; /* below 0.25, where the method becomes unstable */

static int px, py, components;
static double *now_cells, *next_cells; /* components x WIDTH x WIDTH, halo included */
static double *halo_out[4], *halo_in[4]; /* -x, +x, -y, +y */
static int neighbours[4];                /* MPI_PROC_NULL beyond the edge */

static double *cell(double *cells, int c, int y, int x) { return &cells[(c * WIDTH + y) * WIDTH + x]; }

/* wave is the value at index i of an eigenvector of n points with the value 0 at both ends. */
static double wave(int k, int i, int n) { return sin(M_PI * k * (i + 1) / (n + 1)); }

/* loss is what a step takes of it. */
static double loss(int k, int n) { return diffusion * (2 - 2 * cos(M_PI * k / (n + 1))); }

/* exact is the solution at a cell of the whole domain. */
static double exact(int c, int y, int x, int steps)
{
    int nx = px * SIDE, ny = py * SIDE, k = 1 + c % 5, l = 1 + c % 3, m = 3 + c % 7, n = 2 + c % 4;
    return pow(1 - loss(k, nx) - loss(l, ny), steps) * wave(k, x, nx) * wave(l, y, ny) +
           pow(1 - loss(m, nx) - loss(n, ny), steps) * wave(m, x, nx) * wave(n, y, ny);
}

/* on_edge is cell i of the side of the block that faces direction d, out cells beyond the block. */
static double *on_edge(double *cells, int c, int d, int i, int out)
{
    int at = d % 2 ? SIDE + out : 1 - out;
    return d < 2 ? cell(cells, c, i + 1, at) : cell(cells, c, at, i + 1);
}

static void exchange_halos(void)
{
    MPI_Request requests[8];
    int bytes = components * SIDE * sizeof(double);
    for (int d = 0; d < 4; d++) /* what a neighbour sends in the opposite direction */
        MPI_Irecv(halo_in[d], bytes, MPI_BYTE, neighbours[d], d ^ 1, MPI_COMM_WORLD, &requests[d]);
    for (int d = 0; d < 4; d++) {
        for (int c = 0; c < components; c++)
            for (int i = 0; i < SIDE; i++)
                halo_out[d][c * SIDE + i] = *on_edge(now_cells, c, d, i, 0);
        MPI_Isend(halo_out[d], bytes, MPI_BYTE, neighbours[d], d, MPI_COMM_WORLD, &requests[4 + d]);
    }
    wait_for(8, requests);
    for (int d = 0; d < 4; d++)
        for (int c = 0; c < components; c++)
            for (int i = 0; i < SIDE; i++)
                *on_edge(now_cells, c, d, i, 1) = halo_in[d][c * SIDE + i];
}

static void update(void)
{
    for (int c = 0; c < components; c++)
        for (int y = 1; y <= SIDE; y++)
            for (int x = 1; x <= SIDE; x++) {
                double *u = cell(now_cells, c, y, x);
                *cell(next_cells, c, y, x) =
                    *u + diffusion * (u[-1] + u[1] + u[-WIDTH] + u[WIDTH] - 4 * *u);
            }
    double *done = now_cells;
    now_cells = next_cells;
    next_cells = done;
}

static void verify(int steps)
{
    double tolerance = 1e-14 * (10 + steps); /* values are at most 2; a step rounds a few times */
    int x0 = rank % px * SIDE, y0 = rank / px * SIDE;
    for (int c = 0; c < components; c++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                double u = *cell(now_cells, c, y + 1, x + 1), want = exact(c, y0 + y, x0 + x, steps);
                if (!(fabs(u - want) <= tolerance))
                    fail("not verified: component %d of cell %d,%d is %.17g, not %.17g", c, x0 + x, y0 + y, u,
                         want);
            }
}

int main(int argc, char **argv)
{
    steps_init(&argc, &argv);
    if (argc != 6)
        fail("usage: heat PX PY BYTES STEPS LONGEST_SLEEP_US");
    px = number("the extent PX", argv[1], 1, 1 << 20);
    py = number("the extent PY", argv[2], 1, 1 << 20);
    int bytes = number("the bytes of a halo", argv[3], 64, 1 << 24);
    int steps = number("the number of steps", argv[4], 1, 1000000);
    steps_limit(argv[5]);
    if ((int64_t)px * py != ranks)
        fail("%d x %d are not the %d ranks", px, py, ranks);
    if (bytes % 64)
        fail("the bytes of a halo, %d, are no multiple of 64", bytes);
    components = bytes / 64;
    now_cells = need(calloc(components, WIDTH * WIDTH * sizeof(double)));
    next_cells = need(calloc(components, WIDTH * WIDTH * sizeof(double)));
    int x = rank % px, y = rank / px, peers[4], count = 0;
    neighbours[0] = x > 0 ? rank - 1 : MPI_PROC_NULL;
    neighbours[1] = x < px - 1 ? rank + 1 : MPI_PROC_NULL;
    neighbours[2] = y > 0 ? rank - px : MPI_PROC_NULL;
    neighbours[3] = y < py - 1 ? rank + px : MPI_PROC_NULL;
    for (int d = 0; d < 4; d++) {
        halo_out[d] = need(calloc(bytes, 1));
        halo_in[d] = need(calloc(bytes, 1)); /* stays 0 beyond the edge */
        if (neighbours[d] != MPI_PROC_NULL)
            peers[count++] = neighbours[d];
    }
    for (int c = 0; c < components; c++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                *cell(now_cells, c, i + 1, j + 1) = exact(c, y * SIDE + i, x * SIDE + j, 0);
    steps_start(count, peers);
    for (int step = 0; step < steps; step++) {
        exchange_halos();
        update();
        step_end(step);
    }
    steps_stop();
    verify(steps);
    steps_finish("verified heat: every cell is exact");
    return 0;
}

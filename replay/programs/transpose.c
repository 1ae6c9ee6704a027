/* transpose is a two-dimensional Fourier transform of N x N complex numbers, forward and back.
 *
 *     transpose N STEPS LONGEST_SLEEP_US
 *
 * A rank has N / ranks rows. A step transforms the rows, transposes, transforms the rows that were
 * columns; then the inverse. Each of the two transpositions sends a block of 16 (N / ranks)^2 bytes
 * from every rank to every other one. The input is a sum of plane waves, whose spectrum is known. At
 * the end every rank checks that the last step gave the input, transforms once more, and checks the
 * spectrum; all ranks together check Parseval's theorem. */
#include "steps.h"

#include <complex.h>
#include <math.h>

typedef double complex number_t;

enum { WAVES = 5 };

static int n, rows;
static number_t *a;                 /* rows x n */
static number_t *blocks_out, *blocks_in; /* ranks x rows x rows */
static number_t *roots;             /* n / 2: exp(-2 pi i k / n) */
static MPI_Request *requests;       /* 2 * ranks */

/* A plane wave of amplitude j + 1 has these periods along rows and columns. */
static int along_row(int j) { return (3 + 7 * j) % n; }
static int along_column(int j) { return (n - 1 - 5 * j % n + n) % n; }

static number_t root(int64_t k) { return cexp(2 * M_PI * I * (double)(k % n) / n); }

/* input is the number at a place of the whole field. */
static number_t input(int row, int column)
{
    number_t sum = 0;
    for (int j = 0; j < WAVES; j++)
        sum += (j + 1) * root((int64_t)along_row(j) * column) * root((int64_t)along_column(j) * row);
    return sum;
}

/* spectrum is the transposed transform: a row of it is a column of the input. */
static number_t spectrum(int row, int column)
{
    number_t sum = 0;
    for (int j = 0; j < WAVES; j++)
        if (row == along_row(j) && column == along_column(j))
            sum += (double)(j + 1) * n * n;
    return sum;
}

/* transform is the radix-2 transform of a row (Cooley and Tukey 1965), without a factor. */
static void transform(number_t *x, int inverse)
{
    for (int i = 1, j = 0; i < n; i++) { /* bits of the index in reverse order */
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            number_t t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    for (int half = 1; half < n; half *= 2)
        for (int i = 0; i < n; i += 2 * half)
            for (int k = 0; k < half; k++) {
                number_t w = roots[n / (2 * half) * k], *u = &x[i + k], *v = &x[i + k + half];
                double re = creal(w), im = inverse ? -cimag(w) : cimag(w);
                double vr = creal(*v) * re - cimag(*v) * im, vi = creal(*v) * im + cimag(*v) * re;
                *v = CMPLX(creal(*u) - vr, cimag(*u) - vi);
                *u = CMPLX(creal(*u) + vr, cimag(*u) + vi);
            }
}

static void transform_rows(int inverse)
{
    for (int r = 0; r < rows; r++)
        transform(&a[(size_t)r * n], inverse);
}

/* transpose_all sends block p of all rows to rank p: first to the next rank, last to the one before. */
static void transpose_all(void)
{
    size_t block = (size_t)rows * rows;
    int bytes = block * sizeof(number_t), count = 0;
    for (int i = 1; i < ranks; i++) {
        int from = (rank - i + ranks) % ranks;
        MPI_Irecv(&blocks_in[from * block], bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    for (int i = 0; i < ranks; i++) {
        int to = (rank + i) % ranks;
        number_t *out = i > 0 ? &blocks_out[to * block] : &blocks_in[to * block];
        for (int c = 0; c < rows; c++)
            for (int r = 0; r < rows; r++)
                out[c * rows + r] = a[(size_t)r * n + to * rows + c];
        if (i > 0)
            MPI_Isend(out, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    wait_for(count, requests);
    for (int from = 0; from < ranks; from++)
        for (int c = 0; c < rows; c++)
            memcpy(&a[(size_t)c * n + from * rows], &blocks_in[from * block + c * rows],
                   rows * sizeof(number_t));
}

static void forward(void)
{
    transform_rows(0);
    transpose_all();
    transform_rows(0);
}

static void backward(void)
{
    transform_rows(1);
    transpose_all();
    transform_rows(1);
    for (size_t i = 0; i < (size_t)rows * n; i++)
        a[i] /= (double)n * n;
}

static double energy(void)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)rows * n; i++)
        sum += creal(a[i]) * creal(a[i]) + cimag(a[i]) * cimag(a[i]);
    return sum;
}

/* verify compares all numbers with what they must be, up to an error. */
static void verify(const char *what, number_t (*want)(int, int), double tolerance)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < n; c++) {
            number_t is = a[(size_t)r * n + c], must = want(rank * rows + r, c);
            if (!(cabs(is - must) <= tolerance))
                fail("not verified: %s %d,%d is %.17g%+.17gi, not %.17g%+.17gi", what, rank * rows + r, c,
                     creal(is), cimag(is), creal(must), cimag(must));
        }
}

int main(int argc, char **argv)
{
    steps_init(&argc, &argv);
    if (argc != 4)
        fail("usage: transpose N STEPS LONGEST_SLEEP_US");
    n = number("the size N", argv[1], 2, 1 << 14);
    int steps = number("the number of steps", argv[2], 1, 1000000);
    steps_limit(argv[3]);
    if (n & (n - 1) || n % ranks)
        fail("the size %d is no power of two, or no multiple of the %d ranks", n, ranks);
    rows = n / ranks;
    a = need(malloc((size_t)rows * n * sizeof *a));
    blocks_out = need(malloc((size_t)rows * n * sizeof *a));
    blocks_in = need(malloc((size_t)rows * n * sizeof *a));
    roots = need(malloc(n / 2 * sizeof *roots));
    requests = need(malloc(2 * ranks * sizeof *requests));
    int *peers = need(malloc(ranks * sizeof *peers));
    for (int k = 0; k < n / 2; k++)
        roots[k] = conj(root(k));
    for (int i = 1; i < ranks; i++)
        peers[i - 1] = (rank + i) % ranks;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < n; c++)
            a[(size_t)r * n + c] = input(rank * rows + r, c);
    double sums[2] = {energy()}, totals[2];
    double tolerance = 1e-14 * (10 + steps) * log2(n); /* of amplitudes up to 15 */
    steps_start(ranks - 1, peers);
    for (int step = 0; step < steps; step++) {
        forward();
        backward();
        step_end(step);
    }
    steps_stop();
    verify("the inverse at", input, tolerance);
    forward();
    verify("the spectrum at", spectrum, tolerance * n * n);
    sums[1] = energy() / n / n;
    MPI_Request sum;
    MPI_Iallreduce(sums, totals, 2, MPI_DOUBLE, MPI_SUM, control, &sum);
    wait_for(1, &sum);
    if (!(fabs(totals[1] / totals[0] - 1) <= tolerance))
        fail("not verified: by Parseval the energies are equal, not %.17g and %.17g", totals[0], totals[1]);
    steps_finish("verified transpose: spectrum, inverse and energy are those of the input");
    return 0;
}

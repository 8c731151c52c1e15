/* The workloads' sources as the plain MPI-IO programs that they are. Compiled twice for
 * the tests: as it is, and with <ldad_rename.h>, to go through libldad; both must write
 * the same bytes. The contents of these files matter less here.
 *
 *     plain WORKLOAD FILE [KEY=VALUE ...]      the keys are those of the MPI_Info
 *
 * Sizes need not divide evenly among ranks. Exit status 0: all is well. */
#include "hints.h"
#include "ldad/workloads/workloads.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1000, COUNT = 5, WIDTH = 70, HEIGHT = 50, SWEEPS = 3, N1 = 32, N2 = 16 };

static int wrong;

/* A byte that depends on its offset in the file. */
static char at(MPI_Offset offset)
{
    return (char)(offset * 37 + offset / 251);
}

static void fill(char *buf, MPI_Offset offset, MPI_Offset bytes)
{
    for (MPI_Offset i = 0; i < bytes; i++)
        buf[i] = at(offset + i);
}

static void check(const char *buf, MPI_Offset offset, MPI_Offset bytes)
{
    for (MPI_Offset i = 0; i < bytes; i++)
        wrong += buf[i] != at(offset + i);
}

void perf_fill(const struct perf *p, MPI_Offset offset)
{
    fill(p->buf, offset, p->chunk);
}

void perf_check(const struct perf *p, MPI_Offset offset)
{
    check(p->buf, offset, p->chunk);
}

void mandelbrot_render(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows)
{
    fill((char *)p->strip, first * p->width, rows * p->width);
}

void mandelbrot_check(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows)
{
    check((char *)p->strip, first * p->width, rows * p->width);
}

/* A sweep moves each row down by one, the first one stays: so halos count. */
void jacobi_fill(const struct jacobi *p, MPI_Offset first, MPI_Offset rows)
{
    for (MPI_Offset i = 0; i < rows * p->columns; i++)
        p->out[i] = (double)(first + i / p->columns);
}

void jacobi_relax(const struct jacobi *p, MPI_Offset first, MPI_Offset rows)
{
    size_t bytes = (size_t)p->columns * sizeof(double);
    if (!rows)
        return;
    if (first > 0)
        memcpy(p->out, p->in, (size_t)rows * bytes);
    else {
        memcpy(p->out, p->in, bytes);
        memcpy(p->out + p->columns, p->in, (size_t)(rows - 1) * bytes);
    }
}

void jacobi_check(const struct jacobi *p, MPI_Offset first, MPI_Offset rows)
{
    for (MPI_Offset i = 0; i < rows * p->columns; i++) {
        MPI_Offset row = first + i / p->columns;
        wrong += p->out[i] != (double)(row < SWEEPS ? 0 : row - SWEEPS);
    }
}

int jacobi_phase(const struct jacobi *p, const char *next, int failed)
{
    (void)p;
    (void)next;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    return failed;
}

void fft_fill(const struct fft *p, MPI_Offset first, MPI_Offset count)
{
    fill(p->lines, first * p->element, count * p->element);
}

/* Only transposes: three times make the transpose of everything. */
void fft_lines(const struct fft *p, MPI_Offset first, MPI_Offset rows,
               MPI_Offset columns, enum fft_work work)
{
    size_t n = (size_t)p->element;
    (void)first;
    (void)work;
    for (MPI_Offset i = 0; i < rows; i++)
        for (MPI_Offset j = 0; j < columns; j++)
            memcpy(p->lines + (j * rows + i) * p->element,
                   p->panel + (i * columns + j) * p->element, n);
}

void fft_check(const struct fft *p, MPI_Offset first, MPI_Offset count)
{
    for (MPI_Offset i = 0; i < count; i++) {
        MPI_Offset k = first + i; /* row k / n1, column k % n1 of n2 x n1 */
        check(p->lines + i * p->element, (k % p->n1 * p->n2 + k / p->n1) * p->element,
              p->element);
    }
}

static int run(const char *which, const char *path, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    static char bytes[1 << 16], more[1 << 16];
    static double in[10000], out[10000];
    char paths[4][4096];
    int slabs = strstr(which, "slabs") != NULL, failed = 0;
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof paths[i], "%s.%d", path, i);
    if (!strncmp(which, "perf", 4)) {
        struct perf p = {CHUNK, COUNT, slabs, bytes};
        failed = perf_write(&p, comm, paths[0], info);
        return failed | perf_read(&p, comm, paths[0], info);
    }
    if (!strncmp(which, "mandelbrot", 4)) {
        struct mandelbrot p = {WIDTH, HEIGHT, 3, slabs, (unsigned char *)bytes};
        failed = mandelbrot_write(&p, comm, paths[0], info);
        return failed | mandelbrot_view(&p, comm, paths[0], info);
    }
    if (!strncmp(which, "jacobi", 4)) {
        struct jacobi p = {HEIGHT, WIDTH, SWEEPS, 3, slabs, in, out};
        return jacobi_run(&p, comm, paths[0], paths[1], info);
    }
    struct fft p = {N1, N2, 8, 2, bytes, more};
    failed = fft_input(&p, comm, paths[0], info);
    failed |= fft_pass(&p, comm, paths[0], N1, N2, FFT_TWIDDLE, paths[1], info);
    failed |= fft_pass(&p, comm, paths[1], N2, N1, FFT_LINES, paths[2], info);
    failed |= fft_pass(&p, comm, paths[2], N1, N2, FFT_NOTHING, paths[3], info);
    return failed | fft_result(&p, comm, paths[3], info);
}

int main(int argc, char **argv)
{
    int rank, failed;
    bool together;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info info = hints_of(argc, argv, 3, &together);
    failed = argc < 3 || run(argv[1], argv[2], info) || wrong;
#ifdef LDAD_RENAME_H
    const char *why = ldad_file_error();
    if (*why)
        fprintf(stderr, "plain: %s\n", why);
#endif
    MPI_Info_free(&info);
    MPI_Finalize();
    if (wrong)
        fprintf(stderr, "plain: %d wrong on rank %d\n", wrong, rank);
    return failed;
}

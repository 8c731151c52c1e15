/* The workloads: programs of plain MPI-IO. */
#ifndef LDAD_WORKLOADS_WORKLOADS_H
#define LDAD_WORKLOADS_WORKLOADS_H

#include <mpi.h>

/* ---- fft ------------------------------------------------------------------------- */

enum fft_work {
    /* transform the lines, then multiply each number by its line's factor */
    FFT_TWIDDLE,
    FFT_LINES,  /* transform the lines */
    FFT_NOTHING /* just change the order */
};

struct fft {
    MPI_Offset n1, n2;
    MPI_Offset element; /* bytes of a complex number: 8 or 16 */
    /* pieces in which a rank's part goes through memory: 1, 2, 4 ... */
    MPI_Offset panels;
    char *panel; /* columns as they are read: the rank's part / panels */
    char *lines; /* the transpose, of the same size */
};

/* **Collective.** fft_input writes the input; fft_pass turns the columns of a matrix in
 * `from` into the rows of one in `to`; fft_result reads the result. Return 0, or
 * another number if a call failed on this rank. */
int fft_input(const struct fft *p, MPI_Comm comm, const char *path, MPI_Info info);
int fft_pass(const struct fft *p, MPI_Comm comm, const char *from, MPI_Offset rows,
             MPI_Offset columns, enum fft_work work, const char *to, MPI_Info info);
int fft_result(const struct fft *p, MPI_Comm comm, const char *path, MPI_Info info);

/* Functions of the user. fft_fill makes `count` numbers from `first` on in p->lines;
 * fft_lines writes the transpose of a panel of rows x columns, in p->panel, to
 * p->lines, whose first line has number `first`, and works on the lines; fft_check
 * checks numbers in p->lines that were read. */
void fft_fill(const struct fft *p, MPI_Offset first, MPI_Offset count);
void fft_lines(const struct fft *p, MPI_Offset first, MPI_Offset rows,
               MPI_Offset columns, enum fft_work work);
void fft_check(const struct fft *p, MPI_Offset first, MPI_Offset count);

/* ---- jacobi ---------------------------------------------------------------------- */

struct jacobi {
    MPI_Offset rows, columns; /* size of the grid, with its fixed rim, in doubles */
    MPI_Offset sweeps;
    MPI_Offset strip; /* rows that are relaxed at once */
    int slabs;        /* a rank's rows are contiguous; 0: strips in turn */
    double *in;       /* (strip + 2) x columns */
    double *out;      /* strip x columns */
};

/* **Collective.** Opens both files once; writes the first one, relaxes it into the
 * second and back, and reads the last one, a band by each rank. Returns 0, or another
 * number if a call failed on this rank. */
int jacobi_run(const struct jacobi *p, MPI_Comm comm, const char *path_a,
               const char *path_b, MPI_Info info);

/* **Collective.** Function of the user, called when one part is over and `next` begins.
 * Returns another number than 0 if any rank `failed`. */
int jacobi_phase(const struct jacobi *p, const char *next, int failed);

/* Functions of the user. jacobi_fill makes the first values of `rows` rows from `first`
 * on in p->out; jacobi_relax relaxes them from p->in, which begins with row first - 1
 * if there is one, into p->out; jacobi_check checks those in p->out that were read. */
void jacobi_fill(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);
void jacobi_relax(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);
void jacobi_check(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);

/* ---- mandelbrot ------------------------------------------------------------------ */

struct mandelbrot {
    MPI_Offset width, height; /* in pixels of one byte */
    MPI_Offset rows;          /* rows that are computed and written at once */
    int slabs;                /* a rank's rows are contiguous; 0: ranks take turns */
    unsigned char *strip;     /* rows x width */
};

/* **Collective.** Write the picture, and view it. Return 0, or another number if a call
 * failed on this rank. */
int mandelbrot_write(const struct mandelbrot *p, MPI_Comm comm, const char *path,
                     MPI_Info info);
int mandelbrot_view(const struct mandelbrot *p, MPI_Comm comm, const char *path,
                    MPI_Info info);

/* Functions of the user: mandelbrot_render computes `rows` rows from `first` on into
 * the strip, and mandelbrot_check checks those that were read. */
void mandelbrot_render(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows);
void mandelbrot_check(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows);

/* ---- perf ------------------------------------------------------------------------ */

struct perf {
    MPI_Offset chunk; /* bytes */
    MPI_Offset count; /* chunks of each rank */
    int slabs;        /* a rank's chunks are contiguous; 0: ranks take turns */
    char *buf;        /* a chunk */
};

/* **Collective.** Write the file, and read it. Return 0, or another number if a call
 * failed on this rank. */
int perf_write(const struct perf *p, MPI_Comm comm, const char *path, MPI_Info info);
int perf_read(const struct perf *p, MPI_Comm comm, const char *path, MPI_Info info);

/* Functions of the user: perf_fill makes the contents of a chunk at `offset`, and
 * perf_check checks them. */
void perf_fill(const struct perf *p, MPI_Offset offset);
void perf_check(const struct perf *p, MPI_Offset offset);

#endif

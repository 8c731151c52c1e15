/* fft: the discrete Fourier transform of n1 x n2 complex numbers in a file, with three
 * passes over files that each transpose a matrix on its way through memory (the
 * six-step method). n1, n2 and the number of ranks are powers of two, and no rank is
 * without a row or a column. */
#ifndef LDAD_WORKLOADS_FFT_H
#define LDAD_WORKLOADS_FFT_H

#include <mpi.h>

enum fft_work {
    FFT_TWIDDLE, /* transform the lines, then turn each number by its line's share */
    FFT_LINES,   /* transform the lines */
    FFT_NOTHING  /* the order changes and nothing else */
};

struct fft {
    MPI_Offset n1, n2;
    MPI_Offset element; /* bytes of a complex number: 8 or 16 */
    MPI_Offset panels;  /* in which a rank's share goes through memory: 1, 2, 4 ... */
    char *panel;        /* as columns are read: a share / panels */
    char *lines;        /* transposed: as much */
};

/* **Collective.** The input is written; one pass: the columns of a matrix in `from`
 * become the rows of one in `to`; the result is read. Return 0, or not where a call
 * failed on this rank. */
int fft_input(const struct fft *p, MPI_Comm comm, const char *path, MPI_Info info);
int fft_pass(const struct fft *p, MPI_Comm comm, const char *from, MPI_Offset rows,
             MPI_Offset columns, enum fft_work work, const char *to, MPI_Info info);
int fft_result(const struct fft *p, MPI_Comm comm, const char *path, MPI_Info info);

/* Whoever uses it makes `count` numbers from `first` on in p->lines; makes of a panel
 * of rows x columns, in p->panel, its transpose in p->lines, as whose first line counts
 * `first`, and works on the lines; and looks at numbers in p->lines that were read. */
void fft_fill(const struct fft *p, MPI_Offset first, MPI_Offset count);
void fft_lines(const struct fft *p, MPI_Offset first, MPI_Offset rows,
               MPI_Offset columns, enum fft_work work);
void fft_check(const struct fft *p, MPI_Offset first, MPI_Offset count);

#endif

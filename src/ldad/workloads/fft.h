/* fft: the discrete Fourier transform of n1 x n2 complex numbers in a file, in three
 * passes over files, each of which transposes a matrix on its way through memory (the
 * six-step method). n1, n2 and the number of ranks are powers of two, and every rank
 * has a row and a column. */
#ifndef LDAD_WORKLOADS_FFT_H
#define LDAD_WORKLOADS_FFT_H

#include <mpi.h>

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

#endif

/* The arithmetic of the FFT: radix 2, lengths that are powers of two, in single or
 * double precision. All of it Local. */
#ifndef LDAD_MEASURE_FFT_MATH_H
#define LDAD_MEASURE_FFT_MATH_H

#include <stdbool.h>
#include <stdint.h>

struct fft_math {
    int64_t element; /* bytes of a complex number */
    /* Writes the roots of unity for lengths up to `length`: length / 2 numbers. */
    void (*roots)(void *roots, int64_t length);
    /* Copies lines[columns][rows] = panel[rows][columns]. */
    void (*transpose)(void *lines, const void *panel, int64_t rows, int64_t columns);
    /* Transforms `count` lines of `length`, with roots for `longest`. */
    void (*lines)(void *lines, int64_t count, int64_t length, const void *roots,
                  int64_t longest);
    /* Multiplies element k of line j (the first line has number `first`) by exp(-2 pi i
     * j k / n). */
    void (*twiddle)(void *lines, int64_t first, int64_t count, int64_t length,
                    int64_t n);
    /* Set and get number i of an array. */
    void (*put)(void *lines, int64_t i, double re, double im);
    void (*get)(const void *lines, int64_t i, double *re, double *im);
};

extern const struct fft_math fft_single, fft_double;

/* Computes exp(-2 pi i m / n), 0 <= m < n. */
void fft_root(int64_t m, int64_t n, double *re, double *im);

/* ---- the answer ------------------------------------------------------------------ */

/* Local. Transforms n complex numbers in place (real and imaginary parts in turn), as
 * FFTW's FFTW_FORWARD does; FFTW does it if it is available. Returns 0, or -errno with
 * a sentence. */
int fft_answer(double *z, int64_t n);

/* Local. Returns the name of the library that computes it: "FFTW". */
const char *fft_answer_by(void);

#endif

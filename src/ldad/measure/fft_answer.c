/* The answer of ldad fft: by FFTW or, without it (no HAVE_FFTW), by our own arithmetic
 * in one piece, in double precision, of which a few numbers are compared with the sum
 * that defines them. */
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "ldad/measure/fft_math.h"
#include <errno.h>

#ifdef HAVE_FFTW
#include <fftw3.h>

int fft_answer(double *z, int64_t n)
{
    const fftw_iodim64 dim = {.n = n, .is = 1, .os = 1};
    fftw_plan p = fftw_plan_guru64_dft(1, &dim, 0, NULL, (fftw_complex *)z,
                                       (fftw_complex *)z, FFTW_FORWARD, FFTW_ESTIMATE);
    if (!p)
        return err_set(-ENOMEM, NULL, -1, "FFTW makes no plan for %lld number%s",
                       (long long)n, units_s(n));
    fftw_execute(p);
    fftw_destroy_plan(p);
    return 0;
}

const char *fft_answer_by(void)
{
    return fftw_version;
}

#else /* no FFTW */
#include <math.h>
#include <stdlib.h>

enum { SUMS = 4 };

/* Chooses the numbers that are summed; they have no relation to powers of two. */
static int64_t place_of_summed(int i, int64_t n)
{
    return (int64_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) % (uint64_t)n);
}

static void sum_term(const double *z, int64_t n, int64_t k, double *re, double *im)
{
    int64_t m = 0; /* j k mod n */
    *re = *im = 0;
    for (int64_t j = 0; j < n; j++, m = (m + k) % n) {
        double a, b;
        fft_root(m, n, &a, &b);
        *re += z[2 * j] * a - z[2 * j + 1] * b;
        *im += z[2 * j] * b + z[2 * j + 1] * a;
    }
}

int fft_answer(double *z, int64_t n)
{
    double re[SUMS], im[SUMS], size = 0;
    void *roots = mem_new(2 * (n / 2 + 1), sizeof(double), "roots of unity");
    if (!roots)
        return -ENOMEM;
    for (int i = 0; i < SUMS; i++)
        sum_term(z, n, place_of_summed(i, n), &re[i], &im[i]);
    for (int64_t j = 0; j < 2 * n; j++)
        /* Parseval: the sum over all answers is n times as large */
        size += z[j] * z[j];
    fft_double.roots(roots, n);
    fft_double.lines(z, 1, n, roots, n);
    free(roots);
    for (int i = 0; i < SUMS; i++) {
        const double *found = z + 2 * place_of_summed(i, n);
        if (hypot(found[0] - re[i], found[1] - im[i]) > 1e-11 * sqrt(size))
            return err_set(-EDOM, NULL, -1,
                           "number %lld of the transform in core is not the sum that "
                           "defines it",
                           (long long)place_of_summed(i, n));
    }
    return 0;
}

const char *fft_answer_by(void)
{
    return "a transform in core and the sums that define some of its numbers (built "
           "without FFTW)";
}

#endif

/* ranks: 1 */
/* The arithmetic of ldad fft compared with the sums that define it, in both precisions,
 * and the transform in core that replaces FFTW. */
#include "ldad/measure/fft_math.h"
#include "tap.h"

enum { MOST = 256 };

static double noise(void)
{
    return (double)(rand() % 20001 - 10000) / 10000;
}

/* Computes the sum for number k of n. */
static void define(const double *z, int64_t n, int64_t k, double *re, double *im)
{
    *re = *im = 0;
    for (int64_t j = 0; j < n; j++) {
        double angle = -2 * 3.14159265358979323846 * (double)(j * k % n) / (double)n;
        *re += z[2 * j] * cos(angle) - z[2 * j + 1] * sin(angle);
        *im += z[2 * j] * sin(angle) + z[2 * j + 1] * cos(angle);
    }
}

/* Returns the largest error divided by the size of the numbers, for the second of two
 * lines. */
static double error_of(const struct fft_math *m, int64_t n)
{
    static double z[4 * MOST], lines[4 * MOST], roots[2 * MOST];
    double worst = 0;
    for (int64_t i = 0; i < 4 * n; i++)
        z[i] = (float)noise();
    for (int64_t i = 0; i < 2 * n; i++)
        m->put(lines, i, z[2 * i], z[2 * i + 1]);
    m->roots(roots, MOST); /* roots of a longer transform, too */
    m->lines(lines, 2, n, roots, MOST);
    for (int64_t k = 0; k < n; k++) {
        double re, im, right_re, right_im;
        m->get(lines, n + k, &re, &im);
        define(z + 2 * n, n, k, &right_re, &right_im);
        worst = fmax(worst, hypot(re - right_re, im - right_im) / sqrt((double)n));
    }
    return worst;
}

static void test_lines(void)
{
    for (int64_t n = 1; n <= MOST; n *= 2) {
        tap_ok(error_of(&fft_single, n) < 2e-6, "single precision, length %lld",
               (long long)n);
        tap_ok(error_of(&fft_double, n) < 1e-13, "double precision, length %lld",
               (long long)n);
    }
}

/* Three passes, two of which transform, as over files, equal one long transform. */
static void test_six_steps(void)
{
    enum { N1 = 16, N2 = 8, N = N1 * N2 };
    static double z[2 * N], a[2 * N], b[2 * N], roots[2 * N1];
    double worst = 0;
    for (int i = 0; i < 2 * N; i++)
        z[i] = a[i] = noise();
    const struct fft_math *m = &fft_double;
    m->roots(roots, N1);
    m->transpose(b, a, N1, N2);
    m->lines(b, N2, N1, roots, N1);
    m->twiddle(b, 0, 3, N1, N); /* in two parts */
    m->twiddle(b + 2 * 3 * N1, 3, N2 - 3, N1, N);
    m->transpose(a, b, N2, N1);
    m->lines(a, N1, N2, roots, N1);
    m->transpose(b, a, N1, N2);
    for (int k = 0; k < N; k++) {
        double re, im;
        define(z, N, k, &re, &im);
        worst = fmax(worst, hypot(b[2 * k] - re, b[2 * k + 1] - im));
    }
    tap_ok(worst < 1e-12, "six steps: worst error %g", worst);
}

static void test_answer(void)
{
    static double z[2 * MOST], right[2 * MOST];
    double worst = 0;
    for (int i = 0; i < 2 * MOST; i++)
        right[i] = z[i] = noise();
    tap_ok(fft_answer(z, MOST) == 0, "the transform in core agrees with its own sums");
    for (int k = 0; k < MOST; k++) {
        double re, im;
        define(right, MOST, k, &re, &im);
        worst = fmax(worst, hypot(z[2 * k] - re, z[2 * k + 1] - im));
    }
    tap_ok(worst < 1e-12, "and with all of ours: worst error %g", worst);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_lines();
    test_six_steps();
    test_answer();
    return tap_end();
}

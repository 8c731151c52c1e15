#include "ldad/measure/fft_math.h"
#include <math.h>

#define PI 3.14159265358979323846

void fft_root(int64_t m, int64_t n, double *re, double *im)
{
    double angle = -2 * PI * ((double)m / (double)n);
    *re = cos(angle);
    *im = sin(angle);
}

#define REAL float
#define NAME(x) x##_single
#include "ldad/measure/fft_real.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_double
#include "ldad/measure/fft_real.h"

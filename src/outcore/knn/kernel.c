#include "outcore/knn/kernel.h"
#include <stddef.h>
#include <string.h>

static const struct kernel *const kernels[] = {
#ifdef __x86_64__
    &kernel_avx512, &kernel_avx2,
#endif
    &kernel_plain};

const struct kernel *kernel_number(int i)
{
    return i < (int)(sizeof kernels / sizeof *kernels) ? kernels[i] : NULL;
}

const struct kernel *kernel_best(void)
{
    int i = 0;
    while (!kernels[i]->usable())
        i++;
    return kernels[i];
}

int64_t kernel_room(const struct kernel *k, int64_t dim)
{
    return k->rows * dim * (int64_t)sizeof(float);
}

int64_t kernel_memory(int64_t queries, int64_t dim)
{
    return queries * dim * (int64_t)sizeof(float);
}

void kernel_pack(const struct kernel *k, const float *from, struct kernel_queries *q)
{
    float *to = q->packed;
    for (int64_t i = 0, n = k->block; i < q->n; i += n) {
        while (n > q->n - i)
            n /= 2;
        for (int64_t c = 0; c < q->dim; c++)
            for (int64_t j = 0; j < n; j++)
                *to++ = from[(i + j) * q->dim + c];
    }
}

/* Uses four sums, since a compiler may not split one. */
double kernel_exact(const void *row, const float *query, int64_t dim)
{
    double sum[4] = {0};
    for (int64_t c = 0; c < dim; c++) {
        float x;
        memcpy(&x, (const char *)row + c * (int64_t)sizeof x, sizeof x);
        double d = (double)x - (double)query[c];
        sum[c % 4] += d * d;
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

#include "outcore/knn/kernel.h"

#ifdef __x86_64__
#include <immintrin.h>

#define LANES 8
#define VECTOR __m256
#define BLOCK 4 /* 8 sums of 16 registers */
#define TARGET __attribute__((target("avx2,fma")))
#define SPREAD(x) _mm256_set1_ps(x)
#define MULTIPLY_ADD(a, b, c) _mm256_fmadd_ps(a, b, c)
#define NOT_ABOVE(a, b) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NGT_UQ))
#define LOW(a, b) _mm256_unpacklo_ps(a, b)
#define HIGH(a, b) _mm256_unpackhi_ps(a, b)
#define PAIRS(a, b, which) _mm256_shuffle_ps(a, b, which)
#define EVERY_FOURTH(at, stride)                                                       \
    _mm256_insertf128_ps(_mm256_castps128_ps256(four(at)), four((at) + 4 * (stride)), 1)
#include "outcore/knn/kernel_x86.h"

static bool kernel_avx2_usable(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const struct kernel kernel_avx2 = {"AVX2", kernel_avx2_usable, BLOCK, ROWS, scan};

#endif

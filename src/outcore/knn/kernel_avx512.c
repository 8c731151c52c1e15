#include "outcore/knn/kernel.h"

#ifdef __x86_64__
#include <immintrin.h>

#define LANES 16
#define VECTOR __m512
#define BLOCK 8 /* 16 sums, and as many registers for the rest */
#define TARGET __attribute__((target("avx512f")))
#define SPREAD(x) _mm512_set1_ps(x)
#define MULTIPLY_ADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#define NOT_ABOVE(a, b) _mm512_cmp_ps_mask(a, b, _CMP_NGT_UQ)
#define LOW(a, b) _mm512_unpacklo_ps(a, b)
#define HIGH(a, b) _mm512_unpackhi_ps(a, b)
#define PAIRS(a, b, which) _mm512_shuffle_ps(a, b, which)
#define EVERY_FOURTH(at, stride)                                                       \
    _mm512_insertf32x4(                                                                \
        _mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(four(at)),        \
                                              four((at) + 4 * (stride)), 1),           \
                           four((at) + 8 * (stride)), 2),                              \
        four((at) + 12 * (stride)), 3)
#include "outcore/knn/kernel_x86.h"

static bool kernel_avx512_usable(void)
{
    return __builtin_cpu_supports("avx512f");
}

const struct kernel kernel_avx512 = {"AVX-512", kernel_avx512_usable, BLOCK, ROWS,
                                     scan};

#endif

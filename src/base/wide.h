/* Function attributes for loops over many numbers. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

/* A function marked WIDE has a plain loop that the compiler turns into vector
 * instructions. GCC compiles it for several kinds of processors, and the program picks
 * the best one when it starts. WIDE_EXACT is for results that must be the same on all
 * of them, to the last bit: compile such a file with -ffp-contract=off. The header asks
 * GCC for -O3, which also unrolls short inner loops: a pixel of 64 taps is three times
 * as fast. */
#if defined __clang__ || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define WIDE
#define WIDE_EXACT
#elif defined __x86_64__ && defined __GNUC__
#pragma GCC optimize("O3")
#define WIDE __attribute__((target_clones("avx512f", "arch=haswell", "default")))
/* GCC 12 does not vectorise loops with many square roots for "arch=haswell". */
#define WIDE_EXACT __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#define WIDE_EXACT
#endif

#endif

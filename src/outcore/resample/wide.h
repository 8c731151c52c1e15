/* WIDE, for loops over pixels. */
#ifndef OUTCORE_RESAMPLE_WIDE_H
#define OUTCORE_RESAMPLE_WIDE_H

/* Loops marked WIDE are plain ones that compilers turn into vectors; where they can,
 * for several kinds of processors, of which the best is taken when the program starts.
 * GCC unrolls the taps with -O3 only: a pixel of 64 taps is three times as fast. */
#if defined __clang__ || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define WIDE
#elif defined __x86_64__ && defined __GNUC__
#pragma GCC optimize("O3")
#define WIDE __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define WIDE
#endif

#endif

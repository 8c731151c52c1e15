/* The transform of the input of ldad fft, computed in core. */
#ifndef LDAD_MEASURE_FFT_ANSWER_H
#define LDAD_MEASURE_FFT_ANSWER_H

#include <stdint.h>

/* Local. Transforms n complex numbers in place (real and imaginary parts in turn), as
 * FFTW's FFTW_FORWARD does; FFTW does it if it is available. Returns 0, or -errno with
 * a sentence. */
int fft_answer(double *z, int64_t n);

/* Local. Returns the name of the library that computes it: "FFTW". */
const char *fft_answer_by(void);

#endif

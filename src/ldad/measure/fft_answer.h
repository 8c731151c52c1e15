/* The transform of what ldad fft puts into its file, computed in core. */
#ifndef LDAD_MEASURE_FFT_ANSWER_H
#define LDAD_MEASURE_FFT_ANSWER_H

#include <stdint.h>

/* Local. Transforms n complex numbers in place (real and imaginary parts in turn), as
 * FFTW's FFTW_FORWARD does, which does it where it is there. 0, or -errno with a
 * sentence. */
int fft_answer(double *z, int64_t n);

/* Local. Who it is: "FFTW". */
const char *fft_answer_by(void);

#endif

#include "base/err.h"
#include "base/units.h"
#include "ldad/measure/fft_answer.h"
#include <errno.h>
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

#include "base/err.h"
#include "madbench/full.h"
#include <stddef.h>

int full_check(const struct plan *p)
{
    (void)p;
    return err_usage(
        "this madbench was built without ScaLAPACK and has I/O mode only: add "
        "--io-only, or set BWEXP");
}

/* Never reached: full_check comes first. */
int full_open(struct full **f, struct bench *b)
{
    (void)b;
    *f = NULL;
    return full_check(NULL);
}

void full_close(struct full **f)
{
    *f = NULL;
}

int full_phases(void *full)
{
    (void)full;
    return full_check(NULL);
}

const double *full_dc(const struct full *f)
{
    (void)f;
    return NULL;
}

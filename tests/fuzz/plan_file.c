/* libFuzzer target: any text is a file of plans; its first byte is the number of ranks
 * whose plan is requested. MPI is that of stub/mpi.h. */
#include "algebra/descriptor.h"
#include "fuzz.h"
#include "ldad/lib/libldad.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[8192];
    struct ldad_plan p;
    if (!size)
        return 0;
    stub_size = data[0] & 63;
    int rc = libldad_plan_of(0, fuzz_file(data + 1, size - 1), text, sizeof text);
    fuzz_ended(rc);
    if (rc)
        return 0;
    rc = ldad_plan_parse(text, &p);
    fuzz_ended(rc);
    fuzz_demand(rc || p.ranks == stub_size);
    if (!rc)
        ldad_plan_free(&p);
    return 0;
}

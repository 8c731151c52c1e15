/* libFuzzer target: the text before the first line "==" is read as a PFM's .ctl, the
 * text behind it as its .lin. */
#include "fuzz.h"
#include "hydro/pfm_side.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pfm_inputs in = {0};
    const uint8_t *cut = memmem(data, size, "\n==\n", 4);
    size_t ctl = cut ? (size_t)(cut - data) + 1 : size;
    fuzz_folder("x.pfm.data");
    fuzz_put("x.pfm.data/x.pfm.ctl", data, ctl);
    fuzz_put("x.pfm.data/x.pfm.lin", cut ? cut + 4 : data, cut ? size - ctl - 3 : 0);
    int rc = pfm_inputs_read(&in, "x.pfm");
    fuzz_ended(rc);
    for (int64_t i = 0; i < in.files; i++)
        fuzz_demand(in.file[i].path[0] && !strchr(in.file[i].path, '\n'));
    pfm_inputs_free(&in);
    return 0;
}

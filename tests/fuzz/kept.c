/* libFuzzer target: any text is the description of kept files. An accepted one can be
 * used, and is written again as it was. */
#include "run/kept.h"
#include "base/err.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kept k, again;
    char path[KEPT_PATH];
    char *text = fuzz_text(data, size);
    int rc = kept_parse(&k, "k.json", text, size);
    free(text);
    fuzz_ended(rc);
    if (rc)
        return 0;
    struct layout l = kept_layout(&k);
    fuzz_demand(!layout_check(&l));
    struct extent e = layout_at(&l, k.writers - 1, 0, k.blocks - 1);
    fuzz_demand(e.offset + e.bytes <= layout_file_bytes(&l));
    fuzz_demand(!kept_file(&k, "k.json", kept_files(&k) - 1, path));
    fuzz_demand(!kept_write(&k, "k.json") && !kept_read(&again, "k.json"));
    fuzz_demand(!memcmp(&k, &again, sizeof k));
    return 0;
}

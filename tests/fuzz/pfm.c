/* libFuzzer target: any bytes are read as a PFM. The first two bytes, the high one
 * first, are the length of the header's text; the text follows, then a byte which times
 * 64 is the length of the bins in the rest; blocks are what remains. */
#include "hydro/pfm.h"
#include "fuzz.h"

enum { HEADER = 131072, BINS_MAX = 10000, USED_MAX = 1 << 16 };

static void put(const char *name, const void *head, size_t head_bytes, size_t start,
                const void *bytes, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "x.pfm%s", name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(head, 1, head_bytes, f) != head_bytes ||
        fseek(f, (long)start, SEEK_SET) || fwrite(bytes, 1, n, f) != n || fclose(f))
        abort();
}

static void make_folder(void)
{
    fuzz_folder("x.pfm.data");
    put("", "PFM Handle File\n", 16, 0, "", 0);
}

static int walk(struct pfm *p)
{
    static uint8_t used[USED_MAX / 8];
    const struct pfm_head *h = pfm_head(p);
    const struct pfm_sounding *s;
    struct pfm_walk w = {.used = used};
    struct pfm_bin bin;
    int rc = 0;
    memset(used, 0, sizeof used);
    for (int64_t i = 0; i < h->width * h->height && i < BINS_MAX && !rc; i++) {
        rc = pfm_bin(p, i / h->width, i % h->width, &bin);
        rc = rc ? rc : pfm_chain(p, &bin, &w, &s);
        if (!rc)
            pfm_recompute(h, s, bin.soundings, &bin);
    }
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pfm *p;
    size_t text = size < 3 ? 0 : (size_t)data[0] << 8 | data[1];
    static bool made;
    if (!made)
        make_folder();
    made = true;
    if (size < 3 || text + 3 > size)
        return 0;
    const uint8_t *bins = data + 3 + text, *end = data + size;
    size_t n = (size_t)data[2 + text] * 64;
    n = n < (size_t)(end - bins) ? n : (size_t)(end - bins);
    put(".data/x.pfm.bin", data + 2, text, HEADER, bins, n);
    put(".data/x.pfm.ndx", "", 0, 0, bins + n, (size_t)(end - bins) - n);
    int rc = pfm_open(&p, "x.pfm");
    if (!rc && pfm_blocks(p) <= USED_MAX)
        rc = walk(p);
    fuzz_ended(rc);
    pfm_close(&p);
    return 0;
}

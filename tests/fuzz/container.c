/* libFuzzer target: the first byte decides whether the rest is the header of a
 * container or the map of its shared part. Checksums are corrected first, or no byte
 * behind them would be tested. Accepted input must be written as text that reads the
 * same. */
#include "io/part/container.c" /* its checksum, and the map without a file */
#include "fuzz.h"

static void set_sum(uint8_t *raw, size_t at, size_t from)
{
    bytes_put(raw + at, crc_of(raw + from, (int64_t)(at - from)), 4);
}

static void use(const struct container *c)
{
    char path[CONTAINER_PATH];
    for (int64_t r = 0; r < c->parts; r++) {
        if (container_part_path(c, "x", r, path))
            fuzz_ended(-1);
        fuzz_demand(container_part_full(c, r) <= ldad_map_bytes(&c->map, r));
    }
}

static void try_header(uint8_t *raw, int64_t size)
{
    struct container c, d;
    for (int64_t at = CONTAINER_HEAD; at + CONTAINER_RECORD <= size;
         at += CONTAINER_RECORD)
        set_sum(raw, (size_t)(at + IN_SUM), (size_t)at);
    if (size >= CONTAINER_HEAD)
        set_sum(raw, AT_SUM, 0);
    int rc = container_decode(&c, "header", raw, size);
    fuzz_ended(rc);
    if (rc)
        return;
    unsigned char *out = malloc((size_t)container_size(&c));
    fuzz_demand(out && container_size(&c) == size);
    container_encode(&c, out);
    fuzz_demand(!container_decode(&d, "again", out, size));
    use(&c);
    container_free(&c);
    container_free(&d);
    free(out);
}

static void try_map(uint8_t *raw, int64_t size)
{
    struct extents x = {0};
    if (size >= MAP_HEAD)
        bytes_put(raw + 16, crc_of(raw + MAP_HEAD, size - MAP_HEAD), 4);
    fuzz_ended(map_decode("map", &x, raw, size));
    fuzz_demand(extents_bytes(&x) >= 0);
    for (int64_t i = 0; i < x.n; i++)
        fuzz_demand(x.range[i].begin >= 0 && x.range[i].begin < x.range[i].end);
    extents_free(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    uint8_t *raw = malloc(size); /* ASan knows its end */
    fuzz_demand(raw);
    memcpy(raw, data + 1, size - 1);
    (data[0] & 1 ? try_map : try_header)(raw, (int64_t)size - 1);
    free(raw);
    return 0;
}

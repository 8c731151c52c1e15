/* libFuzzer target: the first byte decides whether the rest is Lustre's extended
 * attribute of a layout, after eight bytes with the file's size, or the output of a
 * tool. */
#include "fuzz.h"
#include "io/fs/mounts.h"

static void sane(const struct io_stripes *s)
{
    fuzz_demand(s->bytes >= 0 && s->count >= 0);
    fuzz_demand(memchr(s->about, 0, sizeof s->about) && s->about[0]);
}

static void try_attribute(const uint8_t *data, size_t size)
{
    struct io_stripes s;
    int64_t bytes = 0;
    if (size < sizeof bytes)
        return;
    memcpy(&bytes, data, sizeof bytes);
    size -= sizeof bytes;
    unsigned char *own = malloc(size + !size); /* ASan knows its end */
    if (!own)
        abort();
    memcpy(own, data + sizeof bytes, size);
    if (!lov_stripes(own, size, bytes, &s))
        sane(&s);
    free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_stripes s;
    if (!size)
        return 0;
    if (data[0] % 4 == 0)
        try_attribute(data + 1, size - 1);
    else {
        char *text = fuzz_text(data + 1, size - 1);
        if (data[0] % 4 == 1   ? stripes_of_lfs(text, &s)
            : data[0] % 4 == 2 ? stripes_of_beegfs(text, "tool", &s)
                               : stripes_of_gluster(text, &s))
            sane(&s);
        free(text);
    }
    return 0;
}

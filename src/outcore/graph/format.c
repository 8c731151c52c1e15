#include "outcore/graph/format.h"
#include "base/format/crc.h"
#include <endian.h>
#include <string.h>

static void put(char *to, uint64_t number)
{
    number = htole64(number);
    memcpy(to, &number, 8);
}

static uint64_t get(const char *from)
{
    uint64_t number;
    memcpy(&number, from, 8);
    return le64toh(number);
}

void format_pif_head(void *to, uint64_t vertices, uint64_t bytes, uint64_t chunks)
{
    char *out = to;
    memset(out, 0, PIF_HEAD);
    memcpy(out, FORMAT_PIF, 8);
    put(out + 8, vertices);
    put(out + 16, bytes);
    put(out + 24, chunks);
}

void format_csr_head(void *to, const char *magic, uint64_t vertices, uint64_t entries,
                     uint64_t sum)
{
    char *out = to;
    memset(out, 0, CSR_HEAD);
    memcpy(out, magic, 8);
    put(out + 8, vertices);
    put(out + 16, entries);
    put(out + 24, sum);
}

void format_partition_head(void *to, uint64_t vertices, uint64_t entries)
{
    format_csr_head(to, FORMAT_PARTITION, vertices, entries, 0);
}

bool format_head(const void *from, const char *magic, uint64_t number[], int n)
{
    const char *in = from;
    for (int i = 0; i < n; i++)
        number[i] = get(in + 8 + 8 * i);
    return !memcmp(in, magic, 8);
}

struct pif_entry format_pif_entry(const void *from)
{
    const char *in = from;
    return (struct pif_entry){get(in), get(in + 8)};
}

void format_put_pif_entry(void *to, struct pif_entry e)
{
    put(to, e.first);
    put((char *)to + 8, e.last);
}

struct chunk format_chunk(const void *from)
{
    const char *in = from;
    uint64_t tail = get(in + 16);
    return (struct chunk){get(in), get(in + 8), (uint32_t)tail, (uint32_t)(tail >> 32)};
}

void format_put_chunk(void *to, const struct chunk *c)
{
    char *out = to;
    put(out, c->next);
    put(out + 8, c->vertex);
    put(out + 16, (uint64_t)c->crc << 32 | c->count);
}

uint32_t format_crc(uint64_t vertex, uint32_t count, const void *neighbours)
{
    char head[12];
    uint32_t little = htole32(count);
    put(head, vertex);
    memcpy(head + 8, &little, 4);
    return crc_more(crc_of(head, sizeof head), neighbours, (int64_t)count * 8);
}

void format_turn(uint64_t *number, int64_t n)
{
    if (htole64(1) != 1)
        for (int64_t i = 0; i < n; i++)
            number[i] = htole64(number[i]);
}

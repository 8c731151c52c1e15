#include "base/format/crc.h"
#include "outcore/graph/store.h"
#include <endian.h>
#include <string.h>

static void format_put_number(char *to, uint64_t number)
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
    format_put_number(out + 8, vertices);
    format_put_number(out + 16, bytes);
    format_put_number(out + 24, chunks);
}

void format_csr_head(void *to, const char *magic, uint64_t vertices, uint64_t entries,
                     uint64_t sum)
{
    char *out = to;
    memset(out, 0, CSR_HEAD);
    memcpy(out, magic, 8);
    format_put_number(out + 8, vertices);
    format_put_number(out + 16, entries);
    format_put_number(out + 24, sum);
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
    format_put_number(to, e.first);
    format_put_number((char *)to + 8, e.last);
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
    format_put_number(out, c->next);
    format_put_number(out + 8, c->vertex);
    format_put_number(out + 16, (uint64_t)c->crc << 32 | c->count);
}

uint32_t format_crc(uint64_t vertex, uint32_t count, const void *neighbours)
{
    char head[12];
    uint32_t little = htole32(count);
    format_put_number(head, vertex);
    memcpy(head + 8, &little, 4);
    return crc_more(crc_of(head, sizeof head), neighbours, (int64_t)count * 8);
}

void format_turn(uint64_t *number, int64_t n)
{
    if (htole64(1) != 1)
        for (int64_t i = 0; i < n; i++)
            number[i] = htole64(number[i]);
}

/* ---- pairs ----------------------------------------------------------------------- */

/* Buckets of a pass: few enough for their ends to stay in the first cache. */
enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

static bool is_sorted(const uint64_t *key, int64_t n, uint64_t *most)
{
    bool sorted = true;
    *most = n ? key[0] : 0;
    for (int64_t i = 1; i < n; i++) {
        sorted &= key[i - 1] <= key[i];
        *most = key[i] > *most ? key[i] : *most;
    }
    return sorted;
}

static void graph_format_pass(const struct pairs *from, struct pairs *to, int64_t n,
                              int shift)
{
    int64_t at[BUCKETS] = {0}, sum = 0;
    for (int64_t i = 0; i < n; i++)
        at[from->key[i] >> shift & (BUCKETS - 1)]++;
    for (int b = 0; b < BUCKETS; b++) {
        int64_t count = at[b];
        at[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t place = at[from->key[i] >> shift & (BUCKETS - 1)]++;
        to->key[place] = from->key[i];
        to->value[place] = from->value[i];
    }
}

void pairs_sort(struct pairs *of, struct pairs *other, int64_t n)
{
    uint64_t most;
    if (is_sorted(of->key, n, &most))
        return;
    for (int shift = 0; shift < 64 && most >> shift; shift += DIGIT) {
        graph_format_pass(of, other, n, shift);
        struct pairs swap = *of;
        *of = *other;
        *other = swap;
    }
}

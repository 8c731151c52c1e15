#include "pfmload/input/deal.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/stamp.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct share {
    int64_t bytes;
    int64_t of; /* number of a piece or a rank */
};

static int compare_longest(const void *a, const void *b)
{
    const struct share *p = a, *q = b;
    if (p->bytes != q->bytes)
        return p->bytes > q->bytes ? -1 : 1;
    return p->of < q->of ? -1 : p->of > q->of;
}

static bool is_less(const struct share *a, const struct share *b)
{
    return a->bytes < b->bytes || (a->bytes == b->bytes && a->of < b->of);
}

/* Restores the order of a heap whose first share grew. */
static void deal_settle(struct share *heap, int n)
{
    int i = 0, child;
    while ((child = 2 * i + 1) < n) {
        if (child + 1 < n && is_less(&heap[child + 1], &heap[child]))
            child++;
        if (!is_less(&heap[child], &heap[i]))
            return;
        struct share swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

int deal(const int64_t *bytes, int64_t n, int ranks, int *rank_of)
{
    struct share *piece = mem_new(n + 1, sizeof *piece, "dealing work");
    struct share *heap = mem_new(ranks, sizeof *heap, "dealing work");
    int rc = piece && heap ? 0 : -ENOMEM;
    for (int i = 0; i < ranks && !rc; i++)
        heap[i].of = i;
    for (int64_t i = 0; i < n && !rc; i++)
        piece[i] = (struct share){bytes[i], i};
    if (!rc)
        qsort(piece, (size_t)n, sizeof *piece, compare_longest);
    for (int64_t i = 0; i < n && !rc; i++) {
        bool nobody = piece[i].bytes == DEAL_NOBODY;
        rank_of[piece[i].of] = nobody ? DEAL_NOBODY : (int)heap[0].of;
        heap[0].bytes += nobody ? 0 : piece[i].bytes;
        deal_settle(heap, ranks);
    }
    free(piece);
    free(heap);
    return rc;
}

/* ---- copies ---------------------------------------------------------------------- */

enum { END = 64 << 10 }; /* bytes of a head, and of a tail */

/* Properties that copies share. */
struct likeness {
    int64_t bytes;
    uint64_t hash;
    int64_t file; /* number of the file */
};

static int compare_likeness(const void *a, const void *b)
{
    const struct likeness *p = a, *q = b;
    if (p->bytes != q->bytes)
        return p->bytes < q->bytes ? -1 : 1;
    if (p->hash != q->hash)
        return p->hash < q->hash ? -1 : 1;
    return p->file < q->file ? -1 : p->file > q->file;
}

static bool same_size(const struct likeness *p, const struct likeness *q)
{
    return p->bytes == q->bytes;
}

/* Hashes a file's head and tail, which overlap if it is short. A file that cannot be
 * read equals no other. */
static void look_into(struct likeness *k, const char *path, char buffer[2 * END])
{
    FILE *in = fopen(path, "re");
    size_t n = in ? fread(buffer, 1, END, in) : 0;
    int64_t tail = k->bytes > END ? k->bytes - END : 0;
    if (in && !fseeko(in, tail, SEEK_SET))
        n += fread(buffer + n, 1, END, in);
    if (in && !ferror(in))
        k->hash = stamp_hash(buffer, (int64_t)n);
    else
        k->bytes = -1 - k->file;
    if (in)
        fclose(in);
}

/* True if both files have the same bytes. */
static bool same_bytes(FILE *a, FILE *b, char buffer[2 * END])
{
    size_t n, m;
    do {
        n = fread(buffer, 1, END, a);
        m = fread(buffer + END, 1, END, b);
    } while (n == END && m == END && !memcmp(buffer, buffer + END, END));
    return n < END && n == m && !memcmp(buffer, buffer + END, n) && !ferror(a) &&
           !ferror(b);
}

static int compare_files(const char *path, const char *other, char buffer[2 * END])
{
    FILE *a = fopen(path, "re"), *b = fopen(other, "re");
    bool same = a && b && same_bytes(a, b, buffer);
    if (a)
        fclose(a);
    if (b)
        fclose(b);
    if (!same)
        return 0;
    return err_set(
        -EEXIST, path, -1,
        "the file is a copy of \"%s\", byte for byte: its soundings would be "
        "loaded twice; leave one of them out",
        other);
}

static int check_alike(const struct list *l, struct likeness *k, int64_t n,
                       char buffer[2 * END])
{
    int rc = 0;
    qsort(k, (size_t)n, sizeof *k, compare_likeness);
    for (int64_t i = 0; i < n; i++)
        if ((i && same_size(&k[i], &k[i - 1])) ||
            (i + 1 < n && same_size(&k[i], &k[i + 1])))
            k[i].hash = 1; /* marked, to be replaced by its hash */
    for (int64_t i = 0; i < n; i++)
        if (k[i].hash)
            look_into(&k[i], l->file[k[i].file].path, buffer);
    qsort(k, (size_t)n, sizeof *k, compare_likeness);
    for (int64_t i = 1; i < n && !rc; i++)
        if (same_size(&k[i], &k[i - 1]) && k[i].hash == k[i - 1].hash)
            rc = compare_files(l->file[k[i].file].path, l->file[k[i - 1].file].path,
                               buffer);
    return rc;
}

int copies_check(const struct list *l)
{
    struct likeness *k = mem_new(l->n + 1, sizeof *k, "comparing input files");
    char *buffer = mem_new(2 * END, 1, "comparing input files");
    int64_t n = 0;
    int rc = k && buffer ? 0 : -ENOMEM;
    for (int64_t i = 0; i < l->n && !rc; i++)
        if (!l->file[i].bad && l->file[i].bytes)
            k[n++] = (struct likeness){.bytes = l->file[i].bytes, .file = i};
    if (!rc)
        rc = check_alike(l, k, n, buffer);
    free(k);
    free(buffer);
    return rc;
}

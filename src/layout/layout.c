#include "layout/layout.h"
#include "base/err.h"
#include <errno.h>
#include <string.h>

const char *layout_text(enum layout_order order)
{
    switch (order) {
    case LAYOUT_UNIQUE:
        return "mat,blk";
    case LAYOUT_RANK_MAJOR:
        return "rank,mat,blk";
    case LAYOUT_MATRIX:
        return "mat,rank,blk";
    case LAYOUT_INTERLEAVED:
        return "mat,blk,rank";
    }
    return "";
}

int layout_digits(const struct layout *l, struct layout_digit d[LAYOUT_DIGITS])
{
    const struct layout_digit all[] = {
        {"rank", l->ranks}, {"mat", l->mats}, {"blk", l->blks}};
    int n = 0;
    for (const char *at = layout_text(l->order); *at; at += at[0] == ',') {
        size_t len = strcspn(at, ",");
        for (int i = 0; i < LAYOUT_DIGITS; i++)
            if (!strncmp(all[i].name, at, len))
                d[n++] = all[i];
        at += len;
    }
    return n;
}

int layout_check(const struct layout *l)
{
    int64_t slots, bytes;
    if (l->ranks < 1 || l->mats < 1 || l->blks < 1 || l->slot_bytes < 1 || l->start < 0)
        return err_usage("a layout needs at least one rank, matrix, block and byte");
    if (__builtin_mul_overflow(l->ranks, l->mats, &slots) ||
        __builtin_mul_overflow(slots, l->blks, &slots) ||
        __builtin_mul_overflow(slots, l->slot_bytes, &bytes) ||
        __builtin_add_overflow(bytes, l->start, &bytes)) {
        err_usage("the files would exceed 2^63 - 1 bytes: take fewer or smaller "
                  "blocks");
        return -EOVERFLOW;
    }
    return 0;
}

struct extent layout_at(const struct layout *l, int64_t rank, int64_t mat, int64_t blk)
{
    struct extent e = {.file = 0, .bytes = l->slot_bytes};
    int64_t slot = 0;
    switch (l->order) {
    case LAYOUT_UNIQUE:
        e.file = rank;
        slot = mat * l->blks + blk;
        break;
    case LAYOUT_RANK_MAJOR:
        slot = (rank * l->mats + mat) * l->blks + blk;
        break;
    case LAYOUT_MATRIX:
        slot = (mat * l->ranks + rank) * l->blks + blk;
        break;
    case LAYOUT_INTERLEAVED:
        slot = (mat * l->blks + blk) * l->ranks + rank;
        break;
    }
    e.offset = l->start + slot * l->slot_bytes;
    return e;
}

struct ldad_plan layout_plan(const struct layout *l)
{
    int64_t first = layout_at(l, 0, 0, 0).offset;
    bool shared = l->order != LAYOUT_UNIQUE;
    struct ldad_plan p = {.ranks = shared ? l->ranks : 1,
                          .each = {.start = first, .size = l->slot_bytes},
                          .digits = shared,
                          .end = INT64_MAX};
    ldad_repeat(&p.each, l->blks, layout_at(l, 0, 0, 1).offset - first);
    ldad_repeat(&p.each, l->mats, layout_at(l, 0, 1, 0).offset - first);
    if (shared)
        p.digit[0] =
            (struct ldad_digit){l->ranks, layout_at(l, 1, 0, 0).offset - first};
    return p;
}

int64_t layout_files(const struct layout *l)
{
    return l->order == LAYOUT_UNIQUE ? l->ranks : 1;
}

int64_t layout_file_bytes(const struct layout *l)
{
    int64_t owners = l->order == LAYOUT_UNIQUE ? 1 : l->ranks;
    return l->start + owners * l->mats * l->blks * l->slot_bytes;
}

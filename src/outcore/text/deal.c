#include "base/err.h"
#include "base/mem.h"
#include "base/stats.h"
#include "outcore/text/text.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ----------------------------------------------------------------------- */

/* Returns the size of a file. A link has the size of its target. */
static int64_t size_of(struct io_folder *d, const char *name)
{
    struct io_whole w = {.name = name, .fd = -1};
    if (io_whole_stat(d, &w))
        return w.rc;
    if (w.kind == IO_KIND_FILE)
        return w.bytes;
    int rc = io_whole_open(d, &w);
    io_whole_close(d, &w);
    return rc ? rc : w.size;
}

static int find_sizes(const struct many *m, int64_t *bytes)
{
    struct io_folder *d = NULL;
    int rc = io_folder_open(&d, MPI_COMM_NULL, m->folder.path, IO_READ | IO_LOCAL);
    for (int64_t i = 0; i < m->names.n && !rc; i++) {
        bytes[i] = size_of(d, names_at(&m->names, i));
        rc = bytes[i] < 0 ? (int)bytes[i] : 0;
    }
    io_folder_close(&d);
    return rc;
}

/* ---- places ---------------------------------------------------------------------- */

int deal_worker(int64_t place, int n)
{
    int at = (int)(place % n);
    return place / n % 2 ? n - 1 - at : at;
}

/* Finds the place of this rank's first file of each size. */
static void find_first(struct run *r, const int64_t *bytes, int64_t n,
                       int64_t first[HIST_SIZE])
{
    static int64_t mine[HIST_SIZE], all[HIST_SIZE], before[HIST_SIZE];
    memset(mine, 0, sizeof mine);
    memset(before, 0, sizeof before);
    for (int64_t i = 0; i < n; i++)
        mine[hist_bucket(bytes[i])]++;
    MPI_Allreduce(mine, all, HIST_SIZE, MPI_INT64_T, MPI_SUM, r->world.comm);
    MPI_Exscan(mine, before, HIST_SIZE, MPI_INT64_T, MPI_SUM, r->world.comm);
    if (r->world.rank == 0) /* MPI_Exscan leaves it undefined on rank 0 */
        memset(before, 0, sizeof before);
    int64_t longer = 0;
    for (int b = HIST_SIZE - 1; b >= 0; b--) {
        first[b] = longer + before[b];
        longer += all[b];
    }
}

/* ---- exchange -------------------------------------------------------------------- */

struct parcel { /* followed by the name, with its zero byte */
    int64_t place, bytes;
};

struct post {
    int *counts[2], *at[2]; /* [0]: to each rank; [1]: from each; bytes and offsets */
    char *data[2];
    int64_t bytes[2];
};

static void post_free(struct post *p)
{
    for (int i = 0; i < 2; i++) {
        free(p->counts[i]);
        free(p->at[i]);
        free(p->data[i]);
    }
}

static int too_many(void)
{
    return err_set(
        -EOVERFLOW, NULL, -1,
        "the names of one rank's files have more than 2 GiB: use more ranks");
}

/* Computes the offset at which each rank's bytes begin, and allocates room. */
static int lay_out(const struct run *r, struct post *p, int which)
{
    p->bytes[which] = 0;
    for (int i = 0; i < r->world.size; i++) {
        if (p->bytes[which] > INT_MAX)
            break;
        p->at[which][i] = (int)p->bytes[which];
        p->bytes[which] += p->counts[which][i];
    }
    p->data[which] = mem_new(p->bytes[which] + 1, 1, "names");
    if (p->bytes[which] > INT_MAX)
        return too_many();
    return p->data[which] ? 0 : -ENOMEM;
}

static int deal_rank_of(const struct run *r, int64_t place)
{
    return deal_worker(place, r->workers) / r->lanes;
}

static int64_t parcel_bytes(const char *name)
{
    return (int64_t)(sizeof(struct parcel) + strlen(name) + 1);
}

static void deal_pack(const struct run *r, const struct many *m, const int64_t *bytes,
                      const int64_t *place, struct post *p)
{
    int *at = p->counts[1]; /* counts[1] is not needed yet */
    memcpy(at, p->at[0], (size_t)r->world.size * sizeof *at);
    for (int64_t i = 0; i < m->names.n; i++) {
        const char *name = names_at(&m->names, i);
        struct parcel head = {place[i], bytes[i]};
        char *to = p->data[0] + at[deal_rank_of(r, place[i])];
        memcpy(to, &head, sizeof head);
        memcpy(to + sizeof head, name, strlen(name) + 1);
        at[deal_rank_of(r, place[i])] += (int)parcel_bytes(name);
    }
}

static int post_make(const struct run *r, struct post *p)
{
    for (int i = 0; i < 2; i++) {
        p->counts[i] = mem_new(r->world.size, sizeof(int), "ranks");
        p->at[i] = mem_new(r->world.size, sizeof(int), "ranks");
        if (!p->counts[i] || !p->at[i])
            return -ENOMEM;
    }
    return 0;
}

static int exchange(struct run *r, const struct many *m, const int64_t *bytes,
                    const int64_t *place, struct post *p)
{
    int rc = post_make(r, p);
    if (!rc && m->names.used + m->names.n * (int64_t)sizeof(struct parcel) > INT_MAX)
        rc = too_many();
    for (int64_t i = 0; i < m->names.n && !rc; i++)
        p->counts[0][deal_rank_of(r, place[i])] +=
            (int)parcel_bytes(names_at(&m->names, i));
    rc = rc ? rc : lay_out(r, p, 0);
    rc = err_agree(r->world.comm, rc);
    if (rc)
        return rc;
    deal_pack(r, m, bytes, place, p);
    MPI_Alltoall(p->counts[0], 1, MPI_INT, p->counts[1], 1, MPI_INT, r->world.comm);
    rc = err_agree(r->world.comm, lay_out(r, p, 1));
    if (!rc)
        MPI_Alltoallv(p->data[0], p->counts[0], p->at[0], MPI_BYTE, p->data[1],
                      p->counts[1], p->at[1], MPI_BYTE, r->world.comm);
    return rc;
}

/* ---- received files -------------------------------------------------------------- */

static int64_t count_parcels(const struct post *p)
{
    int64_t n = 0;
    for (int64_t at = 0; at < p->bytes[1]; n++)
        at += parcel_bytes(p->data[1] + at + sizeof(struct parcel));
    return n;
}

static int deal_by_place(const void *a, const void *b)
{
    const struct text_file *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Sorts the files by lane, and those of a lane by place. */
static void sort_files(const struct run *r, struct text_files *f)
{
    struct text_file *old = f->is + f->n;
    int64_t at = 0;
    qsort(old, (size_t)f->n, sizeof *old, deal_by_place);
    for (int lane = 0; lane < r->lanes; lane++) {
        f->first[lane] = at;
        for (int64_t i = 0; i < f->n; i++)
            if (deal_worker(old[i].place, r->workers) % r->lanes == lane)
                f->is[at++] = old[i];
    }
    f->first[r->lanes] = at;
}

static int deal_unpack(const struct run *r, struct post *p, struct text_files *f)
{
    f->n = count_parcels(p);
    f->is = mem_new(f->n * 2 + 1, sizeof *f->is, "files"); /* twice, for sorting */
    f->first = mem_new(r->lanes + 1, sizeof *f->first, "files");
    f->text = p->data[1];
    p->data[1] = NULL;
    if (!f->is || !f->first)
        return -ENOMEM;
    int64_t at = 0;
    for (int64_t i = 0; i < f->n; i++) {
        struct parcel head;
        int64_t name = at + (int64_t)sizeof head;
        memcpy(&head, f->text + at, sizeof head);
        f->is[f->n + i] = (struct text_file){
            .name = name, .in_bytes = head.bytes, .place = head.place};
        at += parcel_bytes(f->text + name);
    }
    sort_files(r, f);
    return 0;
}

static void deal_sum_up(struct run *r, struct text_files *f)
{
    int64_t sum[2] = {f->n, 0}, most = 0;
    for (int64_t i = 0; i < f->n; i++) {
        sum[1] += f->is[i].in_bytes;
        most = f->is[i].in_bytes > most ? f->is[i].in_bytes : most;
    }
    world_reduce(r->world.comm, sum, 2, MPI_INT64_T, MPI_SUM);
    world_reduce(r->world.comm, &most, 1, MPI_INT64_T, MPI_MAX);
    f->all = sum[0];
    f->in_bytes = sum[1];
    f->most_bytes = most;
}

int deal_files(struct run *r, struct many *m, struct text_files *f)
{
    int64_t n = m->names.n, first[HIST_SIZE];
    struct post p = {.bytes = {0}};
    int64_t *bytes = mem_new(n * 2 + 1, sizeof *bytes, "files"), *place = bytes + n;
    deal_free(f);
    int rc = bytes ? find_sizes(m, bytes) : -ENOMEM;
    rc = err_agree(r->world.comm, rc);
    if (!rc) {
        find_first(r, bytes, n, first);
        for (int64_t i = 0; i < n; i++)
            place[i] = first[hist_bucket(bytes[i])]++;
        rc = exchange(r, m, bytes, place, &p);
    }
    if (!rc)
        rc = err_agree(r->world.comm, deal_unpack(r, &p, f));
    if (!rc)
        deal_sum_up(r, f);
    post_free(&p);
    free(bytes);
    return rc;
}

void deal_free(struct text_files *f)
{
    free(f->is);
    free(f->text);
    free(f->first);
    *f = (struct text_files){.n = 0};
}

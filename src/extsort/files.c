/* Scratch files of runs: creates, writes, reads and checks them. */
#include "base/err.h"
#include "base/mem.h"
#include "base/stamp.h"
#include "extsort/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_direct(const struct run *r)
{
    return r->io_flags & IO_DIRECT;
}

/* Adds the subject and the remedy to a failure that has come in this lane since
 * `before`. */
static int explain_failure(struct run *r, int before, const char *what,
                           const char *advice)
{
    struct err e = err_copy();
    char text[sizeof e.text];
    if (!r->failed || before || e.code != r->failed || e.lane != err_lane_now())
        return r->failed;
    snprintf(text, sizeof text, "%.200s: %.500s%s", what, e.text, advice);
    memcpy(e.text, text, sizeof text);
    err_put(&e);
    return r->failed;
}

static const char *what_of(const struct extsort *s)
{
    return s->how.what ? s->how.what : "records";
}

static int unwritten(const struct extsort *s, struct run *r, int before)
{
    char what[128];
    snprintf(what, sizeof what, "%s that do not fit into memory cannot be written",
             what_of(s));
    return explain_failure(r, before, what,
                           "; allow more memory, or another scratch directory");
}

/* ---- files ----------------------------------------------------------------------- */

int runs_open(struct extsort *s, struct runs_file *f, int64_t stride)
{
    char path[PATH_MAX];
    *f = (struct runs_file){.stride = stride};
    f->file = mem_of(s->scratch, s->how.lanes, sizeof *f->file, "a scratch file");
    if (!f->file) {
        run_fail(s->r, -ENOMEM);
        return s->r->failed;
    }
    snprintf(path, sizeof path, "%.4060s.%lld", s->scratch, (long long)s->files++);
    for (int i = 0; i < s->how.lanes && !s->r->failed; i++) {
        division_file(&f->file[i], s->lane[i].r, &s->how, path);
        run_fail(s->r,
                 run_file_open(&f->file[i], IO_READ | IO_WRITE | (i ? 0 : IO_CREATE)));
    }
    if (!s->r->failed && s->how.settle && s->r->flush) {
        int fd = open(path, O_RDONLY | O_CLOEXEC); /* an engine may store nothing */
        f->fd = fd > 0 ? fd : 0;
    }
    /* the space remains ours until the file is closed */
    if (!s->r->failed && !s->how.keep)
        run_fail(s->r, io_file_remove(MPI_COMM_NULL, path));
    return s->r->failed;
}

void runs_close(struct extsort *s, struct runs_file *f)
{
    for (int i = 0; f->file && i < s->how.lanes; i++)
        if (f->file[i].run)
            run_file_close(&f->file[i], false);
    if (f->file && s->how.keep && !s->r->failed)
        io_file_keep(MPI_COMM_NULL, f->file[0].path);
    else if (f->file && s->how.keep)
        io_file_remove(MPI_COMM_NULL, f->file[0].path);
    if (f->fd)
        close(f->fd);
    for (int64_t i = 0; i < f->n; i++)
        free(f->run[i].sample);
    free(f->run);
    free(f->file);
    *f = (struct runs_file){.file = NULL};
}

struct settling {
    struct extsort *s;
    struct runs_file *f;
};

static void sync_lane(struct run *r, void *settling)
{
    const struct settling *x = settling;
    struct run_file *f = &x->f->file[extsort_lane_of(x->s, r)];
    if (f->io) {
        run_sync(f);
        run_sync_meet(f);
    }
}

int runs_settle(struct extsort *s, struct runs_file *f)
{
    struct settling x = {s, f};
    if (!s->how.settle || !s->r->flush || !f->file || f->settled || s->r->failed)
        return s->r->failed;
    extsort_lanes(s, sync_lane, &x);
    enum act before = phase_act(s->r->phase, ACT_CHECK);
    if (f->fd)
        posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
    phase_act(s->r->phase, before);
    f->settled = true;
    return s->r->failed;
}

/* Enters a complete run in the table. */
static int enter_run(struct extsort *s, struct runs_file *f,
                     const struct sorted_run *run)
{
    pthread_mutex_lock(&s->lock);
    f->settled = false;
    int rc = mem_room(&f->run, f->n, &f->room, sizeof *f->run, "a table of runs");
    if (!rc)
        f->run[f->n++] = *run;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* ---- writing --------------------------------------------------------------------- */

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Writes a chunk of n records, and keeps its checksum and first key. */
static void write_chunk(const struct extsort *s, struct run_stream *stream, int64_t n,
                        extsort_fill *fill, void *context, uint64_t *sample)
{
    const struct sort_order *o = &s->how.order;
    struct stamp_hashing hashing;
    stamp_hash_begin(&hashing);
    for (int64_t i = 0, some; i < n; i += some) {
        some = min(s->d.group, n - i);
        void *room = run_stream_room(stream, some * o->bytes);
        fill(context, room, some);
        stamp_hash_add(&hashing, room, some * o->bytes);
        for (int k = 0; !i && k < extsort_sample_words(s); k++)
            sample[1 + k] = sort_word(o, room, k);
    }
    sample[0] = stamp_hash_end(&hashing);
}

static void write_chunks(const struct extsort *s, struct run *r,
                         struct run_stream *stream, const struct sorted_run *run,
                         extsort_fill *fill, void *context)
{
    for (int64_t i = 0; i < extsort_chunks(s, run) && !r->failed; i++)
        write_chunk(s, stream, min(s->d.chunk, run->records - i * s->d.chunk), fill,
                    context, (uint64_t *)extsort_sample(s, run, i));
    run_stream_flush(stream);
}

/* Returns the bytes transferred for a stretch of a file. */
static int64_t moved_bytes(const struct run *r, int64_t from, int64_t to)
{
    int64_t align = is_direct(r) ? IO_DIRECT_ALIGN : 1;
    return (to + align - 1) / align * align - from / align * align;
}

void runs_write(struct extsort *s, int lane, struct runs_file *f, int64_t number,
                int64_t records, void *memory, extsort_fill *fill, void *context)
{
    struct lane *l = &s->lane[lane];
    struct sorted_run run = {
        .number = number, .at = number * f->stride, .records = records};
    int64_t bytes = s->how.order.bytes, words = 1 + extsort_sample_words(s);
    struct run_stream_how how = division_stream(
        &s->d, &f->file[lane], IO_OP_WRITE, s->d.group * bytes, memory, s->d.writing);
    struct run_stream *stream;
    int before = l->r->failed;
    how.from = run.at;
    run.sample = mem_new(extsort_chunks(s, &run) * words, sizeof *run.sample,
                         "a table of a run");
    if (!run.sample)
        run_fail(l->r, -ENOMEM);
    if (before || !run.sample || run_stream_open(&stream, &f->file[lane], &how)) {
        free(run.sample);
        return;
    }
    write_chunks(s, l->r, stream, &run, fill, context);
    run_stream_close(&stream);
    l->write_bytes += moved_bytes(l->r, 0, records * bytes);
    unwritten(s, l->r, before);
    int rc = enter_run(s, f, &run);
    if (rc)
        free(run.sample);
    run_fail(l->r, rc);
}

/* ---- reading --------------------------------------------------------------------- */

/* Returns the bytes of chunk i. */
static int64_t chunk_bytes(const struct extsort *s, const struct sorted_run *run,
                           int64_t i)
{
    return min(s->d.chunk, run->records - i * s->d.chunk) * s->how.order.bytes;
}

int runs_read(struct extsort *s, int lane, struct source *x, int64_t from, int64_t to,
              void *memory, int64_t bytes)
{
    struct lane *l = &s->lane[lane];
    struct run_file *f = &s->runs.file[lane];
    int64_t record = s->how.order.bytes;
    int64_t begin = from * s->d.chunk * record;
    int64_t end = min(to * s->d.chunk, x->run->records) * record;
    struct run_stream_how how =
        division_stream(&s->d, f, IO_OP_READ, record, memory, bytes);
    how.from = x->run->at + begin;
    how.bytes = end - begin;
    x->chunk = from;
    x->chunk_bytes = chunk_bytes(s, x->run, from);
    stamp_hash_begin(&x->hashing);
    l->read_bytes += moved_bytes(l->r, how.from, x->run->at + end);
    return run_stream_open(&x->stream, f, &how);
}

/* Compares the checksum of the chunk that has ended with the one that was written. */
static void check_chunk(const struct merge *m, struct source *x)
{
    const struct extsort *s = m->s;
    uint64_t sum = stamp_hash_end(&x->hashing);
    int64_t number = x->chunk++;
    if (x->chunk < extsort_chunks(s, x->run))
        x->chunk_bytes = chunk_bytes(s, x->run, x->chunk);
    stamp_hash_begin(&x->hashing);
    if (sum == extsort_sample(s, x->run, number)[0])
        return;
    run_fail(m->r,
             err_set(-EIO, s->runs.file[0].path,
                     x->run->at + number * s->d.chunk * s->how.order.bytes,
                     "run %lld of %lld that were written to scratch has other %s now, "
                     "in %lld bytes from here: " STAMP_WRONG,
                     (long long)x->run->number + 1, (long long)s->runs.n, what_of(s),
                     (long long)chunk_bytes(s, x->run, number)));
}

static void check_bytes(const struct merge *m, struct source *x, const char *piece,
                        int64_t bytes)
{
    for (int64_t some; bytes; piece += some, bytes -= some) {
        some = min(x->chunk_bytes, bytes);
        stamp_hash_add(&x->hashing, piece, some);
        x->chunk_bytes -= some;
        if (!x->chunk_bytes)
            check_chunk(m, x);
    }
}

void runs_next(const struct merge *m, struct source *x)
{
    char what[128];
    int64_t n = 0;
    int before = m->r->failed;
    x->at = x->stream ? run_stream_next(x->stream, &n) : NULL;
    x->end = x->at ? x->at + n : NULL;
    if (x->at)
        check_bytes(m, x, x->at, n);
    else if (m->r->failed && !before) {
        snprintf(what, sizeof what,
                 "run %lld of %lld, %s that were written to scratch, cannot be read "
                 "back",
                 (long long)x->run->number + 1, (long long)m->s->runs.n, what_of(m->s));
        explain_failure(m->r, before, what, "");
    }
    if (m->r->failed)
        x->at = NULL;
}

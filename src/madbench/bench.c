#include "madbench/bench.h"
#include "base/buf.h"
#include "base/err.h"
#include "madbench/gate.h"
#include <stdio.h>
#include <string.h>

int bench_open(struct bench *b, struct run *r, const struct settings *s,
               const struct plan *p)
{
    int rc = 0;
    memset(b, 0, sizeof *b);
    b->run = r;
    b->settings = s;
    b->plan = *p;
    MPI_Comm_split(r->world.comm, p->gang, r->world.rank, &b->gang);
    for (int i = 0; i < MADBENCH_MATRICES && !rc; i++)
        rc = buf_alloc(&b->buf[i], p->buffer_bytes, "a share of a matrix");
    return err_agree(r->world.comm, rc);
}

void bench_close(struct bench *b)
{
    for (int i = 0; i < MADBENCH_MATRICES; i++)
        buf_free(b->buf[i]);
    if (b->gang != MPI_COMM_NULL)
        MPI_Comm_free(&b->gang);
}

int bench_phase_begin(struct bench *b, const char *name, int flags)
{
    run_phase_begin(b->run, name);
    if (flags & IO_CREATE)
        run_file_name(&b->file, b->run, "matrices", layout_file_bytes(&b->plan.bins),
                      b->plan.buffer_bytes, 1);
    b->writes = flags & IO_WRITE;
    return flags ? run_file_open(&b->file, flags) : 0;
}

int bench_phase_end(struct bench *b)
{
    run_file_close(&b->file, b->writes);
    return run_phase_end(b->run);
}

static struct extent bin_at(const struct bench *b, int64_t bin)
{
    return layout_at(&b->plan.bins, b->run->world.rank, bin, 0);
}

static struct extent group_at(const struct bench *b, int64_t group)
{
    return layout_at(&b->plan.gang_bins, b->run->world.rank, group, 0);
}

int64_t bench_offset_bin(const struct bench *b, int64_t bin)
{
    return bin_at(b, bin).offset;
}

int64_t bench_offset_group(const struct bench *b, int64_t group)
{
    return group_at(b, group).offset;
}

/* `ranks` share the turns: all of them in S, a gang's where gangs work. */
static void put(struct bench *b, const void *buf, int64_t offset, int64_t bytes,
                MPI_Comm ranks)
{
    gate_enter(b->run, ranks, b->settings->wmod);
    run_write(&b->file, buf, offset, bytes);
    gate_leave(b->run, ranks, b->settings->wmod);
}

static void get(struct bench *b, void *buf, int64_t offset, int64_t bytes,
                MPI_Comm ranks, bool again)
{
    run_poison(b->run, buf, bytes);
    gate_enter(b->run, ranks, b->settings->rmod);
    run_read(&b->file, buf, offset, bytes, again);
    gate_leave(b->run, ranks, b->settings->rmod);
}

void bench_write_bin(struct bench *b, const void *buf, int64_t bin)
{
    put(b, buf, bin_at(b, bin).offset, b->plan.big_bytes, b->run->world.comm);
}

void bench_read_bin(struct bench *b, void *buf, int64_t bin)
{
    get(b, buf, bin_at(b, bin).offset, b->plan.big_bytes, b->run->world.comm, false);
}

void bench_write_group(struct bench *b, const void *buf, int64_t group)
{
    put(b, buf, group_at(b, group).offset, b->plan.small_bytes, b->gang);
}

void bench_read_group(struct bench *b, void *buf, int64_t group, bool again)
{
    get(b, buf, group_at(b, group).offset, b->plan.small_bytes, b->gang, again);
}

void bench_step(struct bench *b)
{
    char what[64];
    snprintf(what, sizeof what, "phase %s  rep %d/%lld", b->run->phase->name,
             b->run->rep, (long long)b->settings->run.repeat);
    progress_step(&b->run->progress, 1, what);
}

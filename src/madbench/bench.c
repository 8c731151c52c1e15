#include "madbench/bench.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include "madbench/gate.h"
#include "madbench/original.h"
#include <stdio.h>
#include <string.h>

const char *const bench_phase_name[PHASES] = {"S", "D", "W", "C"};

/* Advances transfers in libraries that do so only when they are called. */
static void poll_file(void *bench)
{
    run_poll(&((struct bench *)bench)->file);
}

int bench_open(struct bench *b, struct run *r, const struct settings *s,
               const struct plan *p)
{
    int rc = 0;
    memset(b, 0, sizeof *b);
    b->run = r;
    b->settings = s;
    b->plan = *p;
    b->alpha = s->bwexp;
    b->work = true;
    b->suffix = "";
    MPI_Comm_split(r->world.comm, p->gang, r->world.rank, &b->gang);
    for (int i = 0; i < p->buffers && !rc; i++) {
        rc = buf_alloc(&b->buf[i], p->buffer_bytes, "a share of a matrix");
        run_buffer(r, b->buf[i], p->buffer_bytes);
    }
    return err_agree(r->world.comm, rc);
}

void bench_close(struct bench *b)
{
    for (int i = 0; i < MADBENCH_BUFFERS_MOST; i++)
        buf_free(b->buf[i]);
    if (b->gang != MPI_COMM_NULL)
        MPI_Comm_free(&b->gang);
}

int bench_pass(struct bench *b, const struct pass *how, int (*call)(void *), void *arg)
{
    int rc = run_mode(b->run, how->mode, how->verify);
    memset(b->rate, 0, sizeof b->rate);
    b->suffix = how->suffix;
    b->run->samples_only = *how->suffix;
    b->work = how->work;
    b->tick = (struct tick){.call = b->run->async ? poll_file : NULL, .arg = b};
    if (!rc)
        rc = call(arg);
    int removed = run_file_remove(&b->file);
    return rc ? rc : removed;
}

/* ---- phases ------------------------------------------------------------------ */

int bench_phase_begin(struct bench *b, enum bench_phase phase, int flags)
{
    static const int moves[PHASES] = {[PHASE_W] = 1, [PHASE_C] = 2};
    char name[16];
    snprintf(name, sizeof name, "%s%s", bench_phase_name[phase], b->suffix);
    run_phase_begin(b->run, name);
    if (flags & IO_CREATE)
        run_file_name(&b->file, b->run, "matrices", &b->plan.bins, b->plan.buffer_bytes,
                      b->run->async ? MADBENCH_DEPTH : 1);
    b->place = run_shifted(b->run, moves[phase]);
    if (flags)
        run_file_of(&b->file, b->place);
    b->phase = phase;
    b->writes = flags & IO_WRITE;
    b->busy_ns = 0;
    return flags ? run_file_open(&b->file, flags) : 0;
}

int bench_phase_end(struct bench *b)
{
    run_await(&b->file, &b->ahead);
    b->fetched = false;
    run_await(&b->file, &b->back);
    run_file_close(&b->file, b->writes);
    int rc = run_phase_end(b->run);
    b->rate[b->phase] = b->run->last;
    if (!rc && original_asked(b->settings))
        original_phase(b);
    return rc;
}

/* ---- one share's I/O --------------------------------------------------------- */

struct share bench_bin(const struct bench *b, int64_t bin)
{
    return (struct share){.offset = layout_at(&b->plan.bins, b->place, bin, 0).offset,
                          .bytes = grid_share_bytes_of(&b->plan.big, b->place),
                          .turns = b->run->world.comm};
}

struct share bench_group(const struct bench *b, int64_t group)
{
    int writer = run_shifted(b->run, b->phase == PHASE_W ? 0 : 1);
    return (struct share){
        .offset = layout_at(&b->plan.gang_bins, b->place, group, 0).offset,
        .bytes = grid_share_bytes_of(&b->plan.small, writer % b->plan.gang_ranks),
        .turns = b->gang};
}

static struct run_io bench_transfer(const struct bench *b, enum io_op op,
                                    const void *buf, const struct share *s)
{
    return (struct run_io){.req = {.op = op,
                                   .buf = (void *)buf,
                                   .offset = s->offset,
                                   .bytes = units_round_up(s->bytes, b->plan.align)}};
}

static void start_read(struct bench *b, void *buf, const struct share *s)
{
    run_poison(b->run, buf, s->bytes);
    b->ahead = bench_transfer(b, IO_OP_READ, buf, s);
    gate_enter(b->run, s->turns, b->settings->rmod);
    run_submit(&b->file, &b->ahead);
    gate_leave(b->run, s->turns, b->settings->rmod);
}

void bench_fetch(struct bench *b, void *buf, struct share s)
{
    start_read(b, buf, &s);
    b->fetched = true;
}

void bench_read(struct bench *b, void *buf, struct share s)
{
    if (!b->fetched)
        start_read(b, buf, &s);
    b->fetched = false;
    run_await(&b->file, &b->ahead);
}

void bench_write(struct bench *b, const void *buf, struct share s)
{
    run_await(&b->file, &b->back);
    b->back = bench_transfer(b, IO_OP_WRITE, buf, &s);
    gate_enter(b->run, s.turns, b->settings->wmod);
    run_submit(&b->file, &b->back);
    gate_leave(b->run, s.turns, b->settings->wmod);
}

struct share bench_read_bin(struct bench *b, void *const in[2], int64_t bin)
{
    struct share s = bench_bin(b, bin);
    int64_t next = bin + 1, gangs = b->plan.gangs;
    bench_read(b, in[bin % 2], s);
    if (next < b->settings->nbin && (gangs == 1 || next % gangs != 0))
        bench_fetch(b, in[next % 2], bench_bin(b, next));
    return s;
}

int bench_groups_ahead(const struct bench *b)
{
    return b->plan.gangs > 1;
}

void bench_step(struct bench *b)
{
    char what[64];
    snprintf(what, sizeof what, "phase %s  rep %d/%lld", b->run->phase->name,
             b->run->rep, (long long)b->settings->run.repeat);
    progress_step(&b->run->progress, 1, what);
}

#include "pfmload/store/spill.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* What is read is read twice as far: one half while the other is merged. */
static int slots_of(const struct spill_io *io)
{
    return io->run->async ? 2 : 1;
}

static struct run_stream_how spill_how(const struct spill *f, enum io_op op,
                                       int64_t record, void *memory, int64_t bytes)
{
    struct run_stream_how how = {.op = op,
                                 .slots = slots_of(&f->io),
                                 .record = record,
                                 .memory = memory,
                                 .uncut = true};
    how.slot_bytes = run_stream_slot_bytes(f->file, &how, bytes);
    return how;
}

int64_t spill_memory_least(const struct spill_io *io, int64_t record)
{
    struct run_file file;
    struct run_stream_how how = {
        .op = IO_OP_READ, .slots = slots_of(io), .record = record};
    run_file_beside(&file, io->run, "", SPILL_TRANSFER, SPILL_DEPTH);
    int64_t align = io->run->io_flags & IO_DIRECT ? IO_DIRECT_ALIGN : 64;
    how.slot_bytes = units_round_up(record > 1 ? record : 1, align);
    return run_stream_memory(&file, &how);
}

/* Adds what it is about to a failure that has come meanwhile, and what can be done. */
static int spill_explain(const struct spill *f, int before, const char *what,
                         const char *advice)
{
    int rc = f->io.run->failed;
    if (!rc || before || err_get()->code != rc)
        return rc;
    struct err e = *err_get();
    err_clear();
    return err_set(rc, e.file, e.offset, "%s: %.500s%s", what, e.text, advice);
}

static int spill_unwritten(const struct spill *f, int before)
{
    return spill_explain(f, before,
                         "soundings that do not fit into memory cannot be written",
                         "; allow more memory, or another scratch directory");
}

int spill_open(struct spill *f, const struct spill_io *io, const char *prefix,
               int64_t number, void *memory, int64_t memory_bytes)
{
    char path[PATH_MAX];
    struct run *r = io->run;
    *f = (struct spill){.io = *io, .file = calloc(1, sizeof *f->file)};
    if (!f->file)
        return err_set(-ENOMEM, prefix, -1, "no memory for a scratch file");
    snprintf(path, sizeof path, "%.4060s.%lld", prefix, (long long)number);
    run_file_beside(f->file, r, path, SPILL_TRANSFER, SPILL_DEPTH);
    f->file->queue = io->queue;
    int rc = run_file_open(f->file, IO_READ | IO_WRITE | IO_CREATE);
    if (rc)
        return rc;
    rc = io_file_remove(MPI_COMM_NULL, path); /* the space is ours until it is closed */
    struct run_stream_how how = spill_how(f, IO_OP_WRITE, 0, memory, memory_bytes);
    return rc ? rc : run_stream_open(&f->writer, f->file, &how);
}

void spill_close(struct spill *f)
{
    run_stream_close(&f->writer);
    if (f->file)
        run_file_close(f->file, false);
    free(f->file);
    f->file = NULL;
}

int spill_append(struct spill *f, const void *from, int64_t bytes)
{
    int before = f->io.run->failed;
    run_stream_put(f->writer, from, bytes);
    f->bytes += bytes;
    return spill_unwritten(f, before);
}

int spill_end(struct spill *f)
{
    int before = f->io.run->failed;
    run_stream_flush(f->writer);
    run_stream_close(&f->writer);
    return spill_unwritten(f, before);
}

int spill_read(struct spill *f, struct run_stream **s, int64_t from, int64_t bytes,
               int64_t record, void *memory, int64_t memory_bytes)
{
    struct run_stream_how how = spill_how(f, IO_OP_READ, record, memory, memory_bytes);
    how.from = from;
    how.bytes = bytes;
    return run_stream_open(s, f->file, &how);
}

int spill_next(struct spill *f, struct run_stream *s, const void **records, int64_t *n)
{
    int before = f->io.run->failed;
    *records = run_stream_next(s, n);
    return spill_explain(f, before,
                         "soundings that were written there cannot be read back", "");
}

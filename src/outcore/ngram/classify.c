#include "outcore/ngram/classify.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <string.h>

const char *const classify_phase[STAGES] = {"read", "read_classify", "end_to_end"};

/* ---- sums ------------------------------------------------------------------------ */

static void begin(struct run *r, struct classify *c, enum classify_stage stage)
{
    const struct consume none = {.how = CONSUME_NONE};
    for (int i = 0; i < r->lanes; i++) {
        c->lane[i].lines = NULL;
        memset(&c->lane[i].sum, 0, sizeof c->lane[i].sum);
        c->sink[i] = (struct sink){.how = none};
        if (stage != STAGE_READ)
            c->sink[i] = (struct sink){.ops = &answers_ops, .context = &c->lane[i]};
    }
}

/* The bytes written. With direct I/O whole blocks are written, and each file is cut at
 * its end. */
static int64_t written(const struct run *r, const struct answers *a)
{
    int64_t bytes = a->sum.line_bytes;
    return r->io_flags & IO_DIRECT ? units_round_up(bytes, IO_DIRECT_ALIGN) : bytes;
}

/* Sums up over all lanes of all ranks; *files: number that went to sinks. */
static void end(struct run *r, struct classify *c, int64_t *files)
{
    int64_t moved[2] = {0, 0};
    memset(&c->found, 0, sizeof c->found);
    for (int i = 0; i < r->lanes; i++) {
        c->lane[i].sum.line_bytes = written(r, &c->lane[i]);
        answers_add(&c->found, &c->lane[i].sum);
        moved[0] += c->sink[i].bytes;
        moved[1] += c->sink[i].files;
    }
    MPI_Allreduce(MPI_IN_PLACE, &c->found, (int)(sizeof c->found / sizeof(int64_t)),
                  MPI_INT64_T, MPI_SUM, r->world.comm);
    MPI_Allreduce(MPI_IN_PLACE, moved, 2, MPI_INT64_T, MPI_SUM, r->world.comm);
    c->bytes = moved[0];
    *files = moved[1];
}

static int64_t of_rank(const struct run *r, const struct classify *c)
{
    int64_t bytes = 0;
    for (int i = 0; i < r->lanes; i++)
        bytes += c->sink[i].bytes;
    return bytes;
}

/* ---- a pass ---------------------------------------------------------------------- */

static void open_lines(struct run *r, struct classify *c)
{
    if (output_open(r, &c->output, 0, ANSWERS_BLOCK, 1))
        return;
    for (int i = 0; i < c->output.writers; i++) {
        struct run_stream_how how = {
            .op = IO_OP_WRITE, .slot_bytes = ANSWERS_BLOCK, .slots = 1, .record = 1};
        run_stream_open(&c->lane[i].lines, &c->output.of[i], &how);
    }
}

static void flush_lane(struct run *r, void *classify)
{
    struct classify *c = classify;
    if (c->lane[r->lane].lines)
        run_stream_flush(c->lane[r->lane].lines);
    run_stream_close(&c->lane[r->lane].lines);
}

static void pass_all(struct run *r, struct classify *c, enum classify_stage stage)
{
    if (stage == STAGE_ALL)
        open_lines(r, c);
    if (!r->failed)
        passing_run(&c->many.passing, r);
    run_count_cached(r, of_rank(r, c), c->many.passing.resident);
    if (stage != STAGE_ALL)
        return;
    run_lanes(r, flush_lane, c);
    output_close(r, &c->output, true);
}

/* Checks that all listed files have come. */
static int check_files(const struct run *r, const struct classify *c, int64_t files)
{
    int64_t names = c->many.names.n;
    MPI_Allreduce(MPI_IN_PLACE, &names, 1, MPI_INT64_T, MPI_SUM, r->world.comm);
    if (names == files)
        return 0;
    return err_set(-EIO, c->many.folder.path, -1,
                   "%lld document%s went through the slots, and there are %lld",
                   (long long)files, units_s(files), (long long)names);
}

int classify_pass(struct run *r, struct classify *c, enum classify_stage stage)
{
    int64_t files;
    begin(r, c, stage);
    passing_drop(&c->many.passing, r);
    run_phase_begin(r, classify_phase[stage]);
    int64_t begin_ns = clock_cpu_ns();
    pass_all(r, c, stage);
    c->cpu_ns = clock_cpu_ns() - begin_ns;
    int rc = run_phase_end(r);
    end(r, c, &files);
    rc = rc ? rc : check_files(r, c, files);
    return rc ? rc
              : run_moved(r, classify_phase[stage], c->many.folder.path, c->bytes,
                          c->found.line_bytes);
}

/* ---- checking -------------------------------------------------------------------- */

static bool same(const struct answers_sum *a, const struct answers_sum *b)
{
    return a->documents == b->documents && a->undetermined == b->undetermined &&
           a->grams == b->grams && a->sum == b->sum &&
           !memcmp(a->said, b->said, sizeof a->said);
}

int classify_verify(struct run *r, struct classify *c)
{
    struct answers_sum streamed = c->found;
    int64_t files;
    begin(r, c, STAGE_CLASSIFY);
    r->aside = r->samples_only = true;
    run_phase_begin(r, "verify");
    passing_plain(&c->many.passing, r, c->sink);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    end(r, c, &files);
    struct answers_sum plain = c->found;
    c->found = streamed;
    if (rc)
        return rc;
    r->checked += r->world.rank ? 0 : plain.documents;
    if (same(&plain, &streamed))
        return 0;
    r->bad += r->world.rank ? 0 : 1;
    return err_set(-EIO, c->many.folder.path, -1,
                   "the documents' languages, read plainly, are others than those that "
                   "came through the slots (%lld and %lld document%s, %lld and %lld "
                   "gram%s)",
                   (long long)plain.documents, (long long)streamed.documents,
                   units_s(streamed.documents), (long long)plain.grams,
                   (long long)streamed.grams, units_s(streamed.grams));
}

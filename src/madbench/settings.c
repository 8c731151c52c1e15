#include "madbench/settings.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include "madbench/bench.h"
#include "madbench/full.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA_MAX 3.0
#define ALPHA_LEAST (-1000.0) /* all negative values mean the same */
#define PIECE (INT64_C(1) << 20)

struct settings settings = {.bwexp = NAN};

/* clang-format off */
struct opt settings_table[] = {
    {.kind = OPT_TITLE, .help = "Problem (in MADbench2's order):"},
    {.kind = OPT_INT, .name = "NPIX", .value = &settings.npix, .unit = "1", .min = 1,
     .max = GRID_NPIX_MAX, .workload = true, .required = true,
     .help = "pixels: matrices are NPIX x NPIX doubles",
     .text = "Pixels: matrices are _NPIX_ x _NPIX_ doubles, and take 8 _NPIX_^2 bytes "
             "each."},
    {.kind = OPT_INT, .name = "NBIN", .value = &settings.nbin, .unit = "1", .min = 1,
     .max = 1e6, .workload = true, .required = true,
     .help = "bins: the number of matrices"},
    {.kind = OPT_INT, .name = "NGANG", .value = &settings.ngang, .preset = "1",
     .unit = "1", .min = 1, .max = 1e6, .workload = true,
     .help = "gangs of ranks that work in parallel in phases W and C; must divide "
             "NBIN and the number of ranks"},
    {.kind = OPT_INT, .name = "SBLOCKSIZE", .value = &settings.sblock, .unit = "1",
     .min = 1, .max = 1e6, .workload = true,
     .help = "ScaLAPACK block size [64, less for small matrices]",
     .text = "Side of the square blocks in which ScaLAPACK distributes matrices over "
             "ranks. Every row and column of the process grid must get at least one "
             "block: _NPIX_ / _SBLOCKSIZE_ must be at least the longer side of the "
             "grid. 64 if it is not given, or less for small matrices."},
    {.kind = OPT_BYTES, .name = "FBLOCKSIZE", .value = &settings.fblock,
     .preset = "4096", .unit = "B", .min = 8, .max = 1e12, .workload = true,
     .help = "file block: each rank's share of a matrix begins at a multiple of this "
             "in the file; a multiple of 8",
     .text = "File block size: each rank's share of a matrix begins at a multiple of "
             "this many bytes in the file. A multiple of 8. Use the stripe or block "
             "size of the file system to see what alignment gains."},
    {.kind = OPT_INT, .name = "RMOD", .value = &settings.rmod, .preset = "1",
     .unit = "1", .min = 1, .max = 1e6, .workload = true,
     .help = "only one of every RMOD ranks reads at a time",
     .text = "Only one rank of every _RMOD_ consecutive ranks reads at a time; the "
             "next one starts when it has finished. 1: all at the same time."},
    {.kind = OPT_INT, .name = "WMOD", .value = &settings.wmod, .preset = "1",
     .unit = "1", .min = 1, .max = 1e6, .workload = true,
     .help = "only one of every WMOD ranks writes at a time",
     .text = "The same for writing. Neither can be combined with --collective, which "
             "needs all ranks at the same time, or with *IOMODE=ASYNC*, where "
             "transfers are in flight while ranks compute."},
    {.kind = OPT_TITLE, .help = "Work:"},
    {.kind = OPT_FLAG, .name = "io-only", .value = &settings.io_only, .preset = "no",
     .workload = true,
     .help = "I/O mode: the same I/O and memory use, with busy work instead of "
             "linear algebra",
     .text = "I/O mode. The busy work has roughly as many operations as the linear "
             "algebra: _NPIX_^2 for a matrix in S and for a read in C, _NPIX_^3 for a "
             "matrix in W, and with several gangs another _NPIX_^2 for moving it to "
             "its gang. All ranks share the work in S, in C and in moving matrices; a "
             "gang's ranks share a product in W. So does MADbench2."},
    {.kind = OPT_REAL, .name = "bwexp", .env = "BWEXP", .value = &settings.bwexp,
     .arg = "ALPHA", .unit = "1", .min = ALPHA_LEAST, .max = ALPHA_MAX,
     .workload = true,
     .help = "busy-work exponent: (NPIX^2)^ALPHA flops per matrix; 0: none; below 0: "
             "NPIX^2 in S and C, NPIX^3 in W; sets I/O mode",
     .text = "I/O mode with (_NPIX_^2)^ALPHA operations in each place where --io-only "
             "works; 1.5 is as much as a matrix product. 0 means none. A negative "
             "number means the usual amount, as with --io-only."},
    {.kind = OPT_TEXT, .name = "alpha-sweep", .value = &settings.alpha_sweep,
     .arg = "A:B:STEP", .workload = true,
     .help = "run I/O mode for each ALPHA from A to B; shows the effective rates of "
             "synchronous and asynchronous I/O, how much I/O the computation hides, "
             "and the ALPHA at which it hides all it can",
     .text = "I/O mode for each _ALPHA_ from A to _B_ in steps of _STEP_, in three "
             "passes each: asynchronous I/O without computation (phases _X_-io), the "
             "same with it (_X_-async), and synchronous I/O (_X_-sync). Prints, for "
             "each _ALPHA_,\n\n"
             "*sync_MBps*, *alone_MBps* and *async_MBps*: the effective rates of "
             "synchronous I/O, of asynchronous I/O without computation, and of "
             "asynchronous I/O with computation, which are bytes divided by the "
             "seconds of I/O that the program saw;\n\n"
             "*concurrency*: what several transfers in flight gain over one, as the "
             "seconds of synchronous I/O divided by those of asynchronous I/O without "
             "computation;\n\n"
             "*hidden*: the share of the seconds of asynchronous I/O that computation "
             "hides;\n\n"
             "*hidden_most*: the most that it could hide. With at least as much "
             "computation as I/O that is everything but the start and end of the "
             "pipeline, a share of 1 - 1/_n_ in a phase with _n_ stages; with less "
             "computation it is less;\n\n"
             "and the critical _ALPHA_, above which at least 90 % of the I/O that can "
             "be hidden is hidden. The timed passes do not check blocks; one pass of "
             "each kind before them does."},
    {.kind = OPT_FLAG, .name = "overlap", .value = &settings.overlap, .preset = "no",
     .help = "with IOMODE=ASYNC: measure I/O alone, computation alone, and both "
             "together, and report how much overlaps",
     .text = "With *IOMODE=ASYNC*: run each repetition in three passes: the I/O "
             "alone (phases _X_-io), the computation alone (_X_-comp), and both. For "
             "each phase the report has *t_io_s*, *t_comp_s* and *t_both_s*, and "
             "*overlap*, (t_io + t_comp - t_both) / min(t_io, t_comp), with the upper "
             "bound for a pipeline of that many bins; and *hidden* and *hidden_most*, "
             "as --alpha-sweep has them. If the overlap is poor, a warning says where "
             "the time went. Blocks are checked in a pass before them (_X_-check)."},
    {.kind = OPT_CHOICE, .name = "remap", .env = "REMAP", .value = &settings.remap,
     .preset = "CUSTOM", .arg = "METHOD", .choices = "CUSTOM|SCALAPACK",
     .workload = true, .help = "how matrices move to the gangs",
     .choice_text = {"each rank is sent directly what it needs",
                     "ScaLAPACK's pdgemr2d is called"}},
    RUN_RANK_SHIFT(settings.run),
    RUN_STRIPE(settings.run),
    RUN_OPTIONS(settings.run),
    {.kind = OPT_NOTE, .name = "rank-shift",
     .text = "With each phase that uses the file, ranks move on by N places in it: W "
             "reads from another rank's place and puts its own product there, and C "
             "finds that in the next place but one. Blocks are checked against the "
             "rank that wrote them. In full mode each matrix is then sent to the rank "
             "that needs it, which counts as communication; the result is the same. "
             "With *node* ranks move to a rank on another node each time. Not for "
             "--filetype=PARTITIONED."},
    {.kind = OPT_NOTE, .name = "iomode",
     .text = "*ASYNC* reads the next matrix and writes the last one during the work on "
             "the current one. In full mode with gangs, it needs memory for eight "
             "matrices per gang instead of seven."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "With *direct* a rank's share is padded to a multiple of 4096 bytes, "
             "which counts as transferred."},
    {.kind = OPT_CHOICE, .name = "format", .value = &settings.format,
     .preset = "text", .arg = "FORMAT", .choices = "text|madbench2",
     .help = "output format; madbench2: the lines that MADbench2 prints, for scripts "
             "that read them",
     .choice_text = {"Leadline's own report",
                     "the lines that MADbench2 prints, for scripts that read them"},
     .text = "Output format. MADbench2's lines are the settings; "
             "for each phase, in seconds, _X_\\_cc, _X_\\_bw, _X_\\_r, _X_\\_w and "
             "_X_\\_total, as the mean over ranks and [least:most]; and dC[0], which "
             "is 0 in I/O mode. See *DIFFERENCES FROM MADBENCH2* for what they "
             "contain. Everything else, including the warnings, is in --json."},
};
/* clang-format on */

const int settings_count = WORKLOAD_COUNT(settings_table);

/* The common divisor of a and b that is nearest to n. */
static int64_t nearest_common_divisor(int64_t a, int64_t b, int64_t n)
{
    int64_t best = 1;
    for (int64_t d = 1; d <= a && d <= b; d++)
        if (a % d == 0 && b % d == 0 && llabs(d - n) < llabs(best - n))
            best = d;
    return best;
}

static bool is_async(const struct settings *s)
{
    return s->alpha_sweep || run_mode_asked(&s->run) == RUN_ASYNC;
}

static int check_values(const struct settings *s, int ranks)
{
    if (ranks % s->ngang || s->nbin % s->ngang)
        return err_usage(
            "NGANG %lld must divide both NBIN (%lld) and the number of ranks "
            "(%d): the nearest that does is %lld",
            (long long)s->ngang, (long long)s->nbin, ranks,
            (long long)nearest_common_divisor(s->nbin, ranks, s->ngang));
    if (s->fblock % 8)
        return err_usage(
            "FBLOCKSIZE %lld must be a multiple of 8: the nearest are %lld "
            "and %lld",
            (long long)s->fblock, (long long)(s->fblock - s->fblock % 8),
            (long long)units_round_up(s->fblock, 8));
    if ((s->rmod > 1 || s->wmod > 1) && s->run.collective)
        return err_usage(
            "RMOD and WMOD let ranks wait for each other, and collective "
            "transfers need them all at once: leave out --collective or set "
            "both to 1");
    if ((s->rmod > 1 || s->wmod > 1) && is_async(s))
        return err_usage(
            "RMOD and WMOD let ranks take turns at I/O, and asynchronous transfers are "
            "in flight while ranks compute: set both to 1, or IOMODE=SYNC");
    if (s->run.rank_shift && !strcmp(s->run.filetype, "PARTITIONED"))
        return err_usage("--rank-shift has phase W write in other ranks' places, and "
                         "with FILETYPE=PARTITIONED each rank writes in its own: take "
                         "UNIQUE or SHARED");
    return 0;
}

static int check_mode(const struct plan *p, const struct settings *s)
{
    enum run_mode mode = run_mode_asked(&s->run);
    if (s->overlap && mode != RUN_ASYNC)
        return err_usage(
            "--overlap measures how much of asynchronous I/O is hidden: set "
            "IOMODE=ASYNC, too");
    if (s->alpha_sweep && (!isnan(s->bwexp) || s->overlap))
        return err_usage("--alpha-sweep sets ALPHA itself and measures what is hidden: "
                         "leave out %s",
                         s->overlap ? "--overlap" : "BWEXP (--bwexp)");
    if ((s->alpha_sweep || s->overlap) && s->run.keep)
        return err_usage(
            "--keep is for one pass over the phases, and %s makes several: "
            "leave one of them out",
            s->overlap ? "--overlap" : "--alpha-sweep");
    if ((s->alpha_sweep || s->overlap) && original_asked(s))
        return err_usage("--format=madbench2 has lines for one pass over the phases, "
                         "and %s makes several: leave one of them out",
                         s->overlap ? "--overlap" : "--alpha-sweep");
    if (s->alpha_sweep && mode == RUN_NONE)
        return err_usage("--alpha-sweep measures I/O, and IOMODE=NONE does none");
    if (p->full && mode == RUN_NONE)
        return err_usage("IOMODE=NONE leaves nothing to compute with: add --io-only or "
                         "set BWEXP");
    if (p->full && !s->run.dry_run)
        return full_check(p);
    return 0;
}

/* Parses "A:B:STEP", from A to B in steps of STEP. */
static int parse_alphas(struct alphas *a, const char *text)
{
    double last;
    char more;
    if (!text)
        return 0;
    if (sscanf(text, "%lf:%lf:%lf%c", &a->first, &last, &a->step, &more) != 3 ||
        !(a->first >= 0 && last >= a->first && last <= ALPHA_MAX && a->step > 0 &&
          (last - a->first) / a->step < MADBENCH_ALPHAS_MOST))
        return err_usage(
            "--alpha-sweep: \"%s\" is not A:B:STEP with 0 <= A <= B <= %g and fewer "
            "than %d steps",
            text, ALPHA_MAX, MADBENCH_ALPHAS_MOST);
    a->n = (int)floor((last - a->first) / a->step + 1e-9) + 1;
    return 0;
}

static int64_t least_common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Sets the layouts. A slot holds whole transfers, and begins at a multiple of them. */
static void set_layouts(struct plan *p, const struct settings *s)
{
    int64_t need = grid_share_bytes_max(&p->big);
    int64_t gang_need = units_div_up(p->buffer_bytes, p->gangs);
    int64_t slot = units_round_up(need > gang_need ? need : gang_need,
                                  least_common_multiple(s->fblock, p->align));
    p->bins = (struct layout){
        .order = strcmp(s->run.filetype, "UNIQUE") ? LAYOUT_RANK_MAJOR : LAYOUT_UNIQUE,
        .ranks = p->ranks,
        .mats = s->nbin,
        .blks = 1,
        .slot_bytes = slot};
    p->gang_bins = p->bins;
    p->gang_bins.mats = p->groups;
    p->gang_bins.slot_bytes = slot * p->gangs;
}

int plan_make(struct plan *p, struct settings *s, int rank, int ranks)
{
    memset(p, 0, sizeof *p);
    p->full = !s->io_only && isnan(s->bwexp) && !s->alpha_sweep;
    p->async = is_async(s);
    p->align = strcmp(s->run.cache, "direct") ? 1 : IO_DIRECT_ALIGN;
    int rc = parse_alphas(&p->alphas, s->alpha_sweep);
    if (!rc)
        rc = check_values(s, ranks);
    if (rc)
        return rc;
    if (!s->sblock)
        s->sblock = grid_block_default(s->npix, ranks);
    p->ranks = ranks;
    p->gangs = (int)s->ngang;
    p->gang_ranks = ranks / p->gangs;
    p->gang = rank / p->gang_ranks;
    p->gang_rank = rank % p->gang_ranks;
    p->groups = s->nbin / p->gangs;
    rc = grid_init(&p->big, s->npix, s->sblock, ranks, rank);
    if (!rc)
        rc = grid_init(&p->small, s->npix, s->sblock, p->gang_ranks, p->gang_rank);
    if (!rc)
        rc = check_mode(p, s);
    if (rc)
        return rc;
    p->big_bytes = grid_share_bytes(&p->big);
    p->small_bytes = grid_share_bytes(&p->small);
    p->buffer_bytes = units_round_up(grid_share_bytes_max(&p->small), p->align);
    p->buffers = MADBENCH_MATRICES;
    /* One more share to read, one more of the gang's matrices, and with ASYNC one more
     * that is being written. */
    if (p->full && p->gangs > 1)
        p->buffers = MADBENCH_MATRICES + 2 + p->async;
    if (p->full && s->run.rank_shift)
        p->piece_bytes = p->buffer_bytes < PIECE ? p->buffer_bytes : PIECE;
    set_layouts(p, s);
    return layout_check(&p->bins);
}

static int64_t matrices(const struct plan *p)
{
    return p->buffers * units_round_up(p->buffer_bytes, BUF_ALIGN);
}

/* The bytes that full_open allocates: z and the pixels' unit vectors, d2L, dL, dC,
 * fingerprints, the piece. */
int64_t plan_vectors(const struct plan *p)
{
    int64_t nbin = p->bins.mats;
    if (!p->full)
        return 0;
    return 8 * p->big.npix + 24 * (p->big.local_rows + p->big.local_cols) +
           8 * (nbin * nbin + 3 * nbin + p->groups) + p->piece_bytes;
}

int64_t plan_memory(const struct plan *p)
{
    return matrices(p) + plan_vectors(p);
}

int64_t plan_disk(const struct plan *p)
{
    return layout_files(&p->bins) * layout_file_bytes(&p->bins);
}

/* The reads of phase C: in full mode all pairs of groups. */
static int64_t group_reads(const struct plan *p)
{
    return p->full ? p->groups * (p->groups + 1) / 2 : p->groups;
}

int64_t plan_steps(const struct plan *p, const struct settings *s)
{
    return 2 * s->nbin + p->groups + group_reads(p);
}

void plan_need(const struct plan *p, int64_t passes, struct run_need *n)
{
    int64_t nbin = p->bins.mats, bin = grid_shares_bytes(&p->big, p->align);
    int64_t group = p->gangs * grid_shares_bytes(&p->small, p->align);
    n->layout = &p->bins;
    n->memory_bytes = plan_memory(p);
    n->write_bytes = nbin * bin + p->groups * group;
    n->read_bytes = nbin * bin + group_reads(p) * group;
    n->passes = passes;
}

static void print_row(const char *what, int64_t rank, int64_t total)
{
    char a[16], b[16], c[32] = "";
    double gib = (double)total / (double)(INT64_C(1) << 30);
    if (gib >= 1) /* as in the slides' table */
        snprintf(c, sizeof c, "%.0f GiB", gib);
    printf("  %-24s %12s %12s%s%s\n", what, units_bytes(a, rank), units_bytes(b, total),
           *c ? "  about " : "", c);
}

void plan_print(const struct plan *p, const struct settings *s,
                const struct run_need *need)
{
    char what[64];
    int64_t matrix = 8 * s->npix * s->npix;
    printf("madbench: %lld pixel%s, %lld bin%s, %s mode; nothing is run\n",
           (long long)s->npix, units_s(s->npix), (long long)s->nbin, units_s(s->nbin),
           p->full ? "full" : "I/O");
    printf("  %d rank%s as a %d x %d grid", p->ranks, units_s(p->ranks), p->big.rows,
           p->big.cols);
    if (p->gangs > 1)
        printf(", %d gang%s of %d rank%s (%d x %d)", p->gangs, units_s(p->gangs),
               p->gang_ranks, units_s(p->gang_ranks), p->small.rows, p->small.cols);
    if (s->run.rank_shift == RUN_SHIFT_NODE)
        printf(", each reads what one of another node wrote");
    else if (s->run.rank_shift)
        printf(", each reads what the one %lld further on wrote",
               (long long)(s->run.rank_shift % p->ranks));
    printf(", blocks of %lld x %lld\n\n", (long long)s->sblock, (long long)s->sblock);
    printf("  %-24s %12s %12s\n", "", "per rank", "all ranks");
    snprintf(what, sizeof what, "memory, %d matri%s%s", p->buffers,
             p->buffers == 1 ? "x" : "ces", p->gangs > 1 ? " a gang" : "");
    print_row(what, matrices(p), p->buffers * matrix * p->gangs);
    if (p->full)
        print_row("memory, vectors", plan_vectors(p), plan_vectors(p) * p->ranks);
    snprintf(what, sizeof what, "disk, %lld matri%s", (long long)s->nbin,
             s->nbin == 1 ? "x" : "ces");
    print_row(what, s->nbin * p->bins.slot_bytes, s->nbin * matrix);
    print_row("files, with padding", s->nbin * p->bins.slot_bytes, plan_disk(p));
    print_row("largest transfer", p->buffer_bytes, p->buffer_bytes * p->ranks);
    print_row("written in a pass", need->write_bytes / p->ranks, need->write_bytes);
    print_row("read in a pass", need->read_bytes / p->ranks, need->read_bytes);
}

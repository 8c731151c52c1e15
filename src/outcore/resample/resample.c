/* outcore resample: enlarges a grey image by Lanczos' kernels, out of core; after the
 * study of storage-intensive computing (2007, chapter 5). It compares ways to move the
 * bytes from and to files: in one piece, mapped, row by row of tiles, in strips.
 *
 * Bytes of phase resample, with b = bytes of a row of the input and B of the output,
 * for output rows Y .. Y' of a strip, whose input is rows y .. y': strip: (y' - y) b of
 * reads, less the rows of the previous strip with --halo=keep, and (Y' - Y) B of
 * writes, one of each; basic: the same, with a rank's band as one strip; block and
 * mmap: for each tile, y' - y reads of the pixels that its columns need, and Y' - Y
 * writes of those that it has. Phase make writes the input; check writes the output's
 * head (and the end of FITS' last block) and reads pixels of both files. Memory of a
 * rank: the input and output rows of a strip (with IOMODE=ASYNC twice), of the band
 * (basic) or of a tile (block, mmap), and a tile in 32-bit numbers. */
#include "base/buf.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/commands.h"
#include "outcore/resample/job.h"
#include "run/workload.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct settings set;
static struct phases phases;
static struct job *const job = &phases.job;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Image:"},
    {.kind = OPT_TEXT, .name = "IMAGE", .value = &set.image, .workload = true,
     .help = "resample this file (.llimg or FITS) instead of a generated image",
     .text = "The image to resample, raw or FITS. It is never changed. Without it, "
             "an image is generated."},
    {.kind = OPT_TEXT, .name = "input", .value = &set.input, .arg = "FILE",
     .workload = true, .help = "the same as IMAGE; the file is never changed"},
    {.kind = OPT_INT, .name = "width", .value = &set.width, .preset = "4096",
     .arg = "N", .unit = "1", .min = 1, .max = 9e18, .workload = true,
     .help = "columns of the generated image",
     .text = "Columns of the generated image: pixel (y, x) has the upper bits of "
             "random number y N + x."},
    {.kind = OPT_INT, .name = "height", .value = &set.height, .preset = "4096",
     .arg = "N", .unit = "1", .min = 1, .max = 9e18, .workload = true,
     .help = "rows of the generated image"},
    {.kind = OPT_CHOICE, .name = "bits", .value = &set.bits, .preset = "16",
     .choices = "8|16|32", .arg = "BITS", .workload = true,
     .help = "bits per pixel of the generated image; 32 means floating point",
     .text = "Bits per pixel of the generated image: *8*, *16*, or *32*, which means "
             "floating point."},
    OUTPUT_OPTIONS(phases.job.output,
                   "file for the output, in FITS if its name ends in .fits; without "
                   "it, the output is in --dir, and removed at the end unless --keep "
                   "is given"),
    {.kind = OPT_TITLE, .help = "Resampling:"},
    {.kind = OPT_CHOICE, .name = "scale", .letter = 's', .value = &set.scale,
     .preset = "4", .choices = "1|4|16", .arg = "N", .workload = true,
     .help = "enlarge the image to 1, 2 or 4 times its width and height",
     .text = "Output pixels of an input pixel: *1*, *4* or *16*."},
    {.kind = OPT_CHOICE, .name = "taps", .letter = 't', .value = &set.taps,
     .preset = "36", .choices = "1|16|36|64", .arg = "N", .workload = true,
     .help = "input pixels per output pixel",
     .choice_help = {"1: the nearest pixel", "16: the Lanczos kernel with k = 2",
                     "36: with k = 3", "64: with k = 4"},
     .text = "Input pixels per output pixel: *1* (the nearest), *16*, *36* or *64* "
             "(the Lanczos kernel with k = 2, 3 and 4)."},
    {.kind = OPT_TEXT, .name = "shift", .value = &set.shift, .preset = "0,0",
     .arg = "DX,DY", .workload = true,
     .help = "take each output pixel from this many input pixels further to the right "
             "and down, so that the picture moves to the left and up"},
    {.kind = OPT_CHOICE, .name = "out-bits", .value = &set.out_bits, .preset = "32",
     .choices = "8|16|32", .arg = "BITS", .workload = true,
     .help = "bits per output pixel; 32 means floating point, others are rounded and "
             "saturated",
     .text = "Bits per output pixel: *8*, *16*, rounded (halves to even) and "
             "saturated, or *32*, floating-point numbers."},
    {.kind = OPT_CHOICE, .name = "edge", .value = &set.edge, .preset = "renorm",
     .choices = "renorm|clamp|zero", .arg = "HOW", .workload = true,
     .help = "what to do where the kernel reaches beyond the image",
     .choice_help = {"renorm: leave those pixels out and scale the other weights to "
                     "a sum of 1",
                     "clamp: use the nearest pixel inside",
                     "zero: set the output pixel to 0"},
     .text = "Where the kernel reaches beyond the image, *renorm* leaves those "
             "pixels out and scales the other weights to a sum of 1; *clamp* takes "
             "the nearest pixel of the image; *zero* makes the output pixel 0."},
    {.kind = OPT_FLAG, .name = "normalize", .value = &set.normalize, .preset = "yes",
     .workload = true,
     .help = "scale the weights of each axis to a sum of 1 (those of Lanczos have "
             "another sum)",
     .text = "Divide the weights of an axis by their sum, which for Lanczos "
             "kernels is not 1. --no-normalize needs --edge=clamp or *zero*."},
    {.kind = OPT_CHOICE, .name = "kernel", .value = &set.kernel, .preset = "separable",
     .choices = "separable|2d", .arg = "HOW", .workload = true,
     .choice_help = {"separable: along rows, then along columns",
                     "2d: all taps at once, as in the study"},
     .text = "*separable* resamples along rows, then along columns; *2d* "
             "multiplies all taps for each pixel."},
    {.kind = OPT_TITLE, .help = "Between files and memory:"},
    {.kind = OPT_CHOICE, .name = "io", .value = &set.io, .preset = "strip",
     .choices = "basic|mmap|block|strip", .arg = "METHOD", .workload = true,
     .choice_help = {"basic: the whole image in memory, with one read and one write",
                     "mmap: both files mapped into memory",
                     "block: one transfer per row of a tile",
                     "strip: one transfer per strip of full rows, as high as a tile"},
     .text = "*basic*, *mmap*, *block* or *strip*, as described above."},
    {.kind = OPT_INT, .name = "tile", .value = &set.tile, .preset = "256", .arg = "N",
     .unit = "1", .min = 1, .max = 1 << 20, .workload = true,
     .help = "rows and columns of an output tile"},
    {.kind = OPT_CHOICE, .name = "halo", .value = &set.halo, .preset = "keep",
     .choices = "keep|reread", .arg = "HOW", .workload = true,
     .help = "strip: what to do with input rows that two strips need",
     .choice_help = {"keep: copy them in memory", "reread: read them again"},
     .text = "Input rows that two strips need are copied in memory (*keep*) or "
             "read again (*reread*)."},
    {.kind = OPT_FLAG, .name = "no-read", .value = &set.no_read, .preset = "no",
     .workload = true,
     .help = "use no input: resample a constant, and only write",
     .text = "Resample a constant instead of an input, to measure writing alone."},
    {.kind = OPT_FLAG, .name = "row-pad", .value = &set.row_pad, .preset = "no",
     .workload = true,
     .help = "pad the rows of generated files to multiples of 4096 bytes, for "
             "--cache=direct",
     .text = "Pad the rows of generated files to multiples of 4096 bytes."},
    {.kind = OPT_FLAG, .name = "overlap", .value = &set.overlap, .preset = "no",
     .workload = true,
     .help = "with --io=strip and IOMODE=ASYNC: also measure transfers alone and "
             "computation alone, and report how much overlaps",
     .text = "With strips and *ASYNC*, also measure transfers alone (phase "
             "*io_alone*) and computation alone (*compute_alone*), to report how "
             "much overlaps. The output is written twice."},
    {.kind = OPT_BYTES, .name = "memory", .value = &set.memory, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = 9e18,
     .help = "refuse to run if a rank needs more memory than this; 0: than is "
             "available",
     .text = "Refuse the run if a rank needs more memory than this; 0: "
             "than is available."},
    RUN_OPTIONS_WITH(set.run, "SHARED", "no"),
    {.kind = OPT_NOTE, .name = "output",
     .text = "The file has a temporary name in the same directory until it is "
             "complete and checked."},
    {.kind = OPT_NOTE, .name = "iomode",
     .text = "With *SYNC* a strip is read, computed and written, then the next "
             "one; with *ASYNC* the next one is read and the last one written "
             "meanwhile."},
    {.kind = OPT_NOTE, .name = "filetype",
     .text = "It is that of the output: *UNIQUE* makes an image of each rank's "
             "band, _FILE_.000000 and so on."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "The output is synced. *direct* is for --io=strip or *basic*, where "
             "rows are multiples of 4096 bytes (--row-pad)."},
};
/* clang-format on */

/* ---- the plan -------------------------------------------------------------------- */

static bool on_line(const struct run *r, const char *name)
{
    return opt_find(r->program, name)->from == OPT_COMMAND_LINE;
}

static int resample_check_options(const struct run *r)
{
    static const char *const made[] = {"width", "height", "bits"};
    if (set.image && set.input)
        return err_usage("IMAGE and --input both say what is resampled: leave out one");
    if (set.image)
        set.input = set.image;
    for (int i = 0; i < 3 && set.input; i++)
        if (on_line(r, made[i]))
            return err_usage("--%s with an image that is there: it says so itself",
                             made[i]);
    int rc = output_apart(&job->output, set.input);
    if (rc)
        return rc;
    if (set.input && set.no_read)
        return err_usage("--no-read with an input: leave out one of the two");
    if (job->method->engine && on_line(r, "iomethod"))
        return err_usage("--io=%s maps files, whatever --iomethod says: leave it out",
                         job->method->name);
    if (job->method->engine && run_mode_asked(&set.run) == RUN_ASYNC)
        return err_usage(
            "--io=%s: mapped files have no transfers in flight: leave out IOMODE=ASYNC",
            job->method->name);
    if (set.overlap && (job->method != &method_strip || !r->async))
        return err_usage("--overlap needs --io=strip and IOMODE=ASYNC (--iomode)");
    if (set.overlap && set.run.keep && !job->output.path)
        return err_usage("--overlap writes the output twice: leave out --keep, or say "
                         "--output");
    return 0;
}

/* Checks that direct I/O moves whole blocks only. */
static int resample_check_direct(const struct run *r)
{
    const struct resample_how *how = &job->bands.how;
    if (!(r->io_flags & IO_DIRECT))
        return 0;
    if ((job->bands.reads && how->in.fits.bitpix) || how->out.fits.bitpix)
        return err_usage("--cache=direct moves multiples of %d bytes, and rows of FITS "
                         "images begin anywhere: take raw ones (.llimg)",
                         IO_DIRECT_ALIGN);
    if (job->method->by_tiles)
        return err_usage("--cache=direct moves multiples of %d bytes, and --io=%s rows "
                         "of tiles: take strip or basic",
                         IO_DIRECT_ALIGN, job->method->name);
    if ((job->bands.reads && how->in.row_bytes % IO_DIRECT_ALIGN) ||
        how->out.row_bytes % IO_DIRECT_ALIGN)
        return err_usage("--cache=direct moves multiples of %d bytes: rows have %lld "
                         "and %lld; say --row-pad (an input that is there must have "
                         "been made with it)",
                         IO_DIRECT_ALIGN, (long long)how->in.row_bytes,
                         (long long)how->out.row_bytes);
    return 0;
}

/* Sets the output's format: FITS by its name. */
static int settle_output(struct image *out)
{
    bool fits = image_is_fits(job->output.path);
    if (fits && set.row_pad)
        return err_usage("--row-pad: rows of FITS images are never padded: leave it "
                         "out, or give --output another name");
    if (fits)
        image_to_fits(out);
    return image_settle(out, set.row_pad ? IO_DIRECT_ALIGN : 1, NULL);
}

static int resample_plan_input(struct run *r)
{
    struct resample_how *how = &job->bands.how;
    int rc = phases_input(&phases, r, &set);
    if (rc)
        return rc;
    how->out = image_of(0, 0, atoi(set.out_bits));
    if (__builtin_mul_overflow(how->in.width, how->x.s, &how->out.width) ||
        __builtin_mul_overflow(how->in.height, how->y.s, &how->out.height))
        return err_usage("--scale=%s: the output would have more than 2^63 - 1 pixels",
                         set.scale);
    how->x.n = how->in.width;
    how->y.n = how->in.height;
    weights_prepare(&how->x);
    weights_prepare(&how->y);
    return settle_output(&how->out);
}

static void resample_fill_need(const struct run *r, struct run_need *n)
{
    const struct resample_how *how = &job->bands.how;
    int64_t made = job->input.given || set.no_read ? 0 : job->input.bytes;
    struct bands_count all = phases_expect(&phases, r);
    int64_t aside = verify_memory(job);
    if (made && aside < DATA_MAKE_MEMORY)
        aside = DATA_MAKE_MEMORY;
    n->order = "by rows";
    n->depth = job->method->by_tiles && r->queues ? TILES_DEPTH : job->slots;
    n->steps = units_div_up(bands_strips(&job->bands), r->workers);
    n->files = 1 + (made > 0);
    n->memory_bytes += aside;
    n->disk_bytes = made + image_bytes(&how->out);
    n->read_bytes = all.read_bytes * (1 + set.overlap);
    n->write_bytes = all.write_bytes * (1 + set.overlap) + made;
}

static int plan_memory(const struct run *r, struct run_need *n)
{
    n->memory_bytes = job_memory(job, r->workers, r->async);
    if (n->memory_bytes < 0)
        return err_usage("--io=%s: what must be in memory would exceed 2^63 - 1 bytes",
                         job->method->name);
    resample_fill_need(r, n);
    if (!set.memory || n->memory_bytes <= set.memory)
        return 0;
    return err_usage("--memory=%lld: a rank needs %lld bytes: take a smaller --tile, "
                     "another --io, or more ranks",
                     (long long)set.memory, (long long)n->memory_bytes);
}

static int resample_plan(struct run *r, struct run_need *n)
{
    job->run = r;
    job->method = job_method(set.io);
    job->output.role = "resampled";
    job->output.writers = 1;
    int rc = resample_check_options(r);
    if (!rc)
        rc = settings_kernel(&set, &job->bands.how);
    if (!rc && job->method->engine)
        rc = run_engine(r, job->method->engine);
    job->bands.tile = set.tile;
    job->bands.reads = !set.no_read;
    job->bands.by_tiles = job->method->by_tiles;
    job->bands.whole = job->method->whole;
    job->bands.keeps = !strcmp(set.halo, "keep");
    rc = err_agree(r->world.comm, rc);
    if (!rc)
        rc = resample_plan_input(r);
    if (!rc)
        rc = resample_check_direct(r);
    if (rc)
        return rc;
    job->band = bands_part(&job->bands, r->worker, r->workers);
    job->out_first = r->shared ? 0 : job->band.from;
    r->io_shares = true;
    rc = plan_memory(r, n);
    return rc ? rc : output_plan(r, &job->output);
}

/* ---- the run --------------------------------------------------------------------- */

static int resample_open_all(struct run *r)
{
    const struct resample_how *how = &job->bands.how;
    phases.made.key = rng_key(r->seed, RNG_IMAGE);
    report_note(r->report, "image",
                "%lld x %lld pixels of %d bits become %lld x %lld "
                "of %d; %s: %s",
                (long long)how->in.width, (long long)how->in.height, how->in.bits,
                (long long)how->out.width, (long long)how->out.height, how->out.bits,
                job->method->name, job->method->about);
    int rc = data_say(r, &job->input);
    return rc ? rc : job_open(job);
}

static int resample_repetition(struct run *r, void *context)
{
    (void)context;
    return phases_run(&phases, r, &set);
}

static int resample_put_away(struct run *r, int rc)
{
    bool done = !rc && r->rep == r->options->repeat;
    int settled = output_settle(r, &job->output, done);
    int removed = data_remove(r, &job->input);
    return settled ? settled : removed;
}

static int resample_results(struct run *r, int rc)
{
    phases_results(&phases, r);
    if (!rc)
        data_again(r, &job->input);
    return rc;
}

static void resample_close_all(struct run *r)
{
    (void)r;
    job_close(job);
    output_free(&job->output);
    data_free(&job->input);
}

int outcore_resample(int argc, char **argv)
{
    static const struct stage stages[] = {{.body = resample_repetition},
                                          {.body = NULL}};
    static const struct workload resample = {
        .name = "outcore resample",
        .line = "[IMAGE]",
        .about = "Enlarges a grey image with Lanczos kernels, out of core: only some "
                 "rows or tiles are in memory at a time.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_UNIQUE | RUN_TAKES_SHARED | RUN_TAKES_DIRECT |
                 RUN_TAKES_ASYNC | RUN_TAKES_COMPARE,
        .plan = resample_plan,
        .open = resample_open_all,
        .stages = stages,
        .put_away = resample_put_away,
        .results = resample_results,
        .close = resample_close_all,
    };
    argv[0] = (char *)resample.name;
    return run_main(&resample, argc, argv);
}

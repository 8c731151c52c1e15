/* metabench: measures the cost of names. All lanes of all ranks make, stat, open, read,
 * write, list, rename and remove small files and directories, as mdtest does, and every
 * result is checked.
 *
 * Memory of a lane: a bit for each file, directory and link in one of its directories,
 * 80 KiB, and 64 KiB for each append. Bytes: create, write and append write BYTES of
 * all files, read reads what they have, and so does the check of rename; the other
 * operations move none. */
#include "metabench/metabench.h"
#include "base/err.h"
#include "base/units.h"
#include "run/workload.h"
#include <stdio.h>
#include <string.h>

static struct meta meta; /* r->context */
static struct meta_settings *const set = &meta.set;

#define USUAL_OPS "mkdir,create,write,stat,open,read,readdir,rename,unlink,rmdir"

/* Operations on empty files, which have nothing to write or read. */
#define EMPTY_OPS "mkdir,create,stat,open,readdir,rename,unlink,rmdir"

/* smallfile's, but those that it makes of others: overwrite is write here. */
#define SMALLFILE_OPS                                                                  \
    "mkdir,create,stat,chmod,setxattr,getxattr,read,append,write,readdir,ls-l,"        \
    "symlink,rename,unlink,rmdir"

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Files:"},
    {.kind = OPT_INT, .name = "FILES", .value = &meta.set.files, .preset = "1000",
     .unit = "1", .min = 1, .max = 2e9, .workload = true,
     .help = "files and directories that each rank (with --threads: each of its "
             "threads) makes"},
    {.kind = OPT_BYTES, .name = "bytes", .letter = 'b', .value = &meta.set.bytes,
     .preset = "0", .arg = "BYTES", .unit = "B", .min = 0, .max = META_BYTES_MAX,
     .workload = true, .help = "bytes per file, at most 64 KiB"},
    {.kind = OPT_CHOICE, .name = "place", .value = &meta.set.place, .preset = "own",
     .arg = "PLACE", .choices = "own|shared|tree", .workload = true,
     .choice_help = {"own: one directory per rank or thread",
                     "shared: one directory for all",
                     "tree: a directory tree for each rank or thread"},
     .help = "where the files are"},
    {.kind = OPT_INT, .name = "depth", .value = &meta.set.depth, .preset = "2",
     .arg = "N", .unit = "1", .min = 1, .max = TREE_DEPTH_MAX, .workload = true,
     .help = "with --place=tree: levels of directories below the top one"},
    {.kind = OPT_INT, .name = "branch", .value = &meta.set.branch, .preset = "4",
     .arg = "N", .unit = "1", .min = 1, .max = 1e6, .workload = true,
     .help = "with --place=tree: subdirectories per directory; files are spread over "
             "all of them",
     .text = "With --place=tree: subdirectories of each directory, except on the last "
             "level. Files and directories are spread evenly over the tree. Each "
             "phase opens each directory once, in its time."},
    {.kind = OPT_CHOICE, .name = "order", .value = &meta.set.order, .preset = "made",
     .arg = "ORDER", .choices = "made|random", .workload = true,
     .choice_help = {"made: the order of creation",
                     "random: directories, and the files in each, in an order fixed "
                     "by --seed"},
     .help = "order in which files are visited",
     .text = "The order of visits to files and directories. Creation always has the "
             "same order."},
    {.kind = OPT_TEXT, .name = "ops", .value = &meta.set.ops, .preset = USUAL_OPS,
     .arg = "LIST", .workload = true,
     .help = "operations to run, in this order; without --bytes, write and read are "
             "left out; others: append, statdir, ls-l, chmod, setxattr, getxattr, "
             "link, symlink, readlink, relist",
     .text = "Operations, separated by commas, in any order in which each comes after "
             "the one that creates its objects: *rmdir* and *statdir* after *mkdir*, "
             "*readdir* and *ls-l* after this or *create*, *readlink* after *symlink*, "
             "*getxattr* after *setxattr*, all others after *create*. *write*, "
             "*append* and *read* need --bytes. Those that create or remove names run "
             "once, *rename* and all others as often as they are listed: the second "
             "*read* is *read2* in the report. The rest is removed at the end."},
    {.kind = OPT_CHOICE, .name = "fsync", .value = &meta.set.fsync, .preset = "none",
     .arg = "WHEN", .choices = "none|each", .workload = true,
     .choice_help = {"none: as --cache says", "each: before each file is closed"},
     .help = "sync files that were created, written or changed",
     .text = "Sync each file that was created, written, appended to, or got a mode or "
             "an attribute, before it is closed, in the phase's time (*-y* of mdtest). "
             "The latencies of the syncs are figures, too."},
    {.kind = OPT_CHOICE, .name = "like", .value = &meta.set.like, .preset = "none",
     .arg = "WHAT", .choices = "none|mdtest-easy|mdtest-hard|smallfile",
     .workload = true,
     .choice_text = {"no other benchmark's"},
     .choice_help = {NULL,
                     "mdtest-easy: --place=own --bytes=0 --ops=create,stat,unlink",
                     "mdtest-hard: --place=shared --bytes=3901 "
                     "--ops=create,stat,read,unlink",
                     "smallfile: --place=tree --depth=1 --branch=10 --bytes=64k "
                     "--ops=" SMALLFILE_OPS},
     .help = "use the settings of an IO500 phase, or the operations of smallfile; "
             "other options override them",
     .text = "Use the settings of an IO500 phase, or the operations and sizes of "
             "smallfile; other options override them. IO500's ranks also work on files "
             "that others created: add --rank-shift=1."},
    {.kind = OPT_REAL, .name = "time", .value = &meta.set.run.time_s, .preset = "0",
     .arg = "S", .unit = "s", .min = 0, .max = 1e9, .workload = true,
     .help = "stop creating directories, and then files, after S seconds each; all "
             "ranks then catch up with the fastest one, and later operations use "
             "what was created; 0: create all FILES",
     .text = "Create directories for at most S seconds, and then files for at most as "
             "long. All ranks then catch up with the fastest one, and the other "
             "operations use these files and directories (IO500: 300). _FILES_ is the "
             "upper limit, and memory is allocated for it. The figure "
             "_NAME_*.limit_per_s* is the rate up to the time limit. 0: all _FILES_."},
    RUN_LANES(meta.set.run),
    RUN_RANK_SHIFT(meta.set.run),
    RUN_OPTIONS_CACHED(meta.set.run, "UNIQUE", "no", "keep"),
    {.kind = OPT_NOTE, .name = "rank-shift",
     .text = "Rank r stats, opens, reads, lists, changes, links to, renames and "
             "removes what that rank created; each rank creates, writes and appends to "
             "its own files and directories."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "Here *flush* ends phases that change something with *syncfs*(2) on each "
             "node, in their time. If *syncfs*(2) may not reach the storage (FUSE, 9p, "
             "SMB, Lustre, BeeGFS, and overlays on these or on unknown file systems), "
             "each file is synced by *fsync*(2) before it is closed, and each "
             "directory at the end; the report notes it. Each file's pages are dropped "
             "before it is read (for which it is opened once more, untimed). *keep*, "
             "as in mdtest, does neither. Clients always keep their cached names: see "
             "--rank-shift."},
    {.kind = OPT_NOTE, .name = "dir",
     .text = "The run makes a directory of its own there, which all nodes must share."},
    {.kind = OPT_NOTE, .name = "verify",
     .text = "Every result is checked, not only data: sizes, times, modes, link counts "
             "and listings."},
};
/* clang-format on */

static struct stage stages[META_STEPS + 2]; /* and the last row has no body */

/* ---- options --------------------------------------------------------------------- */

static bool is_given(const struct run *r, const char *option)
{
    return opt_find(r->program, option)->from != OPT_DEFAULT;
}

static const struct like {
    const char *name, *place, *ops, *empty_ops;
    int64_t bytes, depth, branch;
} likes[] = {
    {.name = "none", .ops = USUAL_OPS, .empty_ops = EMPTY_OPS},
    {.name = "mdtest-easy",
     .place = "own",
     .ops = "create,stat,unlink",
     .empty_ops = "create,stat,unlink"},
    {.name = "mdtest-hard",
     .place = "shared",
     .ops = "create,stat,read,unlink",
     .empty_ops = "create,stat,unlink",
     .bytes = 3901},
    {.name = "smallfile",
     .place = "tree",
     .ops = SMALLFILE_OPS,
     .empty_ops = "mkdir,create,stat,chmod,setxattr,getxattr,readdir,ls-l,symlink,"
                  "rename,unlink,rmdir",
     .bytes = META_BYTES_MAX,
     .depth = 1,
     .branch = 10},
};

/* Applies a preset to the options that the user did not give. */
static void settle_like(const struct run *r)
{
    const struct like *l = likes;
    while (strcmp(l->name, set->like) != 0)
        l++;
    if (l->place && !is_given(r, "place"))
        set->place = l->place;
    if (l->place && !is_given(r, "bytes"))
        set->bytes = l->bytes;
    bool tree = l->depth && !strcmp(set->place, l->place);
    if (tree && !is_given(r, "depth"))
        set->depth = l->depth;
    if (tree && !is_given(r, "branch"))
        set->branch = l->branch;
    if (!is_given(r, "ops"))
        set->ops = set->bytes ? l->ops : l->empty_ops;
}

static void make_stages(void)
{
    int n = 0;
    memset(stages, 0, sizeof stages);
    stages[n++] = (struct stage){.body = meta_lay};
    for (int i = 0; i < meta.steps; i++)
        stages[n++] = (struct stage){.body = meta_do, .context = &meta.step[i]};
}

static int metabench_check(const struct run *r)
{
    bool tree = !strcmp(set->place, "tree");
    if (!tree && (is_given(r, "depth") || is_given(r, "branch")))
        return err_usage("--depth and --branch are of --place=tree, and this is %s",
                         set->place);
    if (meta.tree.folders < 0)
        return err_usage("--depth and --branch make more than 2^31 directories");
    return 0;
}

/* ---- the plan -------------------------------------------------------------------- */

static void plan_tree(void)
{
    bool tree = !strcmp(set->place, "tree");
    meta.shared = !strcmp(set->place, "shared");
    meta.shuffled = !strcmp(set->order, "random");
    meta.tree = (struct tree){.depth = tree ? (int)set->depth : 0,
                              .branch = tree ? set->branch : 1,
                              .items = set->files};
    meta.tree.folders = tree_folders(meta.tree.depth, meta.tree.branch);
}

static void plan_need(const struct run *r, struct run_need *n)
{
    int64_t reads, writes, all = 0;
    int parts = meta_parts(&meta, set->run.verify, &reads, &writes);
    /* 2^31 files of 64 KiB times 2^31 workers exceed an int64_t */
    if (__builtin_mul_overflow(set->files * set->bytes * parts, r->workers, &all))
        all = -1;
    bool known = !set->run.time_s && all >= 0;
    n->steps = meta.steps * set->files;
    n->order = "small files";
    n->files = set->files;
    n->disk_bytes = all < 0 ? INT64_MAX : set->run.time_s ? 0 : all;
    n->write_bytes = known ? writes * (all / parts) : -1;
    n->read_bytes = known ? reads * (all / parts) : -1;
    n->buffer_bytes = (int64_t)META_BYTES_MAX * parts;
    n->memory_bytes = r->lanes * (n->buffer_bytes + meta_lane_bytes(&meta));
}

static int plan(struct run *r, struct run_need *n)
{
    settle_like(r);
    plan_tree();
    int rc = metabench_check(r);
    if (!rc)
        rc = meta_parse(&meta);
    if (rc)
        return rc;
    r->latencies = true;
    plan_need(r, n);
    make_stages();
    return 0;
}

static int open_meta(struct run *r)
{
    run_describe(r, NULL, false, 1);
    report_note(r->report, "files", "%lld of %lld bytes for each of %d %s%s, %s%s",
                (long long)set->files, (long long)set->bytes, r->workers,
                r->lanes > 1 ? "thread" : "rank", units_s(r->workers),
                meta.shared ? "in one directory" : "in directories of their own",
                meta.shuffled ? ", in random order" : "");
    return meta_lanes_open(&meta, r->lanes);
}

static void close_meta(struct run *r)
{
    meta_lanes_close(&meta, r->lanes);
}

int main(int argc, char **argv)
{
    static const struct workload metabench = {
        .name = "metabench",
        .mat_is = "file",
        .line = "[FILES]",
        .about = "Every rank creates many small files and directories, then stats, "
                 "opens, reads, writes, lists, links, renames and removes them. "
                 "Each result is checked.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &meta.set.run,
        .context = &meta,
        .takes = RUN_TAKES_UNIQUE | RUN_TAKES_SHIFT | RUN_TAKES_LANES |
                 RUN_TAKES_VERIFY | RUN_TAKES_COMPARE,
        .meets = true,
        .own_calls = true,
        .plan = plan,
        .open = open_meta,
        .close = close_meta,
        .stages = stages,
        .put_away = meta_put_away,
    };
    return run_main(&metabench, argc, argv);
}

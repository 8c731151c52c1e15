/* replay: repeats what a program did with its files, as a skeleton describes it. */
#include "replay/replay.h"
#include "base/err.h"
#include "base/units.h"
#include <stdlib.h>

static struct replay replay; /* r->context */

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Skeleton:"},
    {.kind = OPT_TEXT, .name = "SKELETON", .value = &replay.set.path,
     .required = true, .workload = true,
     .help = "what a program did, from \"iotrace ldad --skeleton=SKELETON RUN\"",
     .text = "The file from *iotrace ldad --skeleton=*_SKELETON RUN_."},
    {.kind = OPT_FLAG, .name = "as-recorded", .value = &replay.set.as_recorded,
     .preset = "no", .workload = true,
     .help = "make transfers as they were made: by POSIX, stdio or MPI-IO, collective "
     "or not, and sync only where the program did",
     .text = "Make transfers as the program made them: by system calls, by streams of "
             "the C library (stdio) or by MPI-IO, collective or not; and sync only "
             "where the program did. Streams have a buffer of the recorded size, "
             "flushed where the program called *fflush*(3). Pages of files are dropped "
             "from memory where the program asked for that (--cache=keep: nowhere). "
             "Collective calls in which some ranks move nothing, and nonblocking "
             "transfers of MPI-IO, are refused. Without it, --iomethod, --iomode, "
             "--filetype, --collective and --cache decide, and nonblocking transfers "
             "are blocking ones, or those of --iomode=ASYNC."},
    {.kind = OPT_TEXT, .name = "think", .value = &replay.set.think,
     .preset = "none", .arg = "none|recorded|FACTOR", .workload = true,
     .help = "pause between calls: not at all, as long as the ranks took on average, "
     "or this many times as long",
     .text = "Pause between calls: not at all; as long as the ranks took on average "
             "before calls of each step; or _FACTOR_ times as long."},
    {.kind = OPT_CHOICE, .name = "think-as", .value = &replay.set.think_as,
     .preset = "sleep", .choices = "sleep|work", .workload = true,
     .help = "what pauses are: sleep; or work, which keeps the rank's processor busy, "
     "as a program that computes does",
     .choice_text = {"the rank sleeps", "the rank's processor is kept busy, as by a "
                     "program that computes"},
     .text = "The kind of pauses."},
    {.kind = OPT_INT, .name = "depth", .letter = 'd', .value = &replay.set.depth,
     .preset = "0", .arg = "N", .unit = "1", .min = 0, .max = 4096, .workload = true,
     .help = "with --iomode=ASYNC: transfers of a rank in flight, at most; 0: 4",
     .text = "With --iomode=ASYNC: the transfers of a rank that may be in flight, up "
             "to 4096. 0: 4."},
    RUN_LANES_WITH(replay.set.run, false),
    RUN_OPTIONS_WITH(replay.set.run, REPLAY_RECORDED, "no"),
    {.kind = OPT_NOTE, .name = "threads",
     .text = "The threads of a rank share its transfers, in turns. Transfers wait "
             "where the order matters: before syncs, where pages are dropped, and "
             "where two transfers, one of them a write, share bytes. Threads also wait "
             "for each other after 64 transfers of each. Not with --as-recorded, "
             "--iomode=ASYNC or --think, nor with I/O methods that call MPI."},
    {.kind = OPT_NOTE, .name = "iomode",
     .text = "*ASYNC* keeps up to --depth transfers of a rank in flight, also during "
             "pauses, as the recorded order permits. These wait for earlier transfers: "
             "a transfer of the same bytes, if one of the two is a write; a sync of "
             "the file, or dropping its pages; a sync at which all ranks wait for each "
             "other; and the end of the phase. Transfers complete in their order. With "
             "*POSIX* the engine is *threads* if io_uring cannot be used on every "
             "rank. *PARTITIONED* files are refused with it.\n\n"
             "The seconds of reads and writes are those in which a rank submits "
             "transfers and waits for them, without what goes on during pauses. The "
             "kernel may read ahead and write back during pauses, with *SYNC* too: the "
             "notes _read_ahead_ and _write_back_ have the bounds of the storage's "
             "rates. Data are stamped and checked while transfers are in flight, and "
             "this counts as time of transfers. The note _care_ says how much it took, "
             "and --no-verify avoids it."},
    {.kind = OPT_NOTE, .name = "filetype",
     .text = "*UNIQUE* stores each file that several ranks use as one file per rank, "
             "if the ranks' parts follow each other, and else is refused. *SHARED* "
             "stores files that each rank has one of as one file, in which the ranks' "
             "parts follow each other. *PARTITIONED* stores each file that several "
             "ranks use by the plan by which all ranks write. It is refused if no such "
             "plan gives each rank bytes of its own. A file that is made before the "
             "first phase, and that all ranks do not write together, has the plan by "
             "which they read. Bytes in no rank's part go to the container's shared "
             "part. Files that one rank uses alone stay as they are."},
    {.kind = OPT_NOTE, .name = "collective",
     .text = "They are made of files that several ranks use. All ranks must make the "
             "same transfers of such files in the same order; else the skeleton is "
             "refused."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "With --as-recorded, phases do not end with a sync."},
    {.kind = OPT_NOTE, .name = "dir", .text = "All nodes must share it."},
};
/* clang-format on */

static void say_left(struct run *r, const struct replay_left *left, const char *code,
                     const char *what)
{
    if (left->calls)
        report_warning(r->report, code, "%lld call%s with %lld bytes are left out: %s",
                       (long long)left->calls, units_s(left->calls),
                       (long long)left->bytes, what);
}

static int open_replay(struct run *r)
{
    const struct replay *p = r->context;
    int64_t lost = 0;
    for (int i = 0; i < p->is.phases; i++)
        lost = p->is.phase[i].lost > lost ? p->is.phase[i].lost : lost;
    say_left(r, &p->library, "library_left_out",
             "they are of HDF5, PnetCDF or asynchronous, which replay does not do");
    say_left(
        r, &p->syncs, "syncs_left_out",
        "they sync in another way than fsync, fdatasync and MPI_File_sync, such as "
        "msync");
    say_left(r, &p->streams, "streams_left_out",
             "they are of streams, and the skeleton does not say of which files");
    say_left(r, &p->unplaced, "unplaced_left_out",
             "the skeleton does not know their places");
    say_left(r, &p->directories, "directories_left_out",
             "they sync files without transfers, such as directories");
    if (p->drawn_calls)
        report_warning(r->report, "drawn",
                       "%lld calls follow no pattern: each is made at a random place, "
                       "with the mean size of its kind",
                       (long long)p->drawn_calls);
    if (p->within_calls)
        report_warning(r->report, "below_library",
                       "%lld calls are those that a library (HDF5, PnetCDF, or MPI-IO "
                       "with a file view) made for the program: the replay makes them "
                       "without the library",
                       (long long)p->within_calls);
    if (p->nonblocking_calls)
        report_warning(
            r->report, "blocking",
            "%lld nonblocking transfers of the program are blocking ones here",
            (long long)p->nonblocking_calls);
    if (lost)
        report_warning(
            r->report, "order_lost",
            "the order of calls of %lld rank%s is not in the skeleton: these "
            "make all calls of one kind before those of the next, and do not "
            "sync",
            (long long)lost, units_s(lost));
    for (int i = 0; i < p->is.files; i++)
        if (p->file[i].before && !p->is.file[i].inputs)
            report_warning(r->report, "made_before",
                           "file-%d of the skeleton is made before the first phase, as "
                           "the skeleton does not show that all that is read is "
                           "written before: its writes find space that is allocated",
                           i + 1);
    return 0;
}

/* Removes the files, as each repetition makes them anew. */
static int remove_replayed(struct run *r, int rc)
{
    struct replay *p = r->context;
    for (int i = 0; i < p->is.files; i++) {
        int removed = p->file[i].made ? run_file_remove(&p->file[i].f) : 0;
        rc = rc ? rc : removed;
        p->file[i].made = false;
    }
    return rc;
}

static void close_replay(struct run *r)
{
    struct replay *p = r->context;
    skeleton_free(&p->is);
    free(p->file);
    free(p->handle);
    free(p->meets);
}

int main(int argc, char **argv)
{
    static const struct stage stages[] = {{.body = replay_prepare, .aside = true},
                                          {.body = replay_phases},
                                          {.body = NULL}};
    static const struct workload workload = {
        .name = "replay",
        .line = "SKELETON",
        .about =
            "Does with files what a program did, as its skeleton says: the same "
            "calls, by as many ranks, in the same order, or by another way of I/O.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &replay.set.run,
        .context = &replay,
        .takes = RUN_TAKES_UNIQUE | RUN_TAKES_SHARED | RUN_TAKES_COLLECTIVE |
                 RUN_TAKES_VERIFY | RUN_TAKES_RECORDED | RUN_TAKES_PARTITIONED |
                 RUN_TAKES_ASYNC | RUN_TAKES_LANES | RUN_TAKES_COMPARE,
        .plan = replay_plan,
        .open = open_replay,
        .close = close_replay,
        .stages = stages,
        .put_away = remove_replayed,
    };
    return run_main(&workload, argc, argv);
}

/* Makes, reads back, checks and removes any number of small files, each lane in a
 * folder of its own. many_files.py tests file sets and whole files with it. */
#include "../unit/pmpi.h"
#include "base/err.h"
#include "run/lanes.h"
#include "run/set.h"
#include "run/workload.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct run_options run;
    int64_t files, bytes, more;
    const char *how, *way, *input;
    bool sync;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_INT, .name = "FILES", .value = &set.files, .preset = "100",
     .unit = "1", .min = 0, .max = 2e9, .workload = true, .help = "of a lane"},
    {.kind = OPT_INT, .name = "more", .value = &set.more, .preset = "0", .arg = "N",
     .unit = "1", .min = 0, .max = 2e9, .workload = true,
     .help = "so many more than the lane before it"},
    {.kind = OPT_BYTES, .name = "bytes", .letter = 'b', .value = &set.bytes,
     .preset = "1000", .arg = "BYTES", .unit = "B", .min = 0, .max = 1e8,
     .workload = true, .help = "of each file"},
    {.kind = OPT_CHOICE, .name = "how", .value = &set.how, .preset = "MAKE",
     .arg = "HOW", .choices = "MAKE|TRUNCATE|RENAME", .workload = true,
     .help = "how they are written"},
    {.kind = OPT_CHOICE, .name = "way", .value = &set.way, .preset = "WHOLE",
     .arg = "WAY", .choices = "WHOLE|OPENED", .workload = true,
     .help = "in one go, or as files that are opened"},
    {.kind = OPT_TEXT, .name = "input", .value = &set.input, .arg = "DIR",
     .workload = true, .help = "read what is there, too, and try to change it"},
    {.kind = OPT_FLAG, .name = "sync", .value = &set.sync, .preset = "no",
     .workload = true, .help = "each of them"},
    RUN_LANES(set.run),
    RUN_RANK_SHIFT(set.run),
    RUN_OPTIONS(set.run),
};
/* clang-format on */

static struct run_set *sets;

static int64_t files_of(int worker)
{
    return set.files + worker * set.more;
}

static enum io_replace how_to(void)
{
    return !strcmp(set.how, "MAKE")     ? IO_MAKE
           : !strcmp(set.how, "RENAME") ? IO_RENAME
                                        : IO_TRUNCATE;
}

static bool whole(void)
{
    return !strcmp(set.way, "WHOLE");
}

static struct io_whole file(const struct run *r, int64_t i, char name[RUN_SET_NAME])
{
    return (struct io_whole){.name = run_set_member(i, name),
                             .buf = r->buffer,
                             .room = (set.bytes + 4095) / 4096 * 4096,
                             .bytes = set.bytes};
}

/* Writes a file as an open one; two writes extend it. */
static void opened(struct run *r, struct run_set *s, int64_t i, enum io_op op)
{
    struct run_file f;
    int64_t half = set.bytes / 2;
    struct io_req req[2] = {
        {.op = op, .buf = r->buffer, .bytes = half},
        {.op = op, .buf = r->buffer + half, .offset = half, .bytes = set.bytes - half}};
    run_set_file(s, &f, i, 0, set.bytes, 1);
    run_file_open(&f, op == IO_OP_READ ? IO_READ : IO_WRITE | IO_CREATE);
    run_transfer(&f, &req[0], 1);
    run_transfer(&f, &req[1], 1);
    if (op == IO_OP_READ)
        run_check(&f, r->buffer, 0, set.bytes, (int)i, 1);
    run_file_close(&f, op == IO_OP_WRITE);
}

static void make(struct run *r, void *unused)
{
    char name[RUN_SET_NAME];
    struct run_set *s = &sets[r->lane];
    (void)unused;
    run_set_name(s, r, "files");
    run_set_open(s, IO_WRITE | IO_CREATE);
    for (int64_t i = 0; i < files_of(r->worker) && !r->failed; i++) {
        struct io_whole w = file(r, i, name);
        run_stamp(r, r->buffer, set.bytes, (int)i, 1);
        if (whole())
            run_whole_write(s, &w, how_to(), set.sync);
        else
            opened(r, s, i, IO_OP_WRITE);
        progress_step(&r->progress, 1, r->phase->name);
    }
    run_set_close(s, true);
}

static void take(struct run *r, void *unused)
{
    char name[RUN_SET_NAME];
    struct run_set *s = &sets[r->lane];
    int worker = run_shifted(r, 1);
    (void)unused;
    run_set_of(s, worker);
    run_set_open(s, IO_READ);
    for (int64_t i = 0; i < files_of(worker) && !r->failed; i++) {
        struct io_whole w = file(r, i, name);
        run_poison(r, r->buffer, set.bytes);
        if (!whole()) {
            opened(r, s, i, IO_OP_READ);
            continue;
        }
        run_whole_read(s, &w);
        run_whole_check(s, &w, set.bytes, (int)i, 1);
    }
    run_set_close(s, false);
}

/* Reads others' files in every way; none of them can be changed. */
static void read_input(struct run *r, struct run_set *s, const char *name)
{
    char path[RUN_SET_PATH];
    struct run_file f;
    struct io_whole w = {.name = name, .buf = r->buffer, .room = 4096};
    run_whole_read(s, &w);
    struct io_req req = {.op = IO_OP_READ, .buf = r->buffer, .bytes = w.bytes};
    run_file_local(&f, r, run_set_path(s, name, path), w.bytes, 4096, 1);
    run_file_open(&f, IO_READ);
    run_transfer(&f, &req, 1);
    run_file_close(&f, false);
    run_file_remove(&f);
    if (r->failed)
        return;
    if (run_file_open(&f, IO_WRITE) != -EPERM ||
        io_whole_write(s->folder, &w, how_to(), false) != -EPERM ||
        io_whole_remove(s->folder, &w) != -EPERM)
        return;
    r->failed = 0;
    err_clear();
}

static void input(struct run *r, void *unused)
{
    struct run_set s;
    char name[256];
    (void)unused;
    if (!set.input)
        return;
    run_set_input(&s, r, set.input);
    run_set_open(&s, IO_READ);
    while (!r->failed && io_folder_next(s.folder, name, sizeof name) > 0)
        read_input(r, &s, name);
    run_set_close(&s, false);
    run_set_remove(&s);
}

static void drop(struct run *r, void *unused)
{
    char name[RUN_SET_NAME];
    struct run_set *s = &sets[r->lane];
    (void)unused;
    run_set_of(s, r->worker);
    run_set_open(s, IO_WRITE);
    for (int64_t i = 0; i < files_of(r->worker) && !r->failed; i += 2) {
        struct io_whole w = file(r, i, name);
        run_whole_remove(s, &w);
    }
    run_set_close(s, false);
}

struct part {
    run_lane_body *body;
};

static int on_lanes(struct run *r, void *part)
{
    run_lanes(r, ((struct part *)part)->body, NULL);
    return 0;
}

/* Removes half of the files; the other half goes with the folder. */
static int put_away(struct run *r, int rc)
{
    (void)rc;
    for (int i = 0; i < r->lanes && sets[i].run; i++)
        run_set_remove(&sets[i]);
    return err_agree(r->world.comm, r->failed);
}

static int plan(struct run *r, struct run_need *n)
{
    n->files = set.files;
    n->order = "files";
    n->buffer_bytes = (set.bytes + 4095) / 4096 * 4096 + 4096;
    n->memory_bytes = r->lanes * n->buffer_bytes;
    n->steps = set.files;
    n->write_bytes = n->read_bytes = r->workers * set.files * set.bytes;
    n->disk_bytes = n->write_bytes;
    return 0;
}

static int open_sets(struct run *r)
{
    sets = calloc((size_t)r->lanes, sizeof *sets);
    return sets ? 0 : err_set(-ENOMEM, NULL, -1, "no memory for the sets");
}

static void close_sets(struct run *r)
{
    (void)r;
    free(sets);
}

/* Adds the peak memory of a rank, and the number of its messages to others. */
static void add_figures(struct run *r)
{
    char line[256];
    long v[2] = {0, pmpi_calls};
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %ld", &v[0]);
    if (f)
        fclose(f);
    MPI_Allreduce(MPI_IN_PLACE, v, 2, MPI_LONG, MPI_MAX, r->world.comm);
    report_figure(r->report, "memory_kB", "kB", "lower", "VmHWM", (double)v[0]);
    report_figure(r->report, "mpi_calls", "1", "lower", "by PMPI", (double)v[1]);
}

int main(int argc, char **argv)
{
    static struct part parts[] = {{make}, {take}, {input}, {drop}};
    static const struct stage stages[] = {
        {.phase = "make", .body = on_lanes, .context = &parts[0]},
        {.phase = "read", .body = on_lanes, .context = &parts[1]},
        {.phase = "input", .body = on_lanes, .context = &parts[2]},
        {.phase = "remove", .body = on_lanes, .context = &parts[3]},
        {.body = NULL}};
    static const struct workload many = {.name = "manyfiles",
                                         .line = "[FILES]",
                                         .about = "Many small files.",
                                         .table = table,
                                         .options = WORKLOAD_COUNT(table),
                                         .run = &set.run,
                                         .takes = RUN_TAKES_ALL,
                                         .plan = plan,
                                         .open = open_sets,
                                         .stages = stages,
                                         .figures = add_figures,
                                         .put_away = put_away,
                                         .close = close_sets};
    return run_main(&many, argc, argv);
}

/* The operations on one file or directory, and the checks of their results. */
#include "metabench/metabench.h"
#include <stdio.h>

enum { SLACK_S = 10 }; /* clocks of clients and servers differ */

struct name meta_file(const struct meta *m, int worker, int64_t i)
{
    return (struct name){m->renamed ? NAMES_RENAMED : NAMES_FILE, worker, i};
}

static struct io_whole item(const struct meta_walk *w, char name[NAMES_SIZE],
                            struct name n)
{
    return (struct io_whole){.name = names_make(name, n),
                             .buf = w->r->buffer,
                             .room = w->m->set.bytes,
                             .bytes = w->m->set.bytes};
}

static struct io_whole file(const struct meta_walk *w, char name[NAMES_SIZE], int64_t i)
{
    return item(w, name, meta_file(w->m, w->place, i));
}

static struct io_whole folder(const struct meta_walk *w, char name[NAMES_SIZE],
                              int64_t i)
{
    return item(w, name, (struct name){NAMES_FOLDER, w->place, i});
}

/* ---- create, write, read --------------------------------------------------------- */

static void make_folder(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = folder(w, name, i);
    run_folder_make(&w->set, &f);
}

static void items_put(struct meta_walk *w, int64_t i, enum io_replace how, int version)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    run_stamp(w->r, f.buf, f.bytes, (int)i, version);
    run_whole_write(&w->set, &f, how, w->m->each);
}

static void create(struct meta_walk *w, int64_t i)
{
    items_put(w, i, IO_MAKE, 1);
}

static void write_anew(struct meta_walk *w, int64_t i)
{
    items_put(w, i, IO_IN_PLACE, 2);
}

static struct io_whole new_file(const struct meta_walk *w, char name[NAMES_SIZE],
                                int64_t i)
{
    struct io_whole f = item(w, name, (struct name){NAMES_NEW, w->place, i});
    f.bytes = 0;
    return f;
}

void meta_make_new(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = new_file(w, name, i);
    run_whole_write(&w->set, &f, IO_MAKE, w->m->each);
}

static void open_only(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    run_whole_touch(&w->set, &f);
}

/* Reads with room for one more byte than expected: too long a file is then a wrong
 * answer, not a failure. */
static void read_all(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    f.room = META_BYTES_MAX;
    run_poison(w->r, f.buf, w->m->set.bytes);
    run_whole_read(&w->set, &f);
    run_whole_check(&w->set, &f, w->m->set.bytes, (int)i, w->m->version);
}

/* ---- results of stat ------------------------------------------------------------- */

static bool is_in_time(const struct meta *m, int64_t ns)
{
    int64_t slack_ns = SLACK_S * INT64_C(1000000000);
    return ns >= m->since_ns - slack_ns && ns <= m->until_ns + slack_ns;
}

static void say_time(struct meta_walk *w, const struct io_whole *f)
{
    char found[CLOCK_UTC_SIZE], since[CLOCK_UTC_SIZE], until[CLOCK_UTC_SIZE];
    run_set_wrong(&w->set, f->name,
                  "stat says it was written %s, expected from %s to %s, by this file "
                  "system's clock",
                  clock_date(f->modified_ns, found), clock_date(w->m->since_ns, since),
                  clock_date(w->m->until_ns, until));
}

static void judge_stat(struct meta_walk *w, const struct io_whole *f)
{
    int64_t expected = w->m->set.bytes;
    if (f->kind != IO_KIND_FILE)
        run_set_wrong(&w->set, f->name, "stat says it is %s, expected a regular file",
                      f->kind == IO_KIND_FOLDER ? "a directory" : "something else");
    else if (f->bytes != expected)
        run_set_wrong(&w->set, f->name, "stat says %lld bytes, expected %lld",
                      (long long)f->bytes, (long long)expected);
    else if (!is_in_time(w->m, f->modified_ns))
        say_time(w, f);
    else
        run_set_right(&w->set);
}

static void items_look(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    if (!run_whole_stat(&w->set, &f) && w->r->verify)
        judge_stat(w, &f);
}

/* ---- rename, unlink -------------------------------------------------------------- */

static void rename_it(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], to[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    run_whole_rename(&w->set, &f,
                     names_make(to, (struct name){NAMES_RENAMED, w->place, i}));
}

static void remove_file(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    run_whole_remove(&w->set, &f);
}

/* Removes a file that was made while others were listed, and is not needed
 * after that. */
static void remove_new(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = new_file(w, name, i);
    int there = run_whole_is_there(&w->set, &f);
    if (!there)
        run_set_wrong(&w->set, name, "it is not there, and relist has made it");
    else if (there > 0 && !run_whole_remove(&w->set, &f))
        run_set_right(&w->set);
}

static void remove_folder(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = folder(w, name, i);
    run_folder_remove(&w->set, &f);
}

static void expect_gone(struct meta_walk *w, struct io_whole f, const char *after)
{
    int there = run_whole_is_there(&w->set, &f);
    if (there > 0)
        run_set_wrong(&w->set, f.name, "it is there after %s, expected gone", after);
    else if (!there)
        run_set_right(&w->set);
}

/* Checks a renamed file. meta_file returns the new name by now. */
static void check_renamed(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], before[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    expect_gone(w, item(w, before, (struct name){NAMES_FILE, w->place, i}), "rename");
    int there = run_whole_is_there(&w->set, &f);
    if (there > 0)
        judge_stat(w, &f);
    else if (!there)
        run_set_wrong(&w->set, name, "it is not there after rename, expected a file");
}

static void check_file_gone(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    expect_gone(w, file(w, name, i), "unlink");
}

static void check_folder_gone(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    expect_gone(w, folder(w, name, i), "rmdir");
}

/* ---- the table ------------------------------------------------------------------- */

const struct meta_op meta_op[META_OPS] = {
    {.name = "mkdir",
     .call = PHASE_OP_MKDIR,
     .item = make_folder,
     .makes = true,
     .own = true,
     .changes = true,
     .of_folders = true},
    {.name = "create",
     .call = PHASE_OP_CREATE,
     .item = create,
     .makes = true,
     .own = true,
     .changes = true,
     .writes = 1},
    {.name = "write",
     .call = PHASE_OP_OPEN,
     .item = write_anew,
     .own = true,
     .changes = true,
     .writes = 1},
    {.name = "stat", .call = PHASE_OP_STAT, .item = items_look},
    {.name = "open", .call = PHASE_OP_OPEN, .item = open_only},
    {.name = "read", .call = PHASE_OP_OPEN, .item = read_all, .reads = 1},
    {.name = "readdir", .call = PHASE_OP_READDIR},
    {.name = "relist",
     .call = PHASE_OP_READDIR,
     .check = remove_new,
     .checked = "relisted",
     .changes = true,
     .crowds = true},
    {.name = "rename",
     .call = PHASE_OP_RENAME,
     .item = rename_it,
     .check = check_renamed,
     .checked = "renamed",
     .changes = true},
    {.name = "unlink",
     .call = PHASE_OP_UNLINK,
     .item = remove_file,
     .check = check_file_gone,
     .checked = "unlinked",
     .changes = true},
    {.name = "rmdir",
     .call = PHASE_OP_RMDIR,
     .item = remove_folder,
     .check = check_folder_gone,
     .checked = "removed",
     .changes = true,
     .of_folders = true},
};

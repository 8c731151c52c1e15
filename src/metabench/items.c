/* The operations on one file or directory, and the checks of their results. */
#include "metabench/metabench.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

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

static void items_put(struct meta_walk *w, int64_t i, enum io_replace how)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    run_stamp(w->r, f.buf, f.bytes, (int)i, w->m->written + 1);
    run_whole_write(&w->set, &f, how, meta_syncs(w->m));
}

static void create(struct meta_walk *w, int64_t i)
{
    items_put(w, i, IO_MAKE);
}

static void write_anew(struct meta_walk *w, int64_t i)
{
    items_put(w, i, IO_IN_PLACE);
}

static void append(struct meta_walk *w, int64_t i)
{
    items_put(w, i, IO_APPEND);
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
    run_whole_write(&w->set, &f, IO_MAKE, meta_syncs(w->m));
}

static void open_only(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    run_whole_touch(&w->set, &f);
}

/* Checks a part of what was read, with the version of its writer. */
static void check_part(struct meta_walk *w, const struct io_whole *f, int64_t i,
                       int part)
{
    int64_t bytes = w->m->set.bytes;
    struct io_whole one = *f;
    one.buf = (char *)f->buf + part * bytes;
    one.bytes = w->m->parts == 1 ? f->bytes : bytes;
    run_whole_check(&w->set, &one, bytes, (int)i, w->m->version[part]);
}

/* Reads with room for one more byte than expected: too long a file is then a wrong
 * answer, not a failure. */
static void read_all(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    int parts = w->m->parts;
    f.room = (int64_t)META_BYTES_MAX * parts;
    run_poison(w->r, f.buf, w->m->set.bytes * parts);
    run_whole_read(&w->set, &f);
    if (parts > 1 && w->r->verify && f.bytes != w->m->set.bytes * parts)
        run_set_wrong(&w->set, name, "it has %lld bytes, expected %lld",
                      (long long)f.bytes, (long long)w->m->set.bytes * parts);
    for (int part = 0; part < parts && !w->r->failed; part++)
        check_part(w, &f, i, part);
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

static const char *kind_text(enum io_kind kind)
{
    return kind == IO_KIND_FILE     ? "a regular file"
           : kind == IO_KIND_FOLDER ? "a directory"
           : kind == IO_KIND_LINK   ? "a symbolic link"
                                    : "something else";
}

/* Judges a file's status by any of its names. */
static void judge_file(struct meta_walk *w, const struct io_whole *f)
{
    const struct meta *m = w->m;
    int64_t bytes = m->set.bytes * m->parts;
    int64_t names = !!m->count[META_FILES] + !!m->count[META_LINKS];
    if (f->bytes != bytes)
        run_set_wrong(&w->set, f->name, "stat says %lld bytes, expected %lld",
                      (long long)f->bytes, (long long)bytes);
    else if (m->counts && f->links != names)
        run_set_wrong(&w->set, f->name, "stat says link count %lld, expected %lld",
                      (long long)f->links, (long long)names);
    else if (!is_in_time(m, f->modified_ns))
        say_time(w, f);
    else
        run_set_right(&w->set);
}

void meta_judge(struct meta_walk *w, const struct io_whole *f, enum meta_kind kind)
{
    bool folder = kind == META_FOLDERS || kind == META_TREE;
    enum io_kind expected = folder                  ? IO_KIND_FOLDER
                            : kind == META_SYMLINKS ? IO_KIND_LINK
                                                    : IO_KIND_FILE;
    int mode = folder ? w->m->folder_mode : w->m->mode;
    if (f->kind != expected)
        run_set_wrong(&w->set, f->name, "stat says it is %s, expected %s",
                      kind_text(f->kind), kind_text(expected));
    else if (expected != IO_KIND_LINK && f->mode != mode)
        run_set_wrong(&w->set, f->name, "stat says mode %04o, expected %04o", f->mode,
                      mode);
    else if (expected == IO_KIND_FILE)
        judge_file(w, f);
    else
        run_set_right(&w->set);
}

/* Stats a thing that must be there, as a call of the operation. */
static void look(struct meta_walk *w, struct io_whole f, enum meta_kind kind)
{
    f.fleeting = true; /* missing: a wrong answer */
    int rc = run_whole_stat(&w->set, &f);
    if (rc == -ENOENT && !w->r->failed)
        run_set_wrong(&w->set, f.name, "it is not there, and it was made");
    else if (!rc && w->r->verify)
        meta_judge(w, &f, kind);
}

static void items_look(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    look(w, file(w, name, i), META_FILES);
}

static void folders_look(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    look(w, folder(w, name, i), META_FOLDERS);
}

/* Checks that a file or link is there and is as it should be, outside of the
 * measurement. */
static void expect_there(struct meta_walk *w, struct io_whole f, const char *after)
{
    int there = run_whole_is_there(&w->set, &f);
    if (there > 0)
        meta_judge(w, &f, META_FILES);
    else if (!there)
        run_set_wrong(&w->set, f.name, "it is not there after %s, expected a file",
                      after);
}

static void check_created(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    expect_there(w, file(w, name, i), "create");
}

/* ---- modes, attributes, links ---------------------------------------------------- */

static void change_mode(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    f.mode = meta_next_mode(w->m);
    f.sync = meta_syncs(w->m);
    run_whole_chmod(&w->set, &f);
}

static void check_mode(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE];
    expect_there(w, file(w, name, i), "chmod");
}

enum { ATTRIBUTE_SIZE = 64 };

/* Makes the value of a file's attribute: whose it is, and which version. */
static int attribute(const struct meta_walk *w, int64_t i, int version,
                     char out[ATTRIBUTE_SIZE])
{
    char name[NAMES_SIZE];
    names_make(name, (struct name){NAMES_FILE, w->place, i});
    return snprintf(out, ATTRIBUTE_SIZE, "%s, version %d", name, version);
}

static void set_attribute(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], value[ATTRIBUTE_SIZE];
    struct io_whole f = file(w, name, i);
    f.buf = value;
    f.bytes = attribute(w, i, w->m->attribute + 1, value);
    f.sync = meta_syncs(w->m);
    run_whole_setxattr(&w->set, &f);
}

/* Compares a text that the file system has given with the one that it got. */
static void judge_text(struct meta_walk *w, const struct io_whole *f,
                       const char *expected, const char *what)
{
    int64_t n = (int64_t)strlen(expected);
    if (!w->r->verify || w->r->failed)
        return;
    if (f->bytes != n || memcmp(f->buf, expected, (size_t)n) != 0)
        run_set_wrong(&w->set, f->name, "%s \"%.*s\", expected \"%s\"", what,
                      (int)f->bytes, (const char *)f->buf, expected);
    else
        run_set_right(&w->set);
}

static void get_attribute(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], found[ATTRIBUTE_SIZE], expected[ATTRIBUTE_SIZE];
    struct io_whole f = file(w, name, i);
    f.buf = found;
    f.room = ATTRIBUTE_SIZE;
    attribute(w, i, w->m->attribute, expected);
    if (!run_whole_getxattr(&w->set, &f))
        judge_text(w, &f, expected, "its attribute is");
}

static struct io_whole link_of(const struct meta_walk *w, char name[NAMES_SIZE],
                               enum names_kind kind, int64_t i)
{
    return item(w, name, (struct name){kind, w->place, i});
}

static void link_it(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], to[NAMES_SIZE];
    struct io_whole f = link_of(w, name, NAMES_LINK, i);
    run_whole_link(&w->set, &f, names_make(to, meta_file(w->m, w->place, i)));
}

static void check_linked(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], other[NAMES_SIZE];
    expect_there(w, file(w, name, i), "link");
    expect_there(w, link_of(w, other, NAMES_LINK, i), "link");
}

static void symlink_it(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], to[NAMES_SIZE];
    struct io_whole f = link_of(w, name, NAMES_SYMLINK, i);
    run_whole_symlink(&w->set, &f, names_make(to, meta_file(w->m, w->place, i)));
}

static void read_symlink(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], found[NAMES_SIZE], expected[NAMES_SIZE];
    struct io_whole f = link_of(w, name, NAMES_SYMLINK, i);
    f.buf = found;
    f.room = NAMES_SIZE;
    names_make(expected, (struct name){w->m->target, w->place, i});
    if (!run_whole_readlink(&w->set, &f))
        judge_text(w, &f, expected, "it leads to");
}

/* ---- rename, unlink -------------------------------------------------------------- */

static void rename_it(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], to[NAMES_SIZE];
    struct io_whole f = file(w, name, i);
    enum names_kind kind = w->m->renamed ? NAMES_FILE : NAMES_RENAMED;
    run_whole_rename(&w->set, &f, names_make(to, (struct name){kind, w->place, i}));
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

/* Checks a renamed file, with its bytes. meta_file returns the new name by now. */
static void check_renamed(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], before[NAMES_SIZE];
    enum names_kind old = w->m->renamed ? NAMES_FILE : NAMES_RENAMED;
    expect_gone(w, item(w, before, (struct name){old, w->place, i}), "rename");
    expect_there(w, file(w, name, i), "rename");
    if (w->m->set.bytes)
        read_all(w, i);
}

/* Checks that a file is gone; its other name keeps it. */
static void check_file_gone(struct meta_walk *w, int64_t i)
{
    char name[NAMES_SIZE], other[NAMES_SIZE];
    expect_gone(w, file(w, name, i), "unlink");
    if (w->m->count[META_LINKS])
        expect_there(w, link_of(w, other, NAMES_LINK, i), "unlink of its other name");
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
     .of = META_FOLDERS,
     .makes = true,
     .own = true,
     .changes = true},
    {.name = "statdir",
     .call = PHASE_OP_STAT,
     .item = folders_look,
     .of = META_FOLDERS,
     .after = "mkdir"},
    {.name = "create",
     .call = PHASE_OP_CREATE,
     .item = create,
     .check = check_created,
     .checked = "created",
     .makes = true,
     .own = true,
     .changes = true,
     .syncs = true,
     .writes = 1},
    {.name = "write",
     .call = PHASE_OP_OPEN,
     .item = write_anew,
     .after = "create",
     .own = true,
     .changes = true,
     .syncs = true,
     .writes = 1},
    {.name = "append",
     .call = PHASE_OP_OPEN,
     .item = append,
     .after = "create",
     .own = true,
     .changes = true,
     .syncs = true,
     .writes = 1},
    {.name = "stat", .call = PHASE_OP_STAT, .item = items_look, .after = "create"},
    {.name = "chmod",
     .call = PHASE_OP_CHMOD,
     .item = change_mode,
     .check = check_mode,
     .checked = "modes",
     .after = "create",
     .needs = META_CHMOD,
     .changes = true,
     .syncs = true},
    {.name = "setxattr",
     .call = PHASE_OP_SETXATTR,
     .item = set_attribute,
     .check = get_attribute,
     .checked = "attributes",
     .after = "create",
     .needs = META_XATTR,
     .changes = true,
     .syncs = true},
    {.name = "getxattr",
     .call = PHASE_OP_GETXATTR,
     .item = get_attribute,
     .after = "setxattr",
     .needs = META_XATTR},
    {.name = "open", .call = PHASE_OP_OPEN, .item = open_only, .after = "create"},
    {.name = "read",
     .call = PHASE_OP_OPEN,
     .item = read_all,
     .after = "create",
     .reads = 1},
    {.name = "readdir", .call = PHASE_OP_READDIR},
    {.name = "ls-l", .call = PHASE_OP_STAT},
    {.name = "relist",
     .call = PHASE_OP_READDIR,
     .check = remove_new,
     .checked = "relisted",
     .after = "create",
     .changes = true,
     .syncs = true,
     .crowds = true},
    {.name = "link",
     .call = PHASE_OP_LINK,
     .item = link_it,
     .check = check_linked,
     .checked = "linked",
     .adds = META_LINKS,
     .after = "create",
     .needs = META_LINK,
     .changes = true},
    {.name = "symlink",
     .call = PHASE_OP_SYMLINK,
     .item = symlink_it,
     .check = read_symlink,
     .checked = "symlinked",
     .adds = META_SYMLINKS,
     .after = "create",
     .needs = META_SYMLINK,
     .changes = true},
    {.name = "readlink",
     .call = PHASE_OP_READLINK,
     .item = read_symlink,
     .of = META_SYMLINKS,
     .after = "symlink",
     .needs = META_SYMLINK},
    {.name = "rename",
     .call = PHASE_OP_RENAME,
     .item = rename_it,
     .check = check_renamed,
     .checked = "renamed",
     .after = "create",
     .changes = true},
    {.name = "unlink",
     .call = PHASE_OP_UNLINK,
     .item = remove_file,
     .check = check_file_gone,
     .checked = "unlinked",
     .after = "create",
     .ends = true,
     .changes = true},
    {.name = "rmdir",
     .call = PHASE_OP_RMDIR,
     .item = remove_folder,
     .check = check_folder_gone,
     .checked = "removed",
     .of = META_FOLDERS,
     .after = "mkdir",
     .ends = true,
     .changes = true},
};

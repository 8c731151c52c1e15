#include "run/set.h"
#include "base/err.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- directories ----------------------------------------------------------------- */

static int set_fail(struct run_set *s, int rc)
{
    run_fail(s->run, rc);
    return s->run->failed;
}

void run_set_of(struct run_set *s, int worker)
{
    char which[16];
    s->place = worker;
    snprintf(which, sizeof which, ".%06d", worker);
    run_path(s->run, s->role, which, s->path, sizeof s->path);
}

void run_set_name(struct run_set *s, struct run *r, const char *role)
{
    *s = (struct run_set){.run = r, .role = role};
    run_set_of(s, r->worker);
}

void run_set_input(struct run_set *s, struct run *r, const char *path)
{
    *s = (struct run_set){.run = r, .place = -1};
    if (snprintf(s->path, sizeof s->path, "%s", path) >= (int)sizeof s->path)
        set_fail(s, err_set(-ENAMETOOLONG, path, -1, "the path is too long"));
}

static bool stores(const struct run *r)
{
    return r->engine && io_engine_stores(r->engine);
}

/* Refuses direct I/O on tmpfs, which accepts O_DIRECT but is memory. */
static int refuse_memory(const struct run_set *s)
{
    const struct run *r = s->run;
    if (!s->role || !(r->io_flags & IO_DIRECT) || !r->fs.in_memory)
        return 0;
    return err_set(-EOPNOTSUPP, s->path, -1,
                   "direct I/O needs a device, and %s is memory: choose another --dir",
                   r->fs.type);
}

int run_set_open(struct run_set *s, int flags)
{
    struct run *r = s->run;
    if (s->role)
        run_set_of(s, s->place);
    if (r->failed || !stores(r) || set_fail(s, refuse_memory(s)))
        return r->failed;
    int how = flags | IO_LOCAL | (r->io_flags & IO_DIRECT);
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int64_t begin_ns = r->phase->switch_ns;
    int rc = io_folder_open(&s->folder, MPI_COMM_NULL, s->path, how);
    phase_act(r->phase, before);
    s->made |= !rc && flags & IO_CREATE;
    if (!rc && flags & IO_CREATE)
        phase_op(r->phase, PHASE_OP_MKDIR, begin_ns, r->phase->switch_ns);
    return set_fail(s, rc);
}

int run_set_enter(struct run_set *s, struct run *r, const struct io_folder *in,
                  const char *name, int worker)
{
    *s = (struct run_set){.run = r, .place = worker};
    if (r->failed)
        return r->failed;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int rc = io_folder_enter(&s->folder, in, name);
    phase_act(r->phase, before);
    if (!rc)
        snprintf(s->path, sizeof s->path, "%s", io_folder_path(s->folder));
    return set_fail(s, rc);
}

void run_set_leave(struct run_set *s)
{
    enum act before = phase_act(s->run->phase, ACT_OPEN_CLOSE);
    io_folder_close(&s->folder);
    phase_act(s->run->phase, before);
}

static void sync_set(struct run_set *s)
{
    struct run *r = s->run;
    enum act before = phase_act(r->phase, ACT_SYNC);
    set_fail(s, io_folder_sync(s->folder));
    phase_act(r->phase, before);
}

int run_set_close(struct run_set *s, bool written)
{
    struct run *r = s->run;
    if (s->folder && written && r->flush && !r->failed)
        sync_set(s);
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    io_folder_close(&s->folder);
    phase_act(r->phase, before);
    return r->failed;
}

static int remove_set(struct run_set *s)
{
    struct io_folder *d;
    int how = IO_READ | IO_WRITE | IO_LOCAL;
    int rc = io_folder_open(&d, MPI_COMM_NULL, s->path, how);
    rc = rc ? rc : io_folder_empty(d);
    io_folder_close(&d);
    int removed = io_file_remove(MPI_COMM_NULL, s->path);
    return rc ? rc : removed;
}

int run_set_remove(struct run_set *s)
{
    struct run *r = s->run;
    io_folder_close(&s->folder);
    if (!s->made)
        return r->failed;
    s->made = false;
    run_set_of(s, r->worker);
    if (!r->options->keep || r->failed)
        return set_fail(s, remove_set(s));
    io_file_keep(MPI_COMM_NULL, s->path);
    return 0;
}

const char *run_set_member(int64_t i, char out[RUN_SET_NAME])
{
    snprintf(out, RUN_SET_NAME, "%09lld", (long long)i);
    return out;
}

const char *run_set_path(const struct run_set *s, const char *name,
                         char out[RUN_SET_PATH])
{
    snprintf(out, RUN_SET_PATH, "%s/%s", s->path, name);
    return out;
}

void run_set_file(struct run_set *s, struct run_file *f, int64_t i, int64_t bytes,
                  int64_t max_request, int depth)
{
    char path[RUN_SET_PATH], name[RUN_SET_NAME];
    run_file_local(f, s->run, run_set_path(s, run_set_member(i, name), path), bytes,
                   max_request, depth);
    f->place = s->place;
}

/* ---- whole files ----------------------------------------------------------------- */

/* Books the times that a call on a file has measured, one after another from its start;
 * until then all of the call counts as open_close. */
struct booking {
    struct phase *phase;
    int64_t at_ns;
};

static void book_op(struct booking *b, enum phase_op op, int64_t ns)
{
    enum act a = phase_op_act(op);
    if (ns && a != ACT_OPEN_CLOSE)
        phase_move(b->phase, ACT_OPEN_CLOSE, a, ns);
    if (ns)
        phase_op(b->phase, op, b->at_ns, b->at_ns + ns);
    b->at_ns += ns;
}

static void book_move(struct booking *b, enum act a, const struct io_whole *w)
{
    phase_move(b->phase, ACT_OPEN_CLOSE, a, w->move_ns);
    if (w->bytes) /* else no call was made */
        phase_transfer(b->phase, a, w->bytes, b->at_ns, b->at_ns + w->move_ns);
    b->at_ns += w->move_ns;
}

static bool is_gone(const struct io_whole *w)
{
    return w->fleeting && w->rc == -ENOENT;
}

static bool is_idle(const struct run_set *s)
{
    return !s->folder || s->run->failed;
}

int run_whole_read(struct run_set *s, struct io_whole *w)
{
    struct run *r = s->run;
    if (is_idle(s))
        return r->failed;
    char path[RUN_SET_PATH];
    int64_t resident =
        s->uncached ? -1 : run_drop_cached(r, run_set_path(s, w->name, path));
    if (r->failed)
        return r->failed;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int rc = io_whole_read(s->folder, w);
    phase_act(r->phase, before);
    struct booking b = {.phase = r->phase, .at_ns = w->start_ns};
    if (rc)
        return set_fail(s, rc);
    book_op(&b, PHASE_OP_OPEN, w->open_ns);
    book_move(&b, ACT_READ, w);
    book_op(&b, PHASE_OP_CLOSE, w->close_ns);
    run_count_cached(r, w->bytes, resident);
    return 0;
}

/* ---- parts ----------------------------------------------------------------------- */

/* Books measured time: reading the clock again would cost as much as a part of a small
 * file's call. */
static void book_time(struct phase *p, enum act a, int64_t begin_ns, int64_t ns)
{
    enum act before = phase_act_at(p, a, begin_ns);
    phase_act_at(p, before, begin_ns + ns);
}

int run_whole_open(struct run_set *s, struct io_whole *w)
{
    struct run *r = s->run;
    if (is_idle(s))
        return r->failed;
    int rc = io_whole_open(s->folder, w);
    book_time(r->phase, ACT_OPEN_CLOSE, w->start_ns, w->open_ns);
    if (!rc)
        phase_op(r->phase, PHASE_OP_OPEN, w->start_ns, w->start_ns + w->open_ns);
    return is_gone(w) ? rc : set_fail(s, rc);
}

int run_whole_part(struct run_set *s, struct io_whole *w)
{
    struct run *r = s->run;
    int rc = io_whole_part(s->folder, w);
    book_time(r->phase, ACT_READ, w->start_ns, w->move_ns);
    if (!rc)
        phase_transfer(r->phase, ACT_READ, w->bytes, w->start_ns,
                       w->start_ns + w->move_ns);
    return set_fail(s, rc);
}

int run_whole_again(struct run_set *s, struct io_whole *w)
{
    enum act before = phase_act(s->run->phase, ACT_READ);
    int rc = io_whole_again(s->folder, w);
    phase_act(s->run->phase, before);
    return set_fail(s, rc);
}

int run_whole_close(struct run_set *s, struct io_whole *w)
{
    struct run *r = s->run;
    int rc = io_whole_close(s->folder, w);
    book_time(r->phase, ACT_OPEN_CLOSE, w->start_ns, w->close_ns);
    if (!rc)
        phase_op(r->phase, PHASE_OP_CLOSE, w->start_ns, w->start_ns + w->close_ns);
    return set_fail(s, rc);
}

int run_whole_head(struct run_set *s, struct io_whole *w)
{
    struct run *r = s->run;
    if (is_idle(s))
        return r->failed;
    int rc = io_whole_head(s->folder, w);
    int64_t opened = w->start_ns + w->open_ns, moved = opened + w->move_ns;
    book_time(r->phase, ACT_OPEN_CLOSE, w->start_ns, w->open_ns);
    book_time(r->phase, ACT_READ, opened, w->move_ns);
    book_time(r->phase, ACT_OPEN_CLOSE, moved, w->close_ns);
    if (is_gone(w))
        return rc;
    if (rc)
        return set_fail(s, rc);
    phase_op(r->phase, PHASE_OP_OPEN, w->start_ns, opened);
    if (w->bytes)
        phase_transfer(r->phase, ACT_READ, w->bytes, opened, moved);
    if (w->fd < 0)
        phase_op(r->phase, PHASE_OP_CLOSE, moved, moved + w->close_ns);
    return 0;
}

/* ---- several files at once ------------------------------------------------------- */

int run_whole_start(struct run_set *s, struct io_whole *w)
{
    struct run *r = s->run;
    if (is_idle(s))
        return r->failed;
    enum act before = phase_act(r->phase, ACT_READ);
    int rc = io_whole_start(s->folder, &w, 1);
    phase_act(r->phase, before);
    return set_fail(s, rc);
}

static void book_whole(struct phase *p, const struct io_whole *w)
{
    int64_t opened = w->start_ns + w->open_ns, moved = opened + w->move_ns;
    phase_op(p, PHASE_OP_OPEN, w->start_ns, opened);
    phase_transfer(p, ACT_READ, w->bytes, opened, moved);
    phase_op(p, PHASE_OP_CLOSE, moved, moved + w->close_ns);
}

struct io_whole *run_whole_reap(struct run_set *s)
{
    struct run *r = s->run;
    struct io_whole *w = NULL;
    if (is_idle(s))
        return NULL;
    enum act before = phase_act(r->phase, ACT_READ);
    int n = io_whole_reap(s->folder, &w, 1, 1, 0);
    phase_act(r->phase, before);
    if (n < 1) {
        set_fail(s, n);
        return NULL;
    }
    if (!is_gone(w) && !set_fail(s, w->rc))
        book_whole(r->phase, w);
    return w;
}

/* ---- writing and removing -------------------------------------------------------- */

int run_whole_write(struct run_set *s, struct io_whole *w, enum io_replace how,
                    bool sync)
{
    struct run *r = s->run;
    if (is_idle(s))
        return r->failed;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int rc = io_whole_write(s->folder, w, how, sync);
    phase_act(r->phase, before);
    struct booking b = {.phase = r->phase, .at_ns = w->start_ns};
    if (rc)
        return set_fail(s, rc);
    bool opens = how != IO_MAKE && how != IO_RENAME;
    book_op(&b, opens ? PHASE_OP_OPEN : PHASE_OP_CREATE, w->open_ns);
    book_move(&b, ACT_WRITE, w);
    book_op(&b, PHASE_OP_FSYNC, w->sync_ns);
    book_op(&b, PHASE_OP_CLOSE, w->close_ns);
    book_op(&b, PHASE_OP_RENAME, w->name_ns);
    return 0;
}

/* ---- names ----------------------------------------------------------------------- */

typedef int name_call(struct io_folder *d, struct io_whole *w);

static int one_name(struct run_set *s, struct io_whole *w, enum phase_op op,
                    name_call *call)
{
    struct run *r = s->run;
    if (is_idle(s))
        return r->failed;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int rc = call(s->folder, w);
    phase_act(r->phase, before);
    struct booking b = {.phase = r->phase, .at_ns = w->start_ns};
    if (!rc) {
        book_op(&b, PHASE_OP_OPEN, w->open_ns);
        book_op(&b, op, w->name_ns);
        book_op(&b, PHASE_OP_FSYNC, w->sync_ns);
        book_op(&b, PHASE_OP_CLOSE, w->close_ns);
    }
    return is_gone(w) ? rc : set_fail(s, rc);
}

int run_whole_remove(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_UNLINK, io_whole_remove);
}

int run_whole_touch(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_OPEN, io_whole_touch);
}

int run_whole_stat(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_STAT, io_whole_stat);
}

int run_folder_make(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_MKDIR, io_folder_make);
}

int run_folder_remove(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_RMDIR, io_folder_drop);
}

int run_whole_rename(struct run_set *s, struct io_whole *w, const char *to)
{
    w->to = to;
    return one_name(s, w, PHASE_OP_RENAME, io_whole_rename);
}

int run_whole_link(struct run_set *s, struct io_whole *w, const char *to)
{
    w->to = to;
    return one_name(s, w, PHASE_OP_LINK, io_whole_link);
}

int run_whole_symlink(struct run_set *s, struct io_whole *w, const char *to)
{
    w->to = to;
    return one_name(s, w, PHASE_OP_SYMLINK, io_whole_symlink);
}

int run_whole_readlink(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_READLINK, io_whole_readlink);
}

int run_whole_chmod(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_CHMOD, io_whole_chmod);
}

int run_whole_setxattr(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_SETXATTR, io_whole_setxattr);
}

int run_whole_getxattr(struct run_set *s, struct io_whole *w)
{
    return one_name(s, w, PHASE_OP_GETXATTR, io_whole_getxattr);
}

int run_whole_is_there(struct run_set *s, struct io_whole *w)
{
    struct run *r = s->run;
    if (is_idle(s))
        return r->failed;
    enum act before = phase_act(r->phase, ACT_CHECK);
    int there = io_whole_is_there(s->folder, w);
    phase_act(r->phase, before);
    return there < 0 ? set_fail(s, there) : there;
}

int run_set_list(struct run_set *s, char (*name)[RUN_SET_LISTED], int most, int64_t *ns)
{
    struct run *r = s->run;
    int n = 0, rc = 1;
    if (is_idle(s))
        return 0;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int64_t begin_ns = r->phase->switch_ns;
    while (n < most && (rc = io_folder_next(s->folder, name[n], RUN_SET_LISTED)) > 0)
        n++;
    phase_act(r->phase, before);
    *ns += r->phase->switch_ns - begin_ns;
    return set_fail(s, rc < 0 ? rc : 0) ? 0 : n;
}

/* ---- answers --------------------------------------------------------------------- */

void run_set_right(struct run_set *s)
{
    s->run->checked += !s->run->failed;
}

void run_set_wrong(struct run_set *s, const char *name, const char *fmt, ...)
{
    char path[RUN_SET_PATH], text[512];
    va_list ap;
    if (s->run->failed)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    s->run->checked++;
    s->run->bad++;
    set_fail(s, err_set(-EIO, run_set_path(s, name, path), -1,
                        "verification failed: %s", text));
}

#include "run/set.h"
#include "base/err.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- folders --------------------------------------------------------------------- */

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

/* tmpfs takes O_DIRECT and stays what it is: memory. */
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
    snprintf(out, RUN_SET_PATH, "%s/%.255s", s->path, name);
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

/* What the folder's call has timed, one after another from its start, is booked: all of
 * it is open_close so far. */
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
    phase_transfer(b->phase, a, w->bytes, b->at_ns, b->at_ns + w->move_ns);
    b->at_ns += w->move_ns;
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
    int64_t resident = run_drop_cached(r, run_set_path(s, w->name, path));
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
    book_op(&b, how == IO_TRUNCATE ? PHASE_OP_OPEN : PHASE_OP_CREATE, w->open_ns);
    book_move(&b, ACT_WRITE, w);
    book_op(&b, PHASE_OP_FSYNC, w->sync_ns);
    book_op(&b, PHASE_OP_CLOSE, w->close_ns);
    book_op(&b, PHASE_OP_RENAME, w->name_ns);
    return 0;
}

int run_whole_remove(struct run_set *s, struct io_whole *w)
{
    struct run *r = s->run;
    if (is_idle(s))
        return r->failed;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int rc = io_whole_remove(s->folder, w);
    phase_act(r->phase, before);
    struct booking b = {.phase = r->phase, .at_ns = w->start_ns};
    if (!rc)
        book_op(&b, PHASE_OP_UNLINK, w->name_ns);
    return set_fail(s, rc);
}

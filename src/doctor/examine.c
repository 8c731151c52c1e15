/* The table of probes, and their common frame: a folder that is emptied after each one,
 * and the second party. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "doctor/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum party {
    ALONE,
    TWO,   /* with a second process, and again with another node */
    NODES, /* with another node only */
    CHILD  /* with a second process only */
};

/* clang-format off */
static const struct {
    const char *name, *title;
    probe *run;
    enum party party;
} table[] = {
    {"file_system", "file system", probe_file_system, ALONE},
    {"direct", "direct I/O", probe_direct, ALONE},
    {"alignment", "direct I/O alignment", probe_alignment, ALONE},
    {"fsync", "fsync", probe_fsync, ALONE},
    {"syncfs", "syncfs", probe_syncfs, ALONE},
    {"cache_drop", "dropping cached pages", probe_drop, ALONE},
    {"compression", "compression", probe_compression, ALONE},
    {"deduplication", "deduplication", probe_deduplication, ALONE},
    {"statfs", "free space (statfs)", probe_statfs, ALONE},
    {"preallocation", "preallocation", probe_preallocation, ALONE},
    {"sparse", "sparse files", probe_sparse, ALONE},
    {"tmpfile", "files without a name", probe_tmpfile, ALONE},
    {"unlink", "unlink while open", probe_unlink, ALONE},
    {"rename", "rename over a file", probe_rename, CHILD},
    {"append", "append", probe_append, TWO},
    {"locks", "locks", probe_locks, TWO},
    {"read", "read after write", probe_read, TWO},
    {"mmap", "mapped files", probe_mmap, TWO},
    {"directory", "directories", probe_directory, TWO},
    {"clock", "clocks of nodes", probe_clock, NODES},
    {"times", "times of files", probe_times, ALONE},
    {"names", "names", probe_names, ALONE},
    {"limits", "limits", probe_limits, ALONE},
    {"latency", "shortest calls", probe_latency, ALONE},
};
/* clang-format on */
enum { PROBES = sizeof table / sizeof table[0] };

/* ---- the place ------------------------------------------------------------------- */

int place_new(const struct place *p, const char *name, int how)
{
    return openat(p->fd, name, O_RDWR | O_CREAT | O_CLOEXEC | how, 0600);
}

void place_random(unsigned char *buf, size_t n)
{
    static uint64_t x;
    if (!x)
        x = (uint64_t)clock_ns() << 20 | (uint64_t)getpid() | 1;
    for (size_t i = 0; i + 8 <= n; i += 8) { /* xorshift */
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(buf + i, &x, 8);
    }
}

int place_noise(const struct place *p, const char *name, size_t bytes)
{
    int fd = place_new(p, name, 0);
    ssize_t n = fd < 0 ? -1 : pwrite(fd, p->noise, bytes, 0);
    if (fd < 0 || n == (ssize_t)bytes)
        return fd;
    int error = n < 0 ? errno : ENOSPC;
    close(fd);
    errno = error;
    return -1;
}

/* Makes the folder of the probes. Its name tells whose it is. */
static int make_doctor_folder(struct place *p)
{
    char whole[PATH_MAX];
    int rc = scratch_absolute(whole, p->dir);
    int n = snprintf(p->path, sizeof p->path, "%s/leadline-doctor-%ld-%llx", whole,
                     (long)getpid(), (unsigned long long)clock_ns());
    if (rc || n >= (int)sizeof p->path - 80)
        return err_set(rc ? rc : -ENAMETOOLONG, p->dir, -1,
                       "the directory cannot be used: %s",
                       strerror(rc ? -rc : ENAMETOOLONG));
    return scratch_create_tree(p->path, &p->fd);
}

static int place_open(struct place *p)
{
    void *noise = NULL;
    int rc = io_fs_of(p->dir, &p->fs);
    if (!rc)
        rc = io_stack_of(p->dir, &p->stack);
    if (!rc)
        rc = buf_alloc(&noise, PIECE, "the data of the probes");
    p->noise = noise;
    return rc ? rc : make_doctor_folder(p);
}

static void place_close(struct place *p)
{
    /* a file system that does not remove what it should is told of by probes */
    struct err before = err_copy();
    if (p->fd >= 0)
        scratch_remove(p->path);
    err_put(&before);
    buf_free(p->noise);
}

/* ---- probes ---------------------------------------------------------------------- */

/* Adds a finding of probe i. */
static struct doctor_finding *begin(struct doctor *d, int i, bool nodes)
{
    static char names[PROBES][24], titles[PROBES][48];
    struct doctor_finding *f = &d->finding[d->n++];
    nodes &= table[i].party == TWO;
    snprintf(names[i], sizeof names[i], "%s_nodes", table[i].name);
    snprintf(titles[i], sizeof titles[i], "%s, two nodes", table[i].title);
    memset(f, 0, sizeof *f);
    f->probe = nodes ? names[i] : table[i].name;
    f->title = nodes ? titles[i] : table[i].title;
    return f;
}

static void examine_one(struct doctor *d, struct place *p, int i)
{
    struct doctor_finding *f = begin(d, i, p->other && other_remote(p->other));
    watchdog_arm_as_set(f->title, p->dir);
    if (!p->other || !other_gone(p->other))
        table[i].run(p, f);
    watchdog_disarm();
    if (p->other && other_gone(p->other))
        find(f, "not known", "", "the second process has ended");
    empty_folder(p->fd);
}

/* True if the other node sees what is made here. */
static bool is_shared(struct place *p)
{
    struct question q = {.what = ASK_STAT, .name = "shared"};
    int64_t end = clock_ns() + INT64_C(3000000000);
    int rc = -1, fd = place_new(p, q.name, 0);
    while (fd >= 0 && (rc = (int)other_ask(p->other, &q).rc) && clock_ns() < end)
        usleep(20000);
    if (fd >= 0)
        close(fd);
    unlinkat(p->fd, q.name, 0);
    return !rc;
}

static void examine_node(struct doctor *d, struct place *p)
{
    for (int i = 0; i < PROBES; i++)
        if (table[i].party == ALONE)
            examine_one(d, p, i);
    p->other = other_start(p->path);
    for (int i = 0; i < PROBES; i++)
        if (table[i].party == TWO || table[i].party == CHILD) {
            if (p->other)
                examine_one(d, p, i);
            else
                find_unknown(begin(d, i, false), "starting a second process", errno);
        }
    other_end(&p->other, true);
}

/* Tries the same with the first rank of the next node, if there is one. */
static void examine_nodes(struct doctor *d, struct place *p)
{
    p->other = p->nodes ? p->node[0] : NULL;
    bool shared = p->other && is_shared(p);
    for (int i = 0; i < PROBES; i++)
        if (table[i].party == TWO || table[i].party == NODES) {
            if (shared || (p->other && table[i].party == NODES))
                examine_one(d, p, i);
            else if (p->other)
                find(begin(d, i, true), "not shared", "each node has files of its own",
                     "a file made on one node is not seen on the other within 3 s");
            else
                find(begin(d, i, true), "not tried", "", "one node");
        }
    p->other = NULL;
}

/* ---- the ranks ------------------------------------------------------------------- */

static bool serves(const struct world *w)
{
    return w->rank && w->node_rank == 0;
}

/* Finds, on rank 0, a rank of each other node. */
static int find_nodes(struct place *p, const struct world *w)
{
    int mine = serves(w);
    int *all = w->rank ? NULL : mem_new(w->size, sizeof *all, "the ranks of nodes");
    int rc = 0;
    if (w->rank == 0)
        p->node = mem_new(w->nodes, sizeof *p->node, "the nodes");
    rc = err_agree(w->comm, w->rank || (all && p->node) ? 0 : -ENOMEM);
    if (!rc)
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, w->comm);
    for (int i = 1; !rc && w->rank == 0 && i < w->size; i++)
        if (all[i] && !rc) {
            p->node[p->nodes] = other_rank(w->comm, i);
            rc = p->node[p->nodes++] ? 0 : -ENOMEM;
        }
    free(all);
    return err_agree(w->comm, rc);
}

static void serve_rank_0(const struct world *w, const struct place *p)
{
    int own = -1;
    /* so that it is removed if rank 0 dies */
    bool listed = !scratch_add_tree(p->path, &own);
    err_clear();
    other_serve(w->comm, p->path);
    if (listed)
        scratch_forget(p->path);
}

int doctor_examine(struct doctor *d, const struct world *w, const char *dir)
{
    struct place p = {.dir = dir, .fd = -1};
    int rc = find_nodes(&p, w);
    if (!rc)
        rc = err_agree(w->comm, w->rank ? 0 : place_open(&p));
    MPI_Bcast(p.path, sizeof p.path, MPI_CHAR, 0, w->comm);
    if (!rc && w->rank == 0) {
        d->n = 0;
        examine_node(d, &p);
        examine_nodes(d, &p);
    } else if (!rc && serves(w))
        serve_rank_0(w, &p);
    for (int i = 0; i < p.nodes; i++)
        other_end(&p.node[i], !rc);
    free(p.node);
    world_barrier(w->comm);
    if (w->rank == 0)
        place_close(&p);
    return rc;
}

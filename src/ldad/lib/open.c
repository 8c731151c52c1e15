/* Opening, closing and removing files: checks modes and chooses the engine. */
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "io/lock.h"
#include "io/part/container.h"
#include "ldad/lib/file.h"
#include "ldad/lib/libldad.h"
#include "ldad/lib/unique.h"
#include "world/world.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening and closing --------------------------------------------------------- */

/* True if MPI allows this mode. */
static bool is_amode(int amode)
{
    const int one = amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY);
    const int all = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY |
                    MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE |
                    MPI_MODE_UNIQUE_OPEN | MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND;
    if (amode & ~all)
        return false;
    if (one == MPI_MODE_RDONLY)
        return !(amode & (MPI_MODE_CREATE | MPI_MODE_EXCL));
    if (one == MPI_MODE_RDWR)
        return !(amode & MPI_MODE_SEQUENTIAL);
    return one == MPI_MODE_WRONLY;
}

static int take_amode(const char *path, int amode, int *flags)
{
    if (!is_amode(amode))
        return err_set(
            -EBADRQC, path, -1,
            "this access mode is not one of MPI's: exactly one of RDONLY, RDWR and "
            "WRONLY, neither CREATE nor EXCL with RDONLY, and no SEQUENTIAL with RDWR");
    *flags = amode & MPI_MODE_RDWR     ? IO_READ | IO_WRITE
             : amode & MPI_MODE_WRONLY ? IO_WRITE
                                       : IO_READ;
    if (amode & MPI_MODE_CREATE)
        *flags |= IO_CREATE;
    return 0;
}

/* Returns the bytes that the plan gives the file: an HDF5 file must know. */
static int64_t planned_bytes(const struct ldad_plan *p)
{
    int64_t bytes = 0;
    for (int64_t r = 0; r < p->ranks; r++) {
        struct ldad d = ldad_plan_rank(p, r);
        int64_t high = ldad_high(&d);
        high = high < p->end ? high : p->end;
        bytes = bytes > high ? bytes : high;
    }
    return bytes;
}

static int open_whole(ldad_file fh, const struct libldad_wish *w)
{
    const struct ldad_plan *plan = &w->parsed;
    bool hints = io_engine_takes_hints(w->engine);
    struct io_open o = {.engine = w->engine,
                        .comm = fh->comm,
                        .path = fh->path,
                        .flags = fh->flags | (fh->collective ? IO_COLLECTIVE : 0),
                        .bytes = planned_bytes(plan),
                        .max_request = LIBLDAD_REQUEST_MOST,
                        .depth = 1,
                        .timeout_s = w->timeout_s,
                        .hints = hints ? w->hint : NULL,
                        .hint_count = hints ? w->hints : 0,
                        .plan = plan->ranks ? plan : NULL,
                        .node_dirs = w->node_dirs[0] ? w->node_dirs : NULL};
    int rc = io_file_open(&fh->io, &o);
    if (!rc && !w->scratch)
        io_file_keep(fh->comm, fh->path);
    return rc;
}

static int open_unique(ldad_file fh, const struct libldad_wish *w, bool fresh)
{
    int rank;
    char path[4096];
    struct unique_open o = {.comm = fh->comm,
                            .path = fh->path,
                            .flags = fh->flags,
                            .fresh = fresh,
                            .engine = w->engine,
                            .plan = w->plan[0] ? w->plan : NULL,
                            .max_request = LIBLDAD_REQUEST_MOST,
                            .timeout_s = w->timeout_s};
    int rc = unique_open(&fh->unique, &o);
    MPI_Comm_rank(fh->comm, &rank);
    if (!rc && !w->scratch && !unique_path(path, sizeof path, fh->path, rank))
        io_file_keep(MPI_COMM_SELF, path);
    return rc;
}

/* Skips a prefix. MPI-IO takes the name of a kind of file system before a file's name,
 * as in ufs:NAME. It is no part of the name, and every file is used the same way
 * here. */
static const char *without_prefix(const char *path)
{
    static const char *const kinds[] = {
        "ufs:",    "nfs:", "lustre:", "pvfs2:",   "pvfs:", "gpfs:",
        "testfs:", "xfs:", "panfs:",  "quobyte:", "daos:", "ime:",
        "piofs:",  "pfs:", "hfs:",    "sfs:"};
    for (size_t i = 0; path && i < sizeof kinds / sizeof *kinds; i++)
        if (!strncasecmp(path, kinds[i], strlen(kinds[i])))
            return path + strlen(kinds[i]);
    return path;
}

/* Returns 0, or MPI-IO's error for a missing name. */
static int check_name(const char *path)
{
    return path && *path
               ? 0
               : err_set(-ENOENT, NULL, -1, "no file is named: the name is %s",
                         path ? "empty" : "NULL");
}

static void libldad_let_go(ldad_file fh)
{
    if (fh->comm != MPI_COMM_NULL)
        MPI_Comm_free(&fh->comm);
    if (fh->info != MPI_INFO_NULL)
        MPI_Info_free(&fh->info);
    lock_close(&fh->lock);
    libldad_view_free(&fh->view);
    free(fh->bounce);
    free(fh->path);
    free(fh);
}

/* Makes the file's structure. A failure of one rank reaches all in ask_all. */
static int libldad_make(ldad_file *out, MPI_Comm comm, const char *path)
{
    ldad_file fh = mem_of(path, 1, sizeof *fh, "an open file");
    *out = fh;
    if (!fh)
        return -ENOMEM;
    fh->comm = comm;
    fh->info = MPI_INFO_NULL;
    fh->lock = fh->pointer = -1;
    int rc = check_name(path);
    if (rc)
        return rc;
    if (!(fh->path = mem_text(path, "an open file")))
        return -ENOMEM;
    return libldad_view_reset(&fh->view);
}

/* ---- requests of the ranks, and the file on disk --------------------------------- */

enum kind { NOTHING_THERE, FILE_THERE, CONTAINER_THERE };

static enum kind kind_of_path(const char *path)
{
    return access(path, F_OK)   ? NOTHING_THERE
           : container_is(path) ? CONTAINER_THERE
                                : FILE_THERE;
}

/* Finds the kind on rank 0. */
static enum kind find_kind(ldad_file fh, const struct libldad_wish *w)
{
    enum kind kind = kind_of_path(fh->path);
    bool swept = kind == FILE_THERE && w->method->partitioned &&
                 (fh->flags & IO_CREATE) && container_sweep(fh->path);
    return swept ? NOTHING_THERE : kind;
}

/* Hashes the wishes that must be the same on all ranks. */
static int64_t hash_wish(const struct libldad_wish *w, const char *path)
{
    const char *texts[] = {path,    w->method->name, w->engine,
                           w->plan, w->plan_file,    w->node_dirs};
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (const char *c = texts[i]; c == texts[i] || c[-1]; c++)
            h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return (int64_t)(h >> 1);
}

/* Draws a number for each open, on rank 0. */
static int64_t open_id(void)
{
    static uint64_t opens;
    struct stat st;
    uint64_t self = stat("/proc/self", &st) ? 0 : st.st_ino;
    return (int64_t)(((uint64_t)getpid() << 20 ^ self << 44 ^ ++opens) >> 1);
}

/* Tells all ranks, in one reduction, if all can open the file and ask for the same, and
 * what rank 0 finds at its path. */
static int ask_all(MPI_Comm comm, ldad_file fh, const struct libldad_wish *w, int rc,
                   enum kind *kind)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    int64_t hash = rc ? 0 : hash_wish(w, fh->path), amode = rc ? 0 : fh->amode;
    int64_t v[] = {rc != 0,
                   amode,
                   -amode,
                   hash,
                   -hash,
                   rank || rc ? 0 : find_kind(fh, w),
                   rank ? 0 : open_id()};
    MPI_Allreduce(MPI_IN_PLACE, v, 7, MPI_INT64_T, MPI_MAX, comm);
    if (v[0])
        return err_agree(comm, rc);
    *kind = (enum kind)v[5];
    fh->id = (uint64_t)v[6];
    if (v[1] == -v[2] && v[3] == -v[4])
        return 0;
    return err_agree(comm, err_set(-EBADSLT, fh->path, -1,
                                   v[1] == -v[2]
                                       ? "ranks open different files, or with "
                                         "different keys"
                                       : "ranks open the file with different access "
                                         "modes"));
}

static int bad_kind(ldad_file fh, bool fresh, enum kind kind)
{
    if (fresh && (fh->flags & IO_CREATE) && kind != NOTHING_THERE)
        return err_set(-EEXIST, fh->path, -1, "the file exists already");
    return 0;
}

/* Opens the stored file; the keys and the file on disk decide how. */
static int open_stored(ldad_file fh, struct libldad_wish *w, bool fresh, enum kind kind)
{
    bool lenient = w->as_it_is && kind == FILE_THERE;
    if (lenient || (w->planned && w->method->partitioned && kind != CONTAINER_THERE &&
                    !(fh->flags & IO_WRITE)))
        libldad_take_plain(w);
    fh->collective = w->collective;
    fh->plain = w->method->plain;
    fh->partitioned = w->method->partitioned;
    fh->auto_plan = fh->partitioned && !w->no_auto && !w->plan[0];
    if (w->method->unique)
        return open_unique(fh, w, fresh);
    int rc = bad_kind(fh, fresh, kind);
    if (rc)
        return rc;
    if (kind != NOTHING_THERE)
        fh->flags &= ~IO_CREATE;
    return open_whole(fh, w);
}

/* Reads the wishes of this rank, unless it has failed already for lack of memory. */
static int libldad_wants(ldad_file fh, struct libldad_wish *w, int amode, MPI_Info info,
                         const char *plan, int failed)
{
    if (failed)
        return failed;
    int rc = libldad_take_info(w, info, plan);
    rc = rc ? rc : take_amode(fh->path, amode, &fh->flags);
    return rc || !w->plan[0] || w->plan_file[0] ? rc
                                                : ldad_plan_parse(w->plan, &w->parsed);
}

static int open_on_all_ranks(MPI_Comm comm, ldad_file fh, struct libldad_wish *w,
                             int amode, MPI_Info info, const char *plan, int failed)
{
    enum kind kind = NOTHING_THERE;
    int rc = libldad_wants(fh, w, amode, info, plan, failed);
    rc = ask_all(comm, fh, w, rc, &kind);
    if (!rc && w->plan_file[0]) {
        rc = libldad_plan_of(comm, w->plan_file, w->plan, LIBLDAD_VALUE);
        rc = err_agree(comm,
                       rc || !w->plan[0] ? rc : ldad_plan_parse(w->plan, &w->parsed));
    }
    if (!rc)
        rc = open_stored(fh, w, amode & MPI_MODE_EXCL, kind);
    return rc;
}

/* Moves both pointers to the end. */
static int go_to_end(ldad_file fh)
{
    int64_t end = 0;
    int rank, rc = libldad_end(fh, &end);
    MPI_Comm_rank(fh->comm, &rank);
    fh->view.position = end;
    if (!rc && rank == 0 && end)
        rc = libldad_pointer_set(fh, end);
    return err_agree(fh->comm, rc);
}

static int open_finish(ldad_file fh, const struct libldad_wish *w)
{
    fh->info = libldad_info_of(w, fh->io);
    libldad_enlist(fh);
    return fh->amode & MPI_MODE_APPEND ? go_to_end(fh) : 0;
}

static int libldad_open_file(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                             const char *plan, ldad_file *out)
{
    ldad_file fh;
    struct err before = libldad_enter();
    MPI_Comm own;
    *out = NULL;
    path = without_prefix(path);
    if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS)
        return libldad_leave(
            NULL, &before,
            err_set(-EIO, path, -1, "the communicator cannot be duplicated"));
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    int rc = libldad_make(&fh, own, path);
    struct libldad_wish *w = mem_of(path, 1, sizeof *w, "an open file");
    if (!w && !rc)
        rc = -ENOMEM;
    if (fh)
        fh->amode = amode;
    rc = open_on_all_ranks(own, fh, w, amode, info, plan, rc);
    if (!rc) {
        rc = open_finish(fh, w);
        *out = fh;
    } else if (fh)
        libldad_let_go(fh);
    else
        MPI_Comm_free(&own);
    if (w && w->parsed.ranks)
        ldad_plan_free(&w->parsed);
    free(w);
    return libldad_leave(NULL, &before, rc);
}

int ldad_file_open(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                   ldad_file *out)
{
    return libldad_open_file(comm, path, amode, info, NULL, out);
}

int ldad_file_open_plan(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                        ldad_file *out, const char *plan, ...)
{
    char text[LIBLDAD_VALUE];
    int ranks;
    va_list args;
    MPI_Comm_size(comm, &ranks);
    int n = snprintf(text, sizeof text, "ranks=%d ", ranks);
    va_start(args, plan);
    vsnprintf(text + n, sizeof text - (size_t)n, plan, args);
    va_end(args);
    return libldad_open_file(comm, path, amode, info, text, out);
}

int ldad_file_ranks(MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    return ranks;
}

static int delete_one(const char *path)
{
    if (!unlink(path))
        return 0;
    return err_set(-errno, path, -1, "the file cannot be removed: %s", strerror(errno));
}

static int delete_unique(const char *path, const struct libldad_wish *w)
{
    struct ldad_plan p;
    char one[4096];
    int rc = ldad_plan_parse(w->plan, &p);
    for (int64_t r = 0; !rc && r < p.ranks; r++) {
        rc = unique_path(one, sizeof one, path, r);
        rc = rc ? rc : delete_one(one);
    }
    if (!rc)
        ldad_plan_free(&p);
    return rc;
}

/* Removes all of it or, if partitions are on other nodes' disks, nothing. */
static int delete_container(const char *path)
{
    struct container c;
    int rc = container_read(&c, path);
    if (rc)
        return rc;
    int64_t away = container_away(&c, path, NULL);
    if (away)
        rc = err_set(-EIO, path, -1,
                     "%lld partition%s of the container are not found on this node, so "
                     "nothing was removed: ldad rm does it, run on each node",
                     (long long)away, units_s(away));
    if (!rc)
        rc = container_remove_parts(&c, path);
    container_free(&c);
    return rc ? rc : container_remove_common(path);
}

/* Removes the file, with MPI_MODE_DELETE_ON_CLOSE; each rank removes its own. */
static int delete_closed(const char *path, int rank, bool unique)
{
    char one[4096];
    if (!unique)
        return rank                 ? 0
               : container_is(path) ? delete_container(path)
                                    : delete_one(path);
    int rc = unique_path(one, sizeof one, path, rank);
    return rc ? rc : delete_one(one);
}

int ldad_file_close(ldad_file *out)
{
    ldad_file fh = *out;
    int rank, code;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    bool unique = fh->unique;
    MPI_Comm_rank(fh->comm, &rank);
    int rc = fh->unique ? unique_close(&fh->unique) : io_file_close(&fh->io);
    libldad_pointer_close(fh, rank == 0);
    if (fh->amode & MPI_MODE_DELETE_ON_CLOSE)
        rc = err_agree(fh->comm, rc ? rc : delete_closed(fh->path, rank, unique));
    *out = NULL;
    code = libldad_leave(fh, &before, rc);
    libldad_delist(fh);
    libldad_let_go(fh);
    return code;
}

int ldad_file_delete(const char *path, MPI_Info info)
{
    struct err before = libldad_enter();
    struct libldad_wish *w = mem_of(path, 1, sizeof *w, "removing a file");
    path = without_prefix(path);
    int rc = check_name(path);
    if (!rc)
        rc = w ? libldad_take_info(w, info, NULL) : -ENOMEM;
    if (!rc && w->method->unique)
        rc = delete_unique(path, w);
    else if (!rc)
        rc = container_is(path) ? delete_container(path) : delete_one(path);
    free(w);
    return libldad_leave(NULL, &before, rc);
}

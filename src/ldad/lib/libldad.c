/* The calls of <ldad.h>: what an MPI_Info says, which engine that is, and transfers in
 * terms of MPI datatypes. */
#include "ldad/lib/libldad.h"
#include "base/err.h"
#include "io/part/container.h"
#include "ldad/lib/unique.h"
#include "world/world.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUEST_MOST (INT64_C(1) << 30) /* longer ones are several, or refused */

enum { VALUE = 1024, HINTS = 64 };

struct ldad_open_file {
    MPI_Comm comm; /* a duplicate: the program may free its own */
    char *path;
    int flags;
    bool collective;
    bool plain;            /* there is one ordinary file of that path */
    int64_t known;         /* the file has been so long when it was asked last */
    struct io_file *io;    /* one file of all ranks, or a container; NULL: */
    struct unique *unique; /* a file for each */
    struct libldad_view view;
};

/* The methods: how a file is stored and its transfers are made. */
static const struct method {
    const char *name;
    const char *engine; /* unless ldad_engine names another; of the partitions */
    bool collective, unique, partitioned, plain;
    const char *const *hints; /* keys and values, ended by NULL */
} methods[] = {
    {.name = "independent", .engine = "mpiio", .plain = true},
    {.name = "collective", .engine = "mpiio", .collective = true, .plain = true},
    {.name = "collective-nocb",
     .engine = "mpiio",
     .collective = true,
     .plain = true,
     /* ROMIO's, then the MPI standard's */
     .hints =
         (const char *const[]){"romio_cb_write", "disable", "romio_cb_read", "disable",
                               "romio_ds_write", "disable", "romio_ds_read", "disable",
                               "collective_buffering", "false", NULL}},
    {.name = "hdf5", .engine = "hdf5", .collective = true},
    {.name = "unique", .engine = "posix", .unique = true},
    {.name = "partitioned", .engine = "posix", .partitioned = true},
};

/* ---- errors ---------------------------------------------------------------------- */

static int class_of(int rc)
{
    static const struct {
        int os, mpi;
    } table[] = {
        {ENOSPC, MPI_ERR_NO_SPACE},    {EDQUOT, MPI_ERR_QUOTA},
        {EACCES, MPI_ERR_ACCESS},      {EPERM, MPI_ERR_ACCESS},
        {EROFS, MPI_ERR_READ_ONLY},    {ENOENT, MPI_ERR_NO_SUCH_FILE},
        {EEXIST, MPI_ERR_FILE_EXISTS}, {ENOMEM, MPI_ERR_NO_MEM},
        {EINVAL, MPI_ERR_ARG},         {EOPNOTSUPP, MPI_ERR_UNSUPPORTED_OPERATION},
        {EBADRQC, MPI_ERR_AMODE}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (rc == -table[i].os)
            return table[i].mpi;
    return rc ? MPI_ERR_IO : MPI_SUCCESS;
}

/* The class that a call returns is that of its own failure, and the sentence for the
 * program that of the first: between these two, there was none before. */
static struct err libldad_begin(void)
{
    struct err before = *err_get();
    err_clear();
    return before;
}

static int libldad_end(const struct err *before, int rc)
{
    if (before->code)
        err_put(before);
    return class_of(rc);
}

const char *ldad_file_error(void)
{
    static char text[2048];
    struct err e = *err_get();
    char where[600] = "", offset[48] = "";
    err_clear();
    if (!e.code)
        return "";
    if (e.file[0])
        snprintf(where, sizeof where, " (file %s", e.file);
    if (e.file[0] && e.offset >= 0)
        snprintf(offset, sizeof offset, ", offset %lld", (long long)e.offset);
    snprintf(text, sizeof text, "%s%s%s%s", e.text, where, offset,
             e.file[0] ? ")" : "");
    return text;
}

/* ---- what the MPI_Info says ------------------------------------------------------ */

struct wish {
    const struct method *method;
    char engine[VALUE], plan[VALUE], plan_file[VALUE], node_dirs[VALUE];
    double timeout_s;
    bool scratch, collective, keep_plan, refuse_plan;
    struct io_hint hint[HINTS];
    int hints;
};

static void add_hint(struct wish *w, const char *key, const char *value)
{
    if (w->hints == HINTS)
        return;
    struct io_hint *h = &w->hint[w->hints++];
    snprintf(h->key, sizeof h->key, "%s", key);
    snprintf(h->value, sizeof h->value, "%s", value);
}

static int take_method(struct wish *w, const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, name)) {
            w->method = &methods[i];
            return 0;
        }
    return err_usage("ldad_method: there is no \"%s\": take independent, collective, "
                     "collective-nocb, hdf5, unique or partitioned",
                     name);
}

static int take_conflict(struct wish *w, const char *value)
{
    w->keep_plan = !strcmp(value, "keep");
    w->refuse_plan = !strcmp(value, "refuse");
    if (w->keep_plan || w->refuse_plan)
        return 0;
    return err_usage("ldad_plan_conflict: there is no \"%s\": take refuse or keep",
                     value);
}

/* One key: ours, or a hint that the MPI library may know. */
static int take_key(struct wish *w, const char *key, const char *value)
{
    const struct {
        const char *key;
        char *to;
    } texts[] = {{"ldad_engine", w->engine},
                 {"ldad_plan", w->plan},
                 {"ldad_plan_file", w->plan_file},
                 {"ldad_node_dirs", w->node_dirs}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(texts[i].key, key)) {
            snprintf(texts[i].to, VALUE, "%s", value);
            return 0;
        }
    if (!strcmp(key, "ldad_method"))
        return take_method(w, value);
    if (!strcmp(key, "ldad_plan_conflict"))
        return take_conflict(w, value);
    if (!strcmp(key, "ldad_timeout_s"))
        w->timeout_s = atof(value);
    else if (!strcmp(key, LIBLDAD_SCRATCH))
        w->scratch = !strcmp(value, "yes");
    else if (!strcmp(key, "ldad_collective"))
        w->collective = !strcmp(value, "yes");
    else if (!strncmp(key, "ldad_", 5))
        return err_usage("there is no key %s", key);
    else
        add_hint(w, key, value);
    return 0;
}

/* The engine that partitions, around the one that moves bytes. */
static int wrap(struct wish *w)
{
    char inner[VALUE];
    int rc = 0;
    memcpy(inner, w->engine, VALUE);
    if (strncmp(inner, "part", 4))
        rc = io_engine_partitioned(inner, w->engine, VALUE);
    size_t n = strlen(w->engine);
    if (!rc && w->keep_plan)
        snprintf(w->engine + n, VALUE - n, "%ckeep_plan=1",
                 strchr(w->engine, ':') ? ',' : ':');
    return rc;
}

/* What the program has worked out itself; a plan that cannot be is none, as the file
 * is the same without. */
static void take_planned(struct wish *w, const char *plan)
{
    struct ldad_plan p;
    struct err before = *err_get();
    bool ours = w->method || w->plan[0] || w->plan_file[0];
    if (!w->method)
        take_method(w, "partitioned");
    if (ours || strlen(plan) >= VALUE)
        return;
    if (ldad_plan_parse(plan, &p)) {
        err_put(&before);
        return;
    }
    snprintf(w->plan, VALUE, "%s", plan);
    w->keep_plan = !w->refuse_plan; /* it wrote over the file before it had plans */
    ldad_plan_free(&p);
}

/* `plan` NULL: it is all in the info. */
static int take_info(struct wish *w, MPI_Info info, const char *plan)
{
    int n = 0, found, rc = 0;
    memset(w, 0, sizeof *w);
    if (info != MPI_INFO_NULL)
        MPI_Info_get_nkeys(info, &n);
    for (int i = 0; i < n && !rc; i++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[VALUE + 1] = "";
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, VALUE, value, &found);
        rc = found ? take_key(w, key, value) : 0;
    }
    if (plan && !rc)
        take_planned(w, plan);
    if (!w->method)
        w->method = &methods[0];
    if (!w->engine[0])
        snprintf(w->engine, VALUE, "%s", w->method->engine);
    w->collective |= w->method->collective;
    if (w->method->partitioned && !rc)
        rc = wrap(w);
    for (const char *const *h = w->method->hints; h && *h; h += 2)
        add_hint(w, h[0], h[1]);
    if (!io_engine_takes_hints(w->engine))
        w->hints = 0;
    return rc;
}

/* ---- opening and closing --------------------------------------------------------- */

/* What MPI allows of how a file is opened. */
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
        return err_set(-EBADRQC, path, -1,
                       "the access mode is none of MPI's: exactly one of RDONLY, RDWR "
                       "and WRONLY, neither CREATE nor EXCL with RDONLY, and no "
                       "SEQUENTIAL with RDWR");
    if (amode & (MPI_MODE_APPEND | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE))
        return err_set(-EOPNOTSUPP, path, -1,
                       "files are opened neither to append, nor sequentially, nor to "
                       "be deleted on close");
    *flags = amode & MPI_MODE_RDWR     ? IO_READ | IO_WRITE
             : amode & MPI_MODE_WRONLY ? IO_WRITE
                                       : IO_READ;
    if (amode & MPI_MODE_CREATE)
        *flags |= IO_CREATE;
    return 0;
}

/* How many bytes the plan says the file has: an HDF5 file must know. */
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

/* A program that was rewritten reads whatever there is. */
static void read_plain(MPI_Comm comm, const char *path, struct wish *w)
{
    int rank, container = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        container = container_is(path);
    MPI_Bcast(&container, 1, MPI_INT, 0, comm);
    if (container)
        return;
    w->method = &methods[0];
    snprintf(w->engine, VALUE, "%s", w->method->engine);
}

/* MPI_MODE_CREATE takes a file that is there already. */
static int exists_for_all(ldad_file fh)
{
    int rank, there = 0;
    MPI_Comm_rank(fh->comm, &rank);
    if (rank == 0)
        there = !access(fh->path, F_OK);
    MPI_Bcast(&there, 1, MPI_INT, 0, fh->comm);
    return there;
}

static int open_whole(ldad_file fh, const struct wish *w, int flags, bool fresh)
{
    struct ldad_plan plan = {.ranks = 0};
    int rc = w->plan[0] ? ldad_plan_parse(w->plan, &plan) : 0;
    rc = err_agree(fh->comm, rc);
    if (rc)
        return rc;
    if ((flags & IO_CREATE) && !fresh && exists_for_all(fh))
        flags &= ~IO_CREATE;
    struct io_open o = {.engine = w->engine,
                        .comm = fh->comm,
                        .path = fh->path,
                        .flags = flags | (fh->collective ? IO_COLLECTIVE : 0),
                        .bytes = planned_bytes(&plan),
                        .max_request = REQUEST_MOST,
                        .depth = 1,
                        .timeout_s = w->timeout_s,
                        .hints = w->hint,
                        .hint_count = w->hints,
                        .plan = plan.ranks ? &plan : NULL,
                        .node_dirs = w->node_dirs[0] ? w->node_dirs : NULL};
    rc = io_file_open(&fh->io, &o);
    if (plan.ranks)
        ldad_plan_free(&plan);
    if (!rc && !w->scratch)
        io_file_keep(fh->comm, fh->path);
    return rc;
}

static int open_unique(ldad_file fh, const struct wish *w, int flags, bool fresh)
{
    int rank;
    char path[4096];
    struct unique_open o = {.comm = fh->comm,
                            .path = fh->path,
                            .flags = flags,
                            .fresh = fresh,
                            .engine = w->engine,
                            .plan = w->plan[0] ? w->plan : NULL,
                            .max_request = REQUEST_MOST,
                            .timeout_s = w->timeout_s};
    int rc = unique_open(&fh->unique, &o);
    MPI_Comm_rank(fh->comm, &rank);
    if (!rc && !w->scratch && !unique_path(path, sizeof path, fh->path, rank))
        io_file_keep(MPI_COMM_SELF, path);
    return rc;
}

static void libldad_let_go(ldad_file fh)
{
    MPI_Comm_free(&fh->comm);
    free(fh->path);
    free(fh);
}

static int libldad_make(ldad_file *out, MPI_Comm comm, const char *path,
                        struct wish **w)
{
    ldad_file fh = calloc(1, sizeof *fh);
    char *copy = strdup(path);
    *w = malloc(sizeof **w);
    int rc =
        fh && copy && *w ? 0 : err_set(-ENOMEM, path, -1, "no memory to open a file");
    rc = err_agree(comm, rc);
    if (!rc && MPI_Comm_dup(comm, &fh->comm) != MPI_SUCCESS)
        rc = err_set(-EIO, path, -1, "the communicator cannot be duplicated");
    if (rc) {
        free(fh);
        free(copy);
        free(*w);
        return rc;
    }
    fh->path = copy;
    fh->view.unit = 1;
    *out = fh;
    return 0;
}

/* What the info and the mode say; `plan` as for take_info. */
static int take_all(ldad_file fh, struct wish *w, int amode, MPI_Info info,
                    const char *plan)
{
    int rc = take_info(w, info, plan);
    rc = err_agree(fh->comm, rc ? rc : take_amode(fh->path, amode, &fh->flags));
    if (!rc && w->plan_file[0])
        rc = libldad_plan_of(fh->comm, w->plan_file, w->plan, VALUE);
    return rc;
}

static int libldad_open_file(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                             const char *plan, ldad_file *out)
{
    ldad_file fh;
    struct wish *w;
    struct err before = libldad_begin();
    *out = NULL;
    int rc = libldad_make(&fh, comm, path, &w);
    if (rc)
        return libldad_end(&before, rc);
    rc = take_all(fh, w, amode, info, plan);
    if (!rc) {
        bool fresh = amode & MPI_MODE_EXCL;
        if (plan && w->method->partitioned && !(fh->flags & IO_WRITE))
            read_plain(fh->comm, path, w);
        fh->collective = w->collective;
        fh->plain = w->method->plain;
        rc = w->method->unique ? open_unique(fh, w, fh->flags, fresh)
                               : open_whole(fh, w, fh->flags, fresh);
    }
    free(w);
    if (rc)
        libldad_let_go(fh);
    else
        *out = fh;
    return libldad_end(&before, rc);
}

int ldad_file_open(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                   ldad_file *out)
{
    return libldad_open_file(comm, path, amode, info, NULL, out);
}

int ldad_file_open_plan(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                        ldad_file *out, const char *plan, ...)
{
    char text[VALUE];
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

int ldad_file_close(ldad_file *out)
{
    ldad_file fh = *out;
    struct err before = libldad_begin();
    int rc = fh->unique ? unique_close(&fh->unique) : io_file_close(&fh->io);
    libldad_let_go(fh);
    *out = NULL;
    return libldad_end(&before, rc);
}

static int delete_one(const char *path)
{
    if (!unlink(path))
        return 0;
    return err_set(-errno, path, -1, "the file cannot be removed: %s", strerror(errno));
}

static int delete_unique(const char *path, const struct wish *w)
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

/* All of it, or, where partitions are on other nodes' disks, nothing. */
static int delete_container(const char *path)
{
    struct container c;
    int rc = container_read(&c, path);
    if (rc)
        return rc;
    int64_t away = container_away(&c, path, NULL);
    if (away)
        rc = err_set(-EIO, path, -1,
                     "%lld partitions of the container are not found on this node, so "
                     "nothing was removed: ldad rm does it, run on each node",
                     (long long)away);
    if (!rc)
        rc = container_remove_parts(&c, path);
    container_free(&c);
    return rc ? rc : container_remove_common(path);
}

int ldad_file_delete(const char *path, MPI_Info info)
{
    struct err before = libldad_begin();
    struct wish *w = malloc(sizeof *w);
    int rc = w ? take_info(w, info, NULL)
               : err_set(-ENOMEM, path, -1, "no memory to remove a file");
    if (!rc && w->method->unique)
        rc = delete_unique(path, w);
    else if (!rc)
        rc = container_is(path) ? delete_container(path) : delete_one(path);
    free(w);
    return libldad_end(&before, rc);
}

int ldad_file_set_size(ldad_file fh, MPI_Offset size)
{
    struct err before = libldad_begin();
    int rank, rc = 0;
    MPI_Comm_rank(fh->comm, &rank);
    if (fh->unique)
        rc = unique_set_size(fh->unique, size);
    else if (!fh->plain)
        rc = err_set(-EOPNOTSUPP, fh->path, -1,
                     "the size of such a file is not set: it follows from the plan");
    else if (rank == 0 && truncate(fh->path, size))
        rc = err_set(-errno, fh->path, -1, "the size cannot be set: %s",
                     strerror(errno));
    fh->known = 0;
    return libldad_end(&before, err_agree(fh->comm, rc));
}

int ldad_file_sync(ldad_file fh)
{
    struct err before = libldad_begin();
    return libldad_end(&before,
                       fh->unique ? unique_sync(fh->unique) : io_file_sync(fh->io));
}

struct io_file *libldad_io(ldad_file fh)
{
    return fh->io;
}

bool libldad_collective(ldad_file fh)
{
    return fh->collective;
}

struct libldad_view *libldad_view(ldad_file fh)
{
    return &fh->view;
}

int libldad_fail(ldad_file fh, int code, int64_t offset, const char *why)
{
    return class_of(err_set(code, fh->path, offset, "%s", why));
}

/* ---- transfers ------------------------------------------------------------------- */

static bool is_row(MPI_Datatype type)
{
    int ints, addresses, types, combiner, count;
    MPI_Aint address;
    MPI_Datatype inner;
    MPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED)
        return true;
    if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP)
        return false;
    MPI_Type_get_contents(type, ints, addresses, types, &count, &address, &inner);
    bool row = is_row(inner);
    MPI_Type_get_envelope(inner, &ints, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(&inner);
    return row;
}

bool libldad_is_row(MPI_Datatype type, int64_t *size)
{
    int bytes;
    MPI_Aint low, extent;
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &low, &extent);
    *size = bytes;
    return low == 0 && extent == bytes && is_row(type);
}

/* Of a transfer, its bytes, and where it begins in the file. */
static int libldad_measure(ldad_file fh, int64_t *offset, int count, MPI_Datatype type,
                           int64_t *bytes)
{
    const struct libldad_view *v = &fh->view;
    int64_t size, at = *offset;
    bool row = libldad_is_row(type, &size);
    if (row && count >= 0 && at >= 0 && at <= (INT64_MAX - v->displacement) / v->unit) {
        *bytes = count * size;
        *offset = v->displacement + at * v->unit;
        return 0;
    }
    *bytes = *offset = 0;
    return err_set(-EINVAL, fh->path, at,
                   "a transfer of %d elements is not possible: neither it nor its "
                   "offset may be negative, and its datatype is a basic one or a row "
                   "of such",
                   count);
}

/* Of bytes to be read, how many there are: what is behind the end is not read, and no
 * failure. */
static int cut_at_end(ldad_file fh, int64_t offset, int64_t *bytes)
{
    int rc = 0;
    if (*bytes > fh->known - offset)
        rc = io_file_size(fh->io, &fh->known);
    int64_t there = fh->known > offset ? fh->known - offset : 0;
    *bytes = rc ? 0 : *bytes < there ? *bytes : there;
    return rc;
}

static int move_whole(ldad_file fh, enum io_op op, int64_t offset, char *buf,
                      int64_t bytes, int64_t *moved)
{
    int rc = op == IO_OP_READ ? cut_at_end(fh, offset, &bytes) : 0;
    do { /* also of nothing, as others may wait for it */
        int64_t n = fh->collective || bytes < REQUEST_MOST ? bytes : REQUEST_MOST;
        struct io_req req = {.op = op, .buf = buf, .offset = offset, .bytes = n};
        int failed = io_file_transfer(fh->io, &req);
        rc = rc ? rc : failed;
        *moved += req.done;
        buf += n;
        offset += n;
        bytes -= n;
    } while (bytes > 0 && !rc);
    return rc;
}

static int libldad_move(ldad_file fh, enum io_op op, int64_t offset, void *buf,
                        int64_t bytes, int64_t *moved)
{
    if (!fh->unique)
        return move_whole(fh, op, offset, buf, bytes, moved);
    if (op == IO_OP_READ)
        return unique_read(fh->unique, offset, buf, bytes, moved);
    int rc = unique_write(fh->unique, offset, buf, bytes);
    *moved = rc ? 0 : bytes;
    return rc;
}

/* What the program may not do with this file, the same on all ranks. */
static int libldad_refuse(ldad_file fh, bool all, enum io_op op, int64_t offset)
{
    bool reads = op == IO_OP_READ;
    if (fh->collective && !all)
        return err_set(-EOPNOTSUPP, fh->path, offset,
                       "the file is open with a method that makes collective "
                       "transfers: use the calls that end in _all");
    if (fh->flags & (reads ? IO_READ : IO_WRITE))
        return 0;
    return err_set(reads ? -EACCES : -EROFS, fh->path, offset,
                   "the file is not open for %s", reads ? "reading" : "writing");
}

int libldad_transfer(ldad_file fh, bool all, enum io_op op, MPI_Offset at, void *buf,
                     int count, MPI_Datatype type, MPI_Status *status, int64_t *moved)
{
    int64_t bytes, offset = at;
    *moved = 0;
    int rc = libldad_refuse(fh, all, op, offset);
    if (rc)
        return class_of(rc);
    rc = libldad_measure(fh, &offset, count, type, &bytes);
    int failed = rc && !all ? rc : libldad_move(fh, op, offset, buf, bytes, moved);
    rc = rc ? rc : failed;
    if (status != MPI_STATUS_IGNORE) {
        MPI_Status_set_elements_x(status, MPI_BYTE, *moved);
        MPI_Status_set_cancelled(status, 0);
    }
    return class_of(rc);
}

static int transfer(ldad_file fh, bool all, enum io_op op, MPI_Offset offset, void *buf,
                    int count, MPI_Datatype type, MPI_Status *status)
{
    int64_t moved;
    return libldad_transfer(fh, all, op, offset, buf, count, type, status, &moved);
}

int ldad_file_write_at(ldad_file fh, MPI_Offset offset, const void *buf, int count,
                       MPI_Datatype type, MPI_Status *status)
{
    return transfer(fh, false, IO_OP_WRITE, offset, (void *)buf, count, type, status);
}

int ldad_file_write_at_all(ldad_file fh, MPI_Offset offset, const void *buf, int count,
                           MPI_Datatype type, MPI_Status *status)
{
    return transfer(fh, true, IO_OP_WRITE, offset, (void *)buf, count, type, status);
}

int ldad_file_read_at(ldad_file fh, MPI_Offset offset, void *buf, int count,
                      MPI_Datatype type, MPI_Status *status)
{
    return transfer(fh, false, IO_OP_READ, offset, buf, count, type, status);
}

int ldad_file_read_at_all(ldad_file fh, MPI_Offset offset, void *buf, int count,
                          MPI_Datatype type, MPI_Status *status)
{
    return transfer(fh, true, IO_OP_READ, offset, buf, count, type, status);
}

#include "ldad/measure/timed.h"
#include "base/err.h"
#include "base/mem.h"
#include "ldad/lib/libldad.h"
#include "ldad/lib/unique.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

struct timed_open_file {
    ldad_file file;
    MPI_Comm comm;
    bool reads;
    char path[PATH_ROOM];
};

static struct timed *t;

void timed_use(struct timed *use)
{
    t = use;
}

/* Keeps the first failure of this rank as the run's. */
static int timed_note(int code)
{
    if (code != MPI_SUCCESS && !t->run->failed)
        t->run->failed = err_get()->code ? err_get()->code : -EIO;
    return code;
}

/* ---- open and close -------------------------------------------------------------- */

/* Builds the path of this rank's own file of that name, or of the shared one. */
static int timed_path_of(char out[PATH_ROOM], const char *path)
{
    if (t->unique)
        return unique_path(out, PATH_ROOM, path, t->run->world.rank);
    return snprintf(out, PATH_ROOM, "%s", path) < PATH_ROOM ? 0 : -ENAMETOOLONG;
}

/* Drops a file from the cache before it is read, and after writing has ended: each rank
 * drops its own file or partition, and one rank of each node a shared file; all wait
 * for it. */
static void timed_empty_cache(MPI_Comm comm, const char *path)
{
    struct run *r = t->run;
    char mine[PATH_ROOM];
    int64_t bytes = 0;
    for (int64_t i = 0; i < t->map->plan.ranks; i++)
        bytes += i == r->world.rank || !t->unique ? ldad_map_bytes(t->map, i) : 0;
    if (r->partitioned)
        run_empty_cache_parts(r, path, r->world.rank);
    else if ((t->unique || r->world.node_rank == 0) && !timed_path_of(mine, path))
        run_empty_cache(r, mine, bytes);
    enum act before = phase_act(r->phase, ACT_IDLE);
    MPI_Barrier(comm);
    phase_act(r->phase, before);
}

int timed_file_open(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                    timed_file *out)
{
    struct run *r = t->run;
    timed_file fh = mem_of(path, 1, sizeof *fh, "an open file");
    *out = fh;
    if (!fh && !r->failed)
        r->failed = -ENOMEM;
    if ((amode & MPI_MODE_RDONLY) && io_engine_stores(r->engine))
        timed_empty_cache(comm, path);
    enum act before = phase_act(r->phase, ACT_IDLE);
    r->failed = err_agree(comm, r->failed);
    phase_act(r->phase, ACT_OPEN_CLOSE);
    int64_t begin_ns = r->phase->switch_ns;
    int64_t header_ns = io_header_ns();
    if (!r->failed) {
        fh->comm = comm;
        fh->reads = !(amode & MPI_MODE_WRONLY);
        snprintf(fh->path, sizeof fh->path, "%s", path);
        timed_note(ldad_file_open(comm, path, amode, info, &fh->file));
    }
    phase_act(r->phase, before);
    if (!r->failed)
        phase_op(r->phase, amode & MPI_MODE_CREATE ? PHASE_OP_CREATE : PHASE_OP_OPEN,
                 begin_ns, r->phase->switch_ns);
    run_charge_header(r, header_ns);
    if (r->failed) {
        free(fh);
        *out = NULL;
        return MPI_ERR_IO;
    }
    if (!r->described)
        run_describe(r, libldad_io(fh->file), libldad_collective(fh->file), 1);
    return MPI_SUCCESS;
}

int timed_file_close(timed_file *out)
{
    timed_file fh = *out;
    enum act before = phase_act(t->run->phase, ACT_IDLE);
    MPI_Barrier(fh->comm); /* else closing is charged for slower ranks */
    phase_act(t->run->phase, ACT_OPEN_CLOSE);
    int64_t begin_ns = t->run->phase->switch_ns;
    if (libldad_io(fh->file)) {
        struct io_partition stored = io_file_partition(libldad_io(fh->file));
        t->run->misfits[0] += stored.misfits;
        t->run->misfits[1] += stored.misfit_bytes;
    }
    int64_t header_ns = io_header_ns();
    int code = timed_note(ldad_file_close(&fh->file));
    phase_act(t->run->phase, before);
    phase_op(t->run->phase, PHASE_OP_CLOSE, begin_ns, t->run->phase->switch_ns);
    run_charge_header(t->run, header_ns);
    free(fh);
    *out = NULL;
    return code;
}

/* Syncs a file. After a failure nothing is worth syncing, and the libraries may
 * hang. */
int timed_file_sync(timed_file fh)
{
    struct run *r = t->run;
    enum act before = phase_act(r->phase, ACT_IDLE);
    int failed = err_agree(fh->comm, r->failed);
    int code = MPI_SUCCESS;
    if (!failed && r->flush) {
        phase_act(r->phase, ACT_SYNC);
        code = timed_note(ldad_file_sync(fh->file));
        phase_act(r->phase, ACT_IDLE);
        MPI_Barrier(fh->comm); /* else pages are dropped before they are written */
        if (fh->reads && io_engine_stores(r->engine))
            timed_empty_cache(fh->comm, fh->path);
    }
    phase_act(r->phase, before);
    return code;
}

int timed_barrier(MPI_Comm comm)
{
    enum act before = phase_act(t->run->phase, ACT_IDLE);
    int code = MPI_Barrier(comm);
    phase_act(t->run->phase, before);
    return code;
}

int timed_file_remove(const char *path)
{
    struct run *r = t->run;
    char mine[PATH_ROOM];
    MPI_Comm comm = t->unique ? MPI_COMM_SELF : r->world.comm;
    int rc = timed_path_of(mine, path);
    if (rc)
        rc = err_set(rc, path, -1, "the path is too long");
    else
        run_stripes(r, mine);
    if (!rc && r->options->keep && !r->failed)
        io_file_keep(comm, mine);
    else if (!rc)
        rc = io_file_remove(comm, mine);
    return err_agree(r->world.comm, rc);
}

/* ---- transfers ------------------------------------------------------------------- */

/* Counts those of these bytes that another rank wrote. */
static void count_foreign(int64_t offset, int64_t bytes)
{
    enum act before = phase_act(t->run->phase, ACT_CHECK);
    t->read_bytes += bytes;
    while (bytes > 0) {
        struct ldad_run run = ldad_map_run(t->map, offset, bytes);
        t->foreign_bytes += run.rank == t->run->world.rank ? 0 : run.bytes;
        offset += run.bytes;
        bytes -= run.bytes;
    }
    phase_act(t->run->phase, before);
}

static int timed_transfer(timed_file fh, enum act a, MPI_Offset offset, void *buf,
                          int count, MPI_Datatype type, MPI_Status *status)
{
    struct run *r = t->run;
    int size;
    if (r->failed && !libldad_collective(fh->file))
        return MPI_ERR_IO;
    MPI_Type_size(type, &size);
    enum act before = phase_act(r->phase, a);
    int64_t begin_ns = r->phase->switch_ns;
    int code = a == ACT_READ
                   ? ldad_file_read_at_all(fh->file, offset, buf, count, type, status)
                   : ldad_file_write_at_all(fh->file, offset, buf, count, type, status);
    phase_act(r->phase, before);
    if (timed_note(code) == MPI_SUCCESS && count)
        phase_transfer(r->phase, a, (int64_t)count * size, begin_ns,
                       r->phase->switch_ns);
    return code;
}

int timed_file_write_at_all(timed_file fh, MPI_Offset offset, const void *buf,
                            int count, MPI_Datatype type, MPI_Status *status)
{
    return timed_transfer(fh, ACT_WRITE, offset, (void *)buf, count, type, status);
}

int timed_file_read_at_all(timed_file fh, MPI_Offset offset, void *buf, int count,
                           MPI_Datatype type, MPI_Status *status)
{
    int size;
    MPI_Type_size(type, &size);
    snprintf(t->path, sizeof t->path, "%s", fh->path);
    count_foreign(offset, (int64_t)count * size);
    return timed_transfer(fh, ACT_READ, offset, buf, count, type, status);
}

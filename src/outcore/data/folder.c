#include "outcore/data/folder.h"
#include "base/err.h"
#include "base/units.h"
#include "run/lanes.h"
#include "run/set.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

int data_folder_of(const char *path, char folder[DATA_FOLDER_PATH], const char **name)
{
    const char *slash = strrchr(path, '/');
    int n = snprintf(folder, DATA_FOLDER_PATH, "%.*s",
                     slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
    *name = slash ? slash + 1 : path;
    return n < DATA_FOLDER_PATH
               ? 0
               : err_set(-ENAMETOOLONG, path, -1, "the path is too long");
}

int data_folder_create(struct run *r, struct data_folder *d)
{
    struct io_folder *folder;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int rc = err_agree(r->world.comm, r->failed);
    if (!rc)
        rc = io_folder_open(&folder, r->world.comm, d->path, IO_WRITE | IO_CREATE);
    if (!rc)
        io_folder_close(&folder);
    d->made |= !rc;
    phase_act(r->phase, before);
    run_fail(r, rc);
    return rc;
}

int64_t data_folder_room(const struct documents *d)
{
    return units_round_up(documents_most(d), IO_DIRECT_ALIGN);
}

static void write_one(struct run_set *s, const struct data_fill *f, int64_t i)
{
    char name[RUN_SET_NAME];
    const struct documents *d = f->documents;
    struct io_whole w = {.name = run_set_member(i, name),
                         .buf = s->run->buffer,
                         .room = data_folder_room(d),
                         .bytes = documents_size(d, i)};
    enum act before = phase_act(s->run->phase, ACT_CHECK);
    documents_make(d, i, w.buf);
    phase_act(s->run->phase, before);
    run_whole_write(s, &w, f->how, f->sync_each);
}

static void fill_share(struct run *r, void *fill)
{
    const struct data_fill *f = fill;
    int lanes = r->lanes - f->first_lane, ranks = r->workers / r->lanes;
    int w = r->worker / r->lanes * lanes + r->lane - f->first_lane, n = ranks * lanes;
    struct run_set s;
    if (r->lane < f->first_lane)
        return;
    int64_t end = units_part(f->documents->n, w + 1, n);
    run_set_input(&s, r, f->folder->path);
    run_set_open(&s, IO_WRITE);
    for (int64_t i = units_part(f->documents->n, w, n); i < end && !r->failed; i++) {
        write_one(&s, f, i);
        progress_step(&r->progress, 1, r->phase->name);
    }
    run_set_close(&s, f->sync_end);
}

void data_folder_fill(struct run *r, const struct data_fill *fill)
{
    struct data_fill f = *fill;
    run_lanes(r, fill_share, &f);
}

/* Removes the directory, after all ranks have agreed, and so have closed it. */
int data_folder_remove(struct run *r, struct data_folder *d)
{
    struct io_folder *folder = NULL;
    int rc = err_agree(r->world.comm, 0);
    if (rc || !d->made)
        return rc;
    d->made = false;
    if (r->world.rank == 0)
        rc = io_folder_open(&folder, MPI_COMM_NULL, d->path,
                            IO_READ | IO_WRITE | IO_LOCAL);
    if (folder && !rc)
        rc = io_folder_empty(folder);
    io_folder_close(&folder);
    rc = err_agree(r->world.comm, rc);
    int removed = io_file_remove(r->world.comm, d->path);
    return rc ? rc : removed;
}

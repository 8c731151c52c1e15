#include "outcore/ngram/load.h"
#include "base/buf.h"
#include "base/err.h"
#include "io/whole.h"
#include "outcore/data/folder.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file -------------------------------------------------------------------- */

static int read_parts(struct io_folder *d, struct io_whole *w, char **text)
{
    int rc = io_whole_open(d, w);
    if (!rc && w->size > LANGUAGES_BYTES_MAX)
        rc = err_set(-EFBIG, w->name, -1,
                     "the model has %lld bytes, and more than %d are too many",
                     (long long)w->size, LANGUAGES_BYTES_MAX);
    *text = rc ? NULL : malloc((size_t)w->size + 1);
    if (!rc && !*text)
        rc = err_set(-ENOMEM, w->name, -1, "no memory for the model's %lld bytes",
                     (long long)w->size);
    while (!rc && w->at < w->size) {
        w->buf = *text + w->at;
        w->room = w->size - w->at;
        rc = io_whole_part(d, w);
    }
    return rc;
}

static int read_file(const char *path, char **text, int64_t *bytes)
{
    char folder[DATA_FOLDER_PATH];
    struct io_folder *d = NULL;
    struct io_whole w = {.fd = -1};
    int rc = data_folder_of(path, folder, &w.name);
    if (!rc && !*w.name)
        rc = err_set(-EISDIR, path, -1, "the model is a directory, and must be a file");
    if (rc)
        return rc;
    rc = io_folder_open(&d, MPI_COMM_NULL, folder, IO_READ | IO_LOCAL);
    rc = rc ? rc : read_parts(d, &w, text);
    if (w.fd >= 0)
        io_whole_close(d, &w);
    io_folder_close(&d);
    *bytes = w.at;
    return rc;
}

int load_model(const struct run *r, const char *path, struct languages *m)
{
    char *text = NULL;
    int64_t bytes = 0;
    int rc = r->world.rank ? 0 : read_file(path, &text, &bytes);
    rc = err_agree(r->world.comm, rc);
    if (!rc) {
        MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, r->world.comm);
        text = r->world.rank ? malloc((size_t)bytes + 1) : text;
        rc = text ? 0
                  : err_set(-ENOMEM, path, -1, "no memory for the model's %lld bytes",
                            (long long)bytes);
        rc = err_agree(r->world.comm, rc);
    }
    if (!rc) {
        MPI_Bcast(text, (int)bytes, MPI_BYTE, 0, r->world.comm);
        rc = err_agree(r->world.comm, languages_parse(m, path, text, bytes));
    }
    free(text);
    return rc;
}

/* ---- tables ---------------------------------------------------------------------- */

static int share(struct load_tables *t, int64_t bytes, bool first)
{
    MPI_Aint all = (MPI_Aint)(first ? bytes : 0);
    int unit;
    if (MPI_Win_allocate_shared(all, 1, MPI_INFO_NULL, t->node, &t->memory,
                                &t->window) != MPI_SUCCESS)
        return err_set(-ENOMEM, NULL, -1,
                       "no memory of %lld bytes that the ranks of a node share",
                       (long long)bytes);
    MPI_Win_shared_query(t->window, 0, &all, &unit, &t->memory);
    return 0;
}

int load_tables_open(struct run *r, struct load_tables *t, const struct languages *m,
                     const struct classifier_how *how, struct classifier *c)
{
    int64_t bytes = classifier_memory(m, how);
    bool first = r->world.node_rank == 0;
    *t = (struct load_tables){.window = MPI_WIN_NULL, .open = true};
    MPI_Comm_split(r->world.comm, r->world.node, r->world.rank, &t->node);
    MPI_Comm_set_errhandler(t->node, MPI_ERRORS_RETURN);
    int rc = r->world.node_ranks > 1 ? share(t, bytes, first)
                                     : buf_reserve_huge(&t->memory, bytes, "tables");
    rc = err_agree(r->world.comm, rc);
    if (rc)
        return rc;
    if (first)
        memset(t->memory, 0, (size_t)bytes);
    if (t->window != MPI_WIN_NULL)
        MPI_Win_lock_all(MPI_MODE_NOCHECK, t->window);
    classifier_make(c, m, how, t->memory, first);
    if (t->window != MPI_WIN_NULL)
        MPI_Win_sync(t->window);
    world_barrier(t->node);
    if (t->window != MPI_WIN_NULL)
        MPI_Win_sync(t->window);
    return 0;
}

void load_tables_close(struct load_tables *t)
{
    if (!t->open)
        return;
    if (t->window != MPI_WIN_NULL) {
        MPI_Win_unlock_all(t->window);
        MPI_Win_free(&t->window);
    } else {
        buf_free(t->memory);
    }
    MPI_Comm_free(&t->node);
    t->open = false;
}

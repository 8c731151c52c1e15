#include "outcore/data/folder.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "run/lanes.h"
#include "run/set.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

static void folder_write_one(struct run_set *s, const struct data_fill *f, int64_t i)
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
        folder_write_one(&s, f, i);
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

/* ---- made folders ---------------------------------------------------------------- */

enum { PHRASE_MOST = 255, FILE_MOST = 64 << 20 };

/* ---- phrases --------------------------------------------------------------------- */

static int read_text(struct plant *p, FILE *in, const char *path)
{
    size_t n = 0, room = 1 << 16;
    for (;; room *= 2) {
        char *text = room > FILE_MOST ? NULL : realloc(p->text, room);
        if (!text)
            return mem_none(path, (int64_t)room, "the phrases");
        p->text = text;
        n += fread(text + n, 1, room - 1 - n, in);
        if (n < room - 1)
            break;
    }
    p->text[n] = 0;
    if (ferror(in))
        return err_set(-EIO, path, -1, "the phrases cannot be read");
    return strlen(p->text) == n ? 0
                                : err_set(-EINVAL, path, (int64_t)strlen(p->text),
                                          "phrases are text, and this is a zero byte");
}

static int folder_add(struct plant *p, char *line, const char *path)
{
    if (strlen(line) > PHRASE_MOST || strpbrk(line, "<>&"))
        return err_set(-EINVAL, path, line - p->text,
                       "a phrase has %d bytes at most, and none of < > &", PHRASE_MOST);
    if (p->n == p->most) {
        int64_t most = 2 * p->most + 1024;
        const char **phrase = mem_grow(p->phrase, most, sizeof *phrase, "the phrases");
        if (!phrase)
            return -ENOMEM;
        p->phrase = phrase;
        p->most = most;
    }
    p->phrase[p->n++] = line;
    return 0;
}

static int folder_split(struct plant *p, const char *path)
{
    int rc = 0;
    char *rest = NULL;
    for (char *line = strtok_r(p->text, "\r\n", &rest); line && !rc;
         line = strtok_r(NULL, "\r\n", &rest))
        rc = folder_add(p, line, path);
    if (!rc && !p->n)
        rc = err_set(-EINVAL, path, -1, "there is no phrase in it");
    return rc;
}

int plant_read(struct plant *p, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return err_set(-errno, path, -1, "the phrases cannot be opened: %s",
                       strerror(errno));
    int rc = read_text(p, in, path);
    fclose(in);
    return rc ? rc : folder_split(p, path);
}

void plant_free(struct plant *p)
{
    free(p->text);
    free(p->phrase);
    *p = (struct plant){.n = 0};
}

/* ---- the truth ------------------------------------------------------------------- */

struct truth {
    const struct documents *d;
    FILE *out;
    char name[RUN_SET_NAME];
};

static void write_line(void *truth, int64_t at, int64_t phrase)
{
    const struct truth *t = truth;
    const char *text = t->d->phrase[phrase];
    fprintf(t->out, "%s\t%lld\t%zu\t%s\n", t->name, (long long)at, strlen(text), text);
}

int plant_truth(const struct documents *d, const char *path, void *room)
{
    struct truth t = {.d = d, .out = fopen(path, "wxb")};
    if (!t.out)
        return err_set(-errno, path, -1, "the truth cannot be written: %s",
                       strerror(errno));
    for (int64_t i = 0; i < d->n; i++) {
        run_set_member(i, t.name);
        documents_truth(d, i, room, write_line, &t);
    }
    int bad = ferror(t.out);
    if (fclose(t.out) || bad)
        return err_set(-EIO, path, -1, "the truth cannot be written in full");
    return 0;
}

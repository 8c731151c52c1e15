#include "outcore/data/output.h"
#include "base/err.h"
#include "base/format/outfile.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH 4096

/* ---- names ----------------------------------------------------------------------- */

/* The number of the part file of a worker; with --merge=single only each rank's first
 * lane writes. */
static int output_part_of(const struct run *r, const struct output *o, int lane)
{
    return r->world.rank * o->writers + lane;
}

/* Room for the part's number, and for the temporary name. */
enum { NAME_MORE = 128 };

static int name_final(const struct run *r, const struct output *o, int lane,
                      char name[PATH])
{
    int n = r->shared
                ? snprintf(name, PATH, "%s", o->path)
                : snprintf(name, PATH, "%s.%06d", o->path, output_part_of(r, o, lane));
    return n < PATH - NAME_MORE
               ? 0
               : err_set(-ENAMETOOLONG, o->path, -1, "the path is too long");
}

static void folder_of(const char *path, char folder[PATH])
{
    snprintf(folder, PATH, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    else
        snprintf(folder, PATH, ".");
}

/* Makes the temporary name, beside the final one and formed as names in --dir are: the
 * next run reports leftovers. */
static void name_now(struct run *r, const struct output *o, int lane, char name[PATH])
{
    char which[32] = "", folder[PATH];
    if (!r->shared)
        snprintf(which, sizeof which, ".%06d", output_part_of(r, o, lane));
    run_path(r, o->role, which, name, PATH);
    if (!o->path)
        return;
    char *last = strrchr(name, '/'), file[NAME_MORE + 128];
    snprintf(file, sizeof file, "%s", last ? last + 1 : name);
    folder_of(o->path, folder);
    snprintf(name, PATH, "%.*s/%s", PATH - (int)sizeof file - 2, folder, file);
}

/* ---- the plan -------------------------------------------------------------------- */

static int refuse_place(int rc, const char *name, const char *why)
{
    return err_set(rc, name, -1, "the output cannot be written: %s", why);
}

/* Checks the path: an output is written at many offsets by many ranks, so it must be a
 * regular file. */
static int check_what_is_there(const struct run *r, const struct output *o, int lane,
                               struct outfile_place *at)
{
    char name[PATH];
    int rc = name_final(r, o, lane, name);
    if (rc)
        return rc;
    rc = outfile_find(at, name, OUTFILE_WHOLE);
    if (at->there && !o->overwrite)
        return err_set(-EEXIST, name, -1,
                       "the output exists: choose another --output, remove it, or say "
                       "--overwrite");
    if (o->folder && at->there)
        return rc == -EISDIR ? 0 : refuse_place(-ENOTDIR, name, "it is no directory");
    if (!rc && !r->shared && strcmp(name, at->path) != 0)
        return refuse_place(-ELOOP, name, "it is a symbolic link");
    return rc ? refuse_place(rc, name, at->why) : 0;
}

/* Resolves the place of a shared file: the target of a link, beside which it
 * is made. */
static int plan_place(struct run *r, struct output *o)
{
    static struct outfile_place at;
    int rc = 0;
    for (int i = 0; i < o->writers && !rc; i++)
        rc = check_what_is_there(r, o, i, &at);
    if (!rc && r->shared)
        o->path = at.path;
    return rc;
}

int output_plan(struct run *r, struct output *o)
{
    static char folder[PATH];
    struct opt *dir = opt_find(r->program, "dir");
    int rc = 0;
    o->of = mem_new(r->lanes, sizeof *o->of, "files");
    if (!o->of)
        return -ENOMEM;
    if (r->shared && r->io_flags & IO_DIRECT &&
        !(o->edge = mem_new(r->lanes, sizeof *o->edge, "files")))
        return -ENOMEM;
    if (!o->path)
        return 0;
    if (strlen(o->path) >= PATH - NAME_MORE)
        return err_set(-ENAMETOOLONG, o->path, -1, "the path is too long");
    rc = plan_place(r, o);
    if (dir->from == OPT_DEFAULT) {
        folder_of(o->path, folder);
        r->options->dir = folder;
    }
    return rc;
}

int output_apart(const struct output *o, const char *input)
{
    struct stat in, out;
    if (!input || !o->path || stat(input, &in) || stat(o->path, &out) ||
        in.st_dev != out.st_dev || in.st_ino != out.st_ino)
        return 0;
    return err_usage("--input=%s and --output=%s are the same file: the input is never "
                     "changed",
                     input, o->path);
}

/* ---- the files ------------------------------------------------------------------- */

/* Reports leftovers in the output's directory, if that is not --dir. */
static void tell_leftovers(struct run *r, const struct output *o)
{
    char folder[PATH];
    if (!o->path || r->rep > 1)
        return;
    folder_of(o->path, folder);
    if (strcmp(folder, r->options->dir) != 0)
        run_leftovers(r, folder, "outcore-");
}

static void name_files(struct run *r, struct output *o, int64_t bytes,
                       int64_t max_request, int depth)
{
    char name[PATH];
    for (int i = 0; i < o->writers; i++) {
        name_now(r, o, i, name);
        run_file_at(&o->of[i], run_lane_of(r, i), name, r->shared, true,
                    r->shared ? bytes : 0, max_request, depth);
        if (!o->edge)
            continue;
        run_file_at(&o->edge[i], run_lane_of(r, i), name, true, true, bytes,
                    IO_DIRECT_ALIGN, 1);
        o->edge[i].without = IO_DIRECT;
    }
}

int output_open(struct run *r, struct output *o, int64_t bytes, int64_t max_request,
                int depth)
{
    tell_leftovers(r, o);
    name_files(r, o, bytes, max_request, depth);
    int rc = run_file_open_lanes(o->of, o->writers, IO_WRITE | IO_CREATE);
    if (!rc && o->edge)
        rc = run_file_open_lanes(o->edge, o->writers, IO_WRITE);
    return rc;
}

int output_close(struct run *r, struct output *o, bool written)
{
    if (o->edge && o->edge->run)
        run_file_close_lanes(o->edge, o->writers, written);
    return o->of->run ? run_file_close_lanes(o->of, o->writers, written) : r->failed;
}

int output_read(struct output *o)
{
    return run_file_open_lanes(o->of, o->writers, IO_READ);
}

/* ---- the end --------------------------------------------------------------------- */

/* Renames the output. A file that has appeared there meanwhile stays, if the file
 * system can check it. */
static int output_rename(const char *from, const char *to, bool overwrite)
{
    int rc = outfile_rename(from, to, overwrite);
    return rc ? err_set(rc, to, -1, "the complete output cannot be given its name: %s",
                        strerror(-rc))
              : 0;
}

static int sync_folder_of(const char *path)
{
    char folder[PATH];
    folder_of(path, folder);
    int rc = scratch_sync_folder(folder);
    return rc ? err_set(rc, folder, -1, "the directory cannot be synced: %s",
                        strerror(-rc))
              : 0;
}

/* Gives one file its name, on the rank that made it. */
static int give_name(struct run *r, const struct output *o, int lane)
{
    char now[PATH], name[PATH];
    name_now(r, o, lane, now);
    int rc = name_final(r, o, lane, name);
    if (!rc)
        rc = output_rename(now, name, o->overwrite);
    if (!rc && r->flush)
        rc = sync_folder_of(name);
    return rc;
}

static int give_names(struct run *r, const struct output *o)
{
    int rc = 0;
    char now[PATH];
    for (int i = 0; i < o->writers && !rc; i++)
        rc = r->shared && (i || r->world.rank) ? 0 : give_name(r, o, i);
    rc = err_agree(r->world.comm, rc);
    for (int i = 0; i < o->writers && !rc; i++) {
        name_now(r, o, i, now);
        scratch_forget(now);
    }
    return rc;
}

static void close_left(struct run *r, struct output *o)
{
    for (int i = 0; i < o->writers; i++) {
        if (o->edge && o->edge[i].io)
            run_fail(r, io_file_close(&o->edge[i].io));
        if (o->of[i].io)
            run_fail(r, io_file_close(&o->of[i].io));
    }
}

/* Removes the files. --keep does not apply to outputs with a name: a half-made one is
 * of no use. */
static int remove_files(struct run *r, struct output *o)
{
    int rc = 0;
    char now[PATH];
    close_left(r, o);
    for (int i = 0; i < (r->shared ? 1 : o->writers); i++) {
        name_now(r, o, i, now);
        int removed = io_file_remove(o->of->comm, now);
        rc = rc ? rc : removed;
    }
    return err_agree(r->world.comm, rc);
}

int output_settle(struct run *r, struct output *o, bool done)
{
    int rc = 0;
    if (!o->of || !o->of->run)
        return 0;
    if (o->path && done)
        rc = give_names(r, o);
    if (o->path && done && !rc)
        return 0;
    int removed =
        o->path ? remove_files(r, o) : run_file_remove_lanes(o->of, o->writers);
    return rc ? rc : removed;
}

void output_folder(struct run *r, const struct output *o, char path[PATH])
{
    tell_leftovers(r, o);
    name_now(r, o, 0, path);
}

int output_folder_done(struct run *r, const struct output *o)
{
    char now[PATH];
    int rc = o->path && r->world.rank == 0 ? give_name(r, o, 0) : 0;
    rc = err_agree(r->world.comm, rc);
    name_now(r, o, 0, now);
    if (!rc)
        scratch_forget(now);
    return rc;
}

void output_free(struct output *o)
{
    free(o->of);
    free(o->edge);
    o->of = o->edge = NULL;
}

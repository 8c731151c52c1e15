#include "pfmload/input/dest.h"
#include "base/err.h"
#include "base/scratch.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---------------------------------------------------------------------- */

int dest_name(struct dest *d, const char *dir, const char *output)
{
    bool absolute = output[0] == '/';
    memset(d, 0, sizeof *d);
    int n = snprintf(d->handle, sizeof d->handle, "%s%s%s", absolute ? "" : dir,
                     absolute ? "" : "/", output);
    if (n > PFM_PATH / 2)
        return err_set(-ENAMETOOLONG, output, -1, "the path of the PFM is too long");
    snprintf(d->data, PFM_PATH, "%.4000s.data", d->handle);
    return 0;
}

void dest_name_part(struct dest *d, const char *id)
{
    const char *name = strrchr(d->handle, '/');
    snprintf(d->part, PFM_PATH, "%.2048s.%.64s", d->handle, id);
    snprintf(d->part_handle, PFM_PATH, "%.2148s/%.255s", d->part,
             name ? name + 1 : d->handle);
    snprintf(d->part_data, PFM_PATH, "%.4000s.data", d->part_handle);
}

int dest_check(struct dest *d, bool replaces)
{
    struct stat st;
    bool handle = !lstat(d->handle, &st), data = !lstat(d->data, &st);
    d->replaces = replaces && (handle || data);
    if ((handle || data) && !replaces)
        return err_set(-EEXIST, handle ? d->handle : d->data, -1,
                       "this PFM is there already and is left as it is: remove it, or "
                       "give --overwrite or --append");
    if (d->replaces && data && !S_ISDIR(st.st_mode))
        return err_set(-ENOTDIR, d->data, -1, "the PFM's directory is not a directory");
    return handle ? pfm_check_handle(d->handle) : 0;
}

/* ---- making and unmaking -------------------------------------------------------- */

int dest_begin(struct dest *d)
{
    int rc = scratch_create_folder(d->part);
    return rc ? rc : scratch_create_folder(d->part_data);
}

/* A folder without folders in it. What cannot be removed now, as when no descriptor is
 * left to look into it with, is owed until the end. */
static void remove_folder(const char *path)
{
    char file[8192];
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        unlink(file);
        scratch_forget(file);
    }
    if (dir)
        closedir(dir);
    if (!rmdir(path) || errno == ENOENT)
        scratch_forget(path);
}

void dest_remove(struct dest *d)
{
    remove_folder(d->part_data);
    remove_folder(d->part);
}

static int sync_folder(const char *path)
{
    int rc = scratch_sync_folder(path);
    return rc ? err_set(rc, path, -1, "the directory cannot be synced: %s",
                        strerror(-rc))
              : 0;
}

static int dest_move(const char *from, const char *to)
{
    if (!rename(from, to))
        return 0;
    return err_set(-errno, to, -1, "the complete PFM cannot be given its name: %s",
                   strerror(errno));
}

/* Changes places with the folder that is there, at once where the system can. The old
 * one ends up under the temporary name. */
static int dest_exchange(struct dest *d)
{
    char old[4200];
    if (!renameat2(AT_FDCWD, d->part_data, AT_FDCWD, d->data, RENAME_EXCHANGE))
        return 0;
    if (errno == ENOENT) /* a handle without its folder */
        return dest_move(d->part_data, d->data);
    snprintf(old, sizeof old, "%s.old", d->part_data);
    int rc = dest_move(d->data, old);
    if (!rc && (rc = dest_move(d->part_data, d->data)))
        dest_move(old, d->data);
    return rc ? rc : dest_move(old, d->part_data);
}

static int sync_parent(const struct dest *d)
{
    char parent[4096];
    snprintf(parent, sizeof parent, "%s", d->handle);
    char *slash = strrchr(parent, '/');
    if (slash)
        slash[slash == parent] = 0;
    return sync_folder(slash ? parent : ".");
}

void dest_forget(const struct dest *d)
{
    static const char *const suffixes[] = {"ctl", "lin", "bin", "ndx", "cvg"};
    char path[PFM_PATH];
    for (int i = 0; i < 5; i++)
        if (!pfm_path(path, d->part_handle, suffixes[i]))
            scratch_forget(path);
    scratch_forget(d->part_handle);
    scratch_forget(d->part_data);
}

/* What was there gets its name back, and what has no handle file loses it. */
static void take_back(struct dest *d)
{
    struct stat st;
    if (lstat(d->part_data, &st))
        rename(d->data, d->part_data);
    else
        dest_exchange(d);
}

static int publish_handle(struct dest *d)
{
    int rc = sync_parent(d);
    if (!rc)
        rc = dest_move(d->part_handle, d->handle);
    if (rc)
        take_back(d);
    return rc;
}

int dest_publish(struct dest *d)
{
    int rc = sync_folder(d->part_data);
    if (rc)
        return rc;
    dest_forget(d); /* from here on a signal must not remove what has its name */
    rc = d->replaces ? dest_exchange(d) : dest_move(d->part_data, d->data);
    if (!rc)
        rc = publish_handle(d);
    if (!rc)
        rc = sync_parent(d);
    if (!rc)
        dest_remove(d);
    return rc;
}

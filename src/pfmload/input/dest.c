#include "pfmload/input/dest.h"
#include "base/err.h"
#include "base/scratch.h"
#include "io/lock.h"
#include "world/world.h"
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
    *d = (struct dest){.lock = -1};
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

/* ---- others ---------------------------------------------------------------------- */

int dest_lock(struct dest *d)
{
    char owner[LOCK_OWNER], *name = strrchr(d->handle, '/');
    snprintf(d->lock_path, PFM_PATH, "%.*s.%.255s.lock", (int)(name + 1 - d->handle),
             d->handle, name + 1);
    watchdog_arm_as_set("locking", d->handle);
    int rc = lock_name(d->lock_path, &d->lock, owner);
    watchdog_disarm();
    if (rc == -EBUSY)
        return err_set(rc, d->handle, -1,
                       "another load is making or changing this PFM (%s): wait until "
                       "it has ended, or end it",
                       owner[0] ? owner : "unknown which");
    if (!rc && (rc = scratch_add(d->lock_path)))
        lock_end(d->lock_path, &d->lock);
    return rc;
}

void dest_unlock(struct dest *d)
{
    if (!d->lock_path[0])
        return;
    lock_end(d->lock_path, &d->lock);
    scratch_forget(d->lock_path);
}

/* The state of a handle file and of the data beside the handle `beside`. */
static struct dest_state state_of(const char *handle, const char *beside)
{
    static const char *const suffix[DEST_FILES] = {NULL,  "ctl", "lin",
                                                   "bin", "ndx", "cvg"};
    struct dest_state s = {0};
    char path[PFM_PATH];
    struct stat st;
    for (int i = 0; i < DEST_FILES; i++) {
        bool named = !suffix[i] || !pfm_path(path, beside, suffix[i]);
        if (!named || stat(suffix[i] ? path : handle, &st))
            continue;
        s.file[i].inode = (int64_t)st.st_ino;
        s.file[i].bytes = st.st_size;
        s.file[i].modified_s = st.st_mtim.tv_sec;
        s.file[i].modified_ns = st.st_mtim.tv_nsec;
    }
    return s;
}

static int check_state(const struct dest *d, const char *beside)
{
    struct dest_state now = state_of(d->handle, beside);
    if (!memcmp(&now, &d->base, sizeof now))
        return 0;
    return err_set(-ESTALE, d->handle, -1,
                   "another program has made, changed or removed this PFM since this "
                   "load first looked at it: it is left as it is, and nothing of this "
                   "load is in it; start the load again");
}

int dest_check_base(const struct dest *d)
{
    return check_state(d, d->handle);
}

/* Checks the kinds of files. A link would be replaced, and its target would stay as
 * it was. */
static int check_kinds(const char *handle, mode_t handle_mode, const char *data,
                       mode_t data_mode)
{
    if (S_ISLNK(handle_mode) || S_ISLNK(data_mode))
        return err_set(-ELOOP, S_ISLNK(handle_mode) ? handle : data, -1,
                       "this is a symbolic link, which a load would replace: name the "
                       "PFM that it leads to");
    if (handle_mode && !S_ISREG(handle_mode))
        return err_set(-EINVAL, handle, -1, "this is no regular file, and so no PFM");
    if (data_mode && !S_ISDIR(data_mode))
        return err_set(-ENOTDIR, data, -1, "the PFM's directory is not a directory");
    return 0;
}

int dest_check(struct dest *d, bool replaces)
{
    struct stat handle = {0}, data = {0};
    bool there = !lstat(d->handle, &handle);
    there |= !lstat(d->data, &data);
    d->replaces = replaces && there;
    if (there && !replaces)
        return err_set(-EEXIST, handle.st_mode ? d->handle : d->data, -1,
                       "this PFM is there already and is left as it is: remove it, or "
                       "give --overwrite or --append");
    int rc = check_kinds(d->handle, handle.st_mode, d->data, data.st_mode);
    if (!rc)
        d->base = state_of(d->handle, d->handle);
    return !rc && handle.st_mode ? pfm_check_handle(d->handle) : rc;
}

/* ---- making and removing -------------------------------------------------------- */

int dest_begin(struct dest *d)
{
    int rc = scratch_create_folder(d->part);
    return rc ? rc : scratch_create_folder(d->part_data);
}

/* Removes a directory without subdirectories. If it cannot be removed now, for example
 * for lack of descriptors, it is removed at the end. */
static void dest_remove_folder(const char *path)
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
    dest_remove_folder(d->part_data);
    dest_remove_folder(d->part);
}

static int dest_sync_folder(const char *path)
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

/* Exchanges the new directory with the existing one, atomically if the system can. The
 * old one ends up under the temporary name. */
static int dest_exchange(struct dest *d)
{
    char old[4200];
    if (!renameat2(AT_FDCWD, d->part_data, AT_FDCWD, d->data, RENAME_EXCHANGE))
        return 0;
    if (errno == ENOENT) /* a handle without its directory */
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
    return dest_sync_folder(slash ? parent : ".");
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

/* Undoes a publication: an old PFM gets its name back, and data without a handle file
 * loses it. */
static void dest_take_back(struct dest *d)
{
    struct stat st;
    if (lstat(d->part_data, &st))
        rename(d->data, d->part_data);
    else
        dest_exchange(d);
}

/* Gives the handle file its name, but replaces no file that has appeared
 * there meanwhile. */
static int move_handle(const struct dest *d)
{
    if (d->replaces)
        return dest_move(d->part_handle, d->handle);
    if (!renameat2(AT_FDCWD, d->part_handle, AT_FDCWD, d->handle, RENAME_NOREPLACE))
        return 0;
    return errno == EEXIST ? dest_check_base(d) : dest_move(d->part_handle, d->handle);
}

/* Publishes the handle file. The old PFM is checked again after it was moved away: it
 * may have changed until then. */
static int publish_handle(struct dest *d)
{
    int rc = check_state(d, d->part_handle);
    if (!rc)
        rc = sync_parent(d);
    if (!rc)
        rc = move_handle(d);
    if (rc)
        dest_take_back(d);
    return rc;
}

int dest_publish(struct dest *d)
{
    int rc = dest_check_base(d);
    if (!rc)
        rc = dest_sync_folder(d->part_data);
    if (rc)
        return rc;
    dest_forget(d); /* from here on a signal must not remove the published files */
    rc = d->replaces ? dest_exchange(d) : dest_move(d->part_data, d->data);
    if (!rc)
        rc = publish_handle(d);
    if (!rc)
        rc = sync_parent(d);
    if (!rc)
        dest_remove(d);
    return rc;
}

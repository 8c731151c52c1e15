/* Recovers a container that was not closed, and removes one. */
#include "base/err.h"
#include "base/plain.h"
#include "io/lock.h"
#include "io/part/container.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- recovery -------------------------------------------------------------------- */

/* Recovers a container that was not closed, to its state at the last sync. */

static int fail_part(const char *file, int64_t r, int code)
{
    return err_set(code, file, -1,
                   "partition %lld of the container is missing or cannot be opened: %s",
                   (long long)r, strerror(-code));
}

/* Makes the partition, if its writer was ended before it did. */
static int make_empty(const char *file, int64_t r, int *fd)
{
    *fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (*fd < 0)
        return fail_part(file, r, -errno);
    close(*fd);
    return lock_file(file, fd);
}

static int cut_to(const char *file, int fd, int64_t bytes)
{
    if (fd >= 0 ? !ftruncate(fd, bytes) : !truncate(file, bytes))
        return 0;
    return err_set(-errno, file, bytes, "it cannot be cut to its last sync: %s",
                   strerror(errno));
}

int container_recover_part(const struct container *c, const char *path, int64_t r,
                           int *fd, int64_t *dropped)
{
    char file[CONTAINER_PATH];
    struct stat st = {0};
    int64_t bytes = c->part[r].bytes;
    *dropped = 0;
    *fd = -1;
    int rc = container_part_path(c, path, r, file);
    if (rc)
        return rc;
    bool there = !stat(file, &st);
    if (!there && (errno != ENOENT || bytes))
        return fail_part(file, r, -errno);
    rc = there ? lock_file(file, fd) : make_empty(file, r, fd);
    if (rc == -EBUSY)
        return container_busy(c, path);
    if (rc || st.st_size == bytes)
        return rc;
    if (st.st_size < bytes)
        return err_set(-EIO, file, st.st_size,
                       "partition %lld of the container has %lld bytes, and %lld were "
                       "synced: it was cut off",
                       (long long)r, (long long)st.st_size, (long long)bytes);
    *dropped = st.st_size - bytes;
    return cut_to(file, *fd, bytes);
}

int container_recover_shared(const struct container *c, const char *path,
                             int64_t *dropped)
{
    char file[CONTAINER_PATH];
    struct stat st;
    *dropped = 0;
    int rc = container_file(path, "shared", file);
    if (rc || c->parts || stat(file, &st) || st.st_size <= c->bytes)
        return rc; /* with a plan, the map tells which of its bytes count */
    *dropped = st.st_size - c->bytes;
    return cut_to(file, -1, c->bytes);
}

int container_refuse_open(const struct container *c, const char *path, bool ours,
                          bool recover)
{
    char shared[CONTAINER_PATH];
    if (c->state == CONTAINER_COMPLETE)
        return 0;
    int rc = container_file(path, "shared", shared);
    if (!rc && !ours && lock_is_held(shared))
        rc = container_busy(c, path);
    if (rc || (recover && c->saved))
        return rc;
    return err_set(-EIO, path, -1,
                   "the container was never completed: whoever wrote it was ended "
                   "(ldad info tells what is there, and ldad recover brings it to its "
                   "last sync)");
}

/* ---- removal --------------------------------------------------------------------- */

/* Removes a container: its files by their names, and no others. */

int64_t container_away(const struct container *c, const char *path, FILE *out)
{
    char part[CONTAINER_PATH], host[sizeof c->part->host];
    int64_t away = 0;
    for (int64_t r = 0; r < c->parts; r++) {
        if (c->part[r].dir < 0 || container_part_path(c, path, r, part) ||
            !access(part, F_OK))
            continue;
        away++;
        if (out)
            fprintf(out,
                    "partition %lld is not on this node: %s, written on node %d (%s)\n",
                    (long long)r, plain(part, sizeof part, part), c->part[r].node,
                    plain(host, sizeof host, c->part[r].host));
    }
    return away;
}

static int remove_file(const char *path)
{
    if (!unlink(path) || errno == ENOENT)
        return 0;
    return err_set(-errno, path, -1, "it cannot be removed: %s", strerror(errno));
}

int container_remove_parts(const struct container *c, const char *path)
{
    char part[CONTAINER_PATH];
    int rc = 0;
    for (int64_t r = 0; r < c->parts; r++) {
        int failed = container_part_path(c, path, r, part);
        failed = failed ? failed : remove_file(part);
        failed = failed ? failed : container_sums_path(c, path, r, part);
        failed = failed ? failed : remove_file(part);
        rc = rc ? rc : failed;
    }
    return rc;
}

int container_remove_common(const char *path)
{
    static const char *const names[] = {"shared", "shared.map", "shared.map.new",
                                        "header.new", "header"};
    char whole[CONTAINER_PATH];
    int rc = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !rc; i++) {
        rc = container_file(path, names[i], whole);
        rc = rc ? rc : remove_file(whole);
    }
    if (rc || !rmdir(path))
        return rc;
    return err_set(-errno, path, -1, "it cannot be removed: %s", strerror(errno));
}

/* True if it only holds files that are made before the header, without any data. */
static bool is_begun(const char *path)
{
    char shared[CONTAINER_PATH];
    struct stat st;
    bool begun = true;
    DIR *d = opendir(path);
    for (struct dirent *e; d && begun && (e = readdir(d));)
        begun = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
                !strcmp(e->d_name, "header.new") || !strcmp(e->d_name, "shared");
    if (!d || container_file(path, "shared", shared))
        begun = false;
    if (d)
        closedir(d);
    return begun && (stat(shared, &st) || (S_ISREG(st.st_mode) && !st.st_size));
}

bool container_sweep(const char *path)
{
    char shared[CONTAINER_PATH];
    struct err before = *err_get();
    if (!is_begun(path) || container_file(path, "shared", shared) ||
        lock_is_held(shared))
        return false;
    bool gone = !container_remove_common(path);
    err_put(&before);
    return gone;
}

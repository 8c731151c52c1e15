/* The file system behind a path. */
#include "base/err.h"
#include "io/fs/mounts.h"
#include "io/io.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

int io_fs_of(const char *path, struct io_fs *fs)
{
    struct statvfs v;
    struct mount m;
    memset(fs, 0, sizeof *fs);
    strcpy(fs->type, "unknown");
    char *whole = realpath(path, NULL);
    if (!whole || statvfs(path, &v)) {
        int rc = -errno;
        free(whole);
        return err_set(rc, path, -1, "the directory cannot be used: %s", strerror(-rc));
    }
    if (mount_of(whole, "", &m)) {
        snprintf(fs->type, sizeof fs->type, "%s", m.type);
        snprintf(fs->mount, sizeof fs->mount, "%s", m.options);
        snprintf(fs->point, sizeof fs->point, "%s", m.point);
    }
    free(m.line);
    free(whole);
    fs->block_bytes = (int64_t)v.f_bsize;
    fs->free_bytes = v.f_frsize ? (int64_t)(v.f_bavail * v.f_frsize) : -1;
    fs->in_memory = !strcmp(fs->type, "tmpfs") || !strcmp(fs->type, "ramfs");
    return 0;
}

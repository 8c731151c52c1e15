/* The file system behind a path. */
#include "base/err.h"
#include "io/fs/mounts.h"
#include "io/io.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

bool io_direct_works(const char *path)
{
    struct io_fs fs;
    struct stat st;
    if (stat(path, &st) || io_fs_of(path, &fs))
        return false;
    bool file = S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
    if (!S_ISBLK(st.st_mode) && (!file || fs.in_memory))
        return false;
    int fd = S_ISDIR(st.st_mode)
                 ? open(path, O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600)
                 : open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

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
#include <sys/sysmacros.h>
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

/* The logical block size of a disk, or of a partition's disk; 0: not known. */
static int logical_block(dev_t dev)
{
    static const char *const places[] = {"queue", "../queue"};
    int bytes = 0;
    for (int i = 0; i < 2 && bytes <= 0; i++) {
        char file[128];
        snprintf(file, sizeof file, "/sys/dev/block/%u:%u/%s/logical_block_size",
                 major(dev), minor(dev), places[i]);
        FILE *f = fopen(file, "re");
        if (f && fscanf(f, "%d", &bytes) != 1)
            bytes = 0;
        if (f)
            fclose(f);
    }
    return bytes;
}

/* The alignment of direct I/O by statx; 0: the kernel does not report it. */
static int told_align(int fd)
{
#ifdef STATX_DIOALIGN
    struct statx x;
    if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) &&
        x.stx_mask & STATX_DIOALIGN)
        return (int)(x.stx_dio_offset_align > x.stx_dio_mem_align
                         ? x.stx_dio_offset_align
                         : x.stx_dio_mem_align);
#else
    (void)fd;
#endif
    return 0;
}

int io_direct_align(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return IO_DIRECT_ALIGN;
    int fd = S_ISDIR(st.st_mode) ? open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)
                                 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int bytes = fd < 0 ? 0 : told_align(fd);
    if (fd >= 0)
        close(fd);
    if (bytes <= 0)
        bytes = logical_block(S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
    bool power = bytes > 0 && !(bytes & (bytes - 1));
    return power && bytes < IO_DIRECT_ALIGN ? bytes : IO_DIRECT_ALIGN;
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

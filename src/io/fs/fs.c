/* The file system behind a path. */
#include "base/err.h"
#include "io/fs/mounts.h"
#include "io/io.h"
#include "world/world.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* True for an option that names a node or a place, or repeats what the mount says. */
static bool is_left_out(const char *option, size_t n)
{
    static const char *const names[] = {
        "rw",        "ro",        "addr=",    "clientaddr=", "mountaddr=",
        "lowerdir=", "upperdir=", "workdir=", "fd="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        bool has_value = names[i][length - 1] == '=';
        if (n >= length && !strncmp(option, names[i], length) &&
            (has_value || n == length))
            return true;
    }
    return false;
}

/* Writes the options of the mount, then those of the file system. */
static void io_list_options(const struct mount *m, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s", m->options);
    for (const char *o = m->fs_options; *o && at < size;) {
        size_t n = strcspn(o, ",");
        if (n && !is_left_out(o, n) && at + n + 2 < size)
            at += (size_t)snprintf(out + at, size - at, ",%.*s", (int)n, o);
        o += n + (o[n] == ',');
    }
}

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
        io_list_options(&m, fs->mount, sizeof fs->mount);
        snprintf(fs->point, sizeof fs->point, "%s", m.point);
    }
    free(m.line);
    free(whole);
    fs->block_bytes = (int64_t)v.f_bsize;
    /* ramfs and some of FUSE tell no size at all */
    fs->free_bytes = v.f_blocks ? (int64_t)(v.f_bavail * v.f_frsize) : -1;
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

/* ---- input ----------------------------------------------------------------------- */

/* Input files or block devices that others made. */

int64_t io_descriptor_bytes(int fd, const struct stat *st)
{
    if (!S_ISBLK(st->st_mode)) /* for a device, stat has no size */
        return st->st_size;
    off_t end = lseek(fd, 0, SEEK_END);
    return end < 0 ? -errno : end;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "no file";
}

static int input_size(const char *path, struct stat *st, struct io_input *in)
{
    /* Without O_NONBLOCK the open would wait if the path had meanwhile become
     * a FIFO. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, st)) {
        int rc = err_set(-errno, path, -1, "the input cannot be opened to be read: %s",
                         strerror(errno));
        if (fd >= 0)
            close(fd);
        return rc;
    }
    in->bytes = io_descriptor_bytes(fd, st);
    in->device = S_ISBLK(st->st_mode);
    in->stored = in->device || (int64_t)st->st_blocks * 512 > in->bytes
                     ? in->bytes
                     : (int64_t)st->st_blocks * 512;
    in->modified_ns =
        (int64_t)st->st_mtim.tv_sec * 1000000000 + (int64_t)st->st_mtim.tv_nsec;
    close(fd);
    if (in->bytes < 0)
        return err_set((int)in->bytes, path, -1,
                       "how large the device is, is not told");
    return 0;
}

int io_input_of(const char *path, struct io_input *in)
{
    struct stat st;
    memset(in, 0, sizeof *in);
    if (stat(path, &st))
        return err_set(-errno, path, -1, "there is no input: %s", strerror(errno));
    if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
        return err_set(S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL, path, -1,
                       "the input is %s: a file or a block device can be read",
                       kind_of(st.st_mode));
    return input_size(path, &st, in);
}

/* ---- syncing a directory --------------------------------------------------------- */

/* Syncs a directory. On file systems without a call of their own for it, syncfs(2) ends
 * in the kernel: FUSE, for example, does not pass it to its server. There each file is
 * synced by itself. */

/* Magic numbers of linux/magic.h, which lacks Lustre, BeeGFS and SMB. */
enum { FUSE = 0x65735546, V9FS = 0x01021997, OVERLAY = 0x794c7630 };
enum { LUSTRE = 0x0bd00bd0, BEEGFS = 0x19830326 };
#define CIFS UINT32_C(0xff534d42)
#define SMB2 UINT32_C(0xfe534d42)

static bool is_passed_on(uint32_t type)
{
    return type != FUSE && type != V9FS && type != LUSTRE && type != BEEGFS &&
           type != CIFS && type != SMB2 && type != OVERLAY;
}

/* Finds the file system of an overlay's upper directory; false if it cannot be seen
 * from here, as in a container. */
static bool upper_type(const char *path, uint32_t *type)
{
    char folder[4096];
    struct statfs fs;
    struct mount m;
    bool found = mount_of(path, "", &m) &&
                 mount_option(&m, "upperdir", folder, sizeof folder) &&
                 !statfs(folder, &fs);
    free(m.line);
    *type = found ? (uint32_t)fs.f_type : 0;
    return found;
}

bool io_syncfs_works(const char *path)
{
    struct statfs fs;
    uint32_t type;
    if (statfs(path, &fs))
        return false;
    type = (uint32_t)fs.f_type;
    if (type == OVERLAY) {
        char *whole = realpath(path, NULL);
        bool known = whole && upper_type(whole, &type);
        free(whole);
        return known && is_passed_on(type);
    }
    return is_passed_on(type);
}

static int sync_one(int fd, const char *path)
{
    watchdog_arm_as_set("syncing", path);
    int rc = fsync(fd) && errno != EINVAL ? -errno : 0;
    watchdog_disarm();
    return rc ? err_set(rc, path, -1, "fsync failed: %s", strerror(-rc)) : 0;
}

static int sync_below(int fd, const char *path);

/* Syncs a name in a directory. Only files and directories have data to sync. */
static int sync_name(int in, const char *path, const char *name)
{
    struct stat st;
    char whole[4096];
    if (fstatat(in, name, &st, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT
                   ? 0
                   : err_set(-errno, path, -1, "stat failed: %s", strerror(errno));
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0;
    snprintf(whole, sizeof whole, "%s/%s", path, name);
    int fd = openat(in, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_set(-errno, whole, -1, "it cannot be opened to be synced: %s",
                       strerror(errno));
    int rc = S_ISDIR(st.st_mode) ? sync_below(fd, whole) : sync_one(fd, whole);
    close(fd);
    return rc;
}

/* Syncs the files in a directory, then the directory itself. */
static int sync_below(int fd, const char *path)
{
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    int rc =
        list ? 0
             : err_set(-errno, path, -1, "it cannot be listed: %s", strerror(errno));
    for (struct dirent *e; !rc && (e = readdir(list));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            rc = sync_name(fd, path, e->d_name);
    if (list)
        closedir(list);
    else if (again >= 0)
        close(again);
    return rc ? rc : sync_one(fd, path);
}

static int sync_all(int fd, const char *path)
{
    watchdog_arm_as_set("syncing", path);
    int rc = syncfs(fd) ? -errno : 0;
    watchdog_disarm();
    return rc ? err_set(rc, path, -1, "syncfs failed: %s", strerror(-rc)) : 0;
}

int io_sync_dir(int fd, const char *path)
{
    return io_syncfs_works(path) ? sync_all(fd, path) : sync_below(fd, path);
}

/* Syncs a directory. On file systems without a call of their own for it, syncfs(2) ends
 * in the kernel: FUSE, for example, does not pass it to its server. There each file is
 * synced by itself. */
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
#include <sys/vfs.h>
#include <unistd.h>

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

/* Empties a directory that this run made. */
#include "base/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEVELS = 24, ROOM = 2048 }; /* fits on a signal handler's stack */
enum { PASSES = 100 };             /* others may go on making files */

/* The kernel's directory entries; readdir(3) would allocate its buffer. */
struct listed {
    uint64_t number;
    int64_t next;
    unsigned short bytes;
    unsigned char type;
    char name[];
};

struct emptying {
    dev_t device; /* another device's files are not ours */
    int rc;       /* the first failure */
    bool removed; /* something was removed in this pass over the directory */
};

static void empty_pass(struct emptying *e, int fd, int level);

static void empty_fail(struct emptying *e)
{
    if (!e->rc && errno != ENOENT)
        e->rc = -errno;
}

static void remove_folder(struct emptying *e, int fd, const char *name, int level)
{
    struct stat st;
    int sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (sub < 0 || fstat(sub, &st)) {
        empty_fail(e);
    } else if (st.st_dev != e->device || !level) {
        errno = level ? EXDEV : ENAMETOOLONG;
        empty_fail(e);
    } else {
        empty_pass(e, sub, level - 1);
    }
    if (sub >= 0)
        close(sub);
    if (!unlinkat(fd, name, AT_REMOVEDIR))
        e->removed = true;
    else
        empty_fail(e);
}

static void remove_one(struct emptying *e, int fd, const char *name, int level)
{
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return;
    if (!unlinkat(fd, name, 0))
        e->removed = true;
    else if (errno == EISDIR)
        remove_folder(e, fd, name, level);
    else
        empty_fail(e);
}

static void empty_pass(struct emptying *e, int fd, int level)
{
    _Alignas(struct listed) char buf[ROOM];
    long n;
    lseek(fd, 0, SEEK_SET);
    while ((n = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0)
        for (long at = 0; at < n;) {
            const struct listed *one = (const struct listed *)(buf + at);
            remove_one(e, fd, one->name, level);
            at += one->bytes;
        }
    if (n < 0)
        empty_fail(e);
}

/* Empties the directory in passes, until one finds nothing: a listing may leave out
 * names while others are removed. */
int empty_folder(int folder)
{
    struct emptying e = {.removed = true};
    struct stat st;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        empty_fail(&e);
    e.device = fd < 0 ? 0 : st.st_dev;
    for (int i = 0; i < PASSES && fd >= 0 && e.removed; i++) {
        e.removed = false;
        e.rc = 0;
        empty_pass(&e, fd, LEVELS);
    }
    if (fd >= 0)
        close(fd);
    return e.rc;
}

/* The file of each descriptor. One that was made unseen (inherited, a socket, from
 * inside a library) is looked up when it is first used. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <string.h>
#include <sys/stat.h>

struct fd_entry fds[FDS];

static void seen(int fd)
{
    int top = __atomic_load_n(&recorder.fd_top, __ATOMIC_RELAXED);
    while (fd > top && !__atomic_compare_exchange_n(&recorder.fd_top, &top, fd, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static bool given[3]; /* standard streams are still those of the start */

bool fd_is_given(int fd)
{
    return given[fd];
}

static void is_another(int fd)
{
    if ((unsigned)fd < 3 && !vforked)
        given[fd] = false;
}

static bool is_regular(int fd)
{
    struct statx s;
    return !sys_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &s) &&
           S_ISREG(s.stx_mode);
}

/* Enters the standard streams. Terminals, pipes and the like stay hidden; a regular
 * file, and whatever the program opens later under one of these numbers, is a file like
 * others. */
void fds_start(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        fds[fd].file = is_regular(fd) ? 0 : FILE_HIDDEN;
        given[fd] = true;
    }
    seen(2);
}

static void set(int fd, uint32_t file, uint32_t owner)
{
    if ((unsigned)fd >= FDS || vforked)
        return;
    seen(fd);
    is_another(fd);
    fds[fd].offset = 0;
    __atomic_store_n(&fds[fd].owner, owner, __ATOMIC_RELEASE);
    __atomic_store_n(&fds[fd].file, file, __ATOMIC_RELEASE);
}

/* Returns the file of a descriptor. In a child of vfork the table is the parent's: it
 * may be wrong and must not change, except that inherited stdin, stdout and stderr stay
 * hidden. */
uint32_t fd_resolve(int fd)
{
    int error = errno;
    if (!lane_get())
        return FILE_HIDDEN;
    if ((unsigned)fd < FDS && fds[fd].file && (!vforked || fd <= 2))
        return fds[fd].file; /* fds_start has set it */
    ROOM(text);
    long n = text ? name_of_fd(text, fd) : -1;
    if (n >= 0 && fd == recorder.fd && log_is_ours(fd))
        n = -1; /* the program must not know of it */
    uint32_t file = 0;
    if (n >= 0) {
        bool was_given = (unsigned)fd < 3 && given[fd];
        file = name_of_link(text, fd);
        set(fd, file, 0);
        if (was_given)
            given[fd] = true;
    }
    errno = error;
    return file;
}

/* Returns the file of a descriptor without looking it up. */
uint32_t fd_peek(int fd)
{
    return (unsigned)fd < FDS && !vforked ? fds[fd].file : 0;
}

void fd_opened(int fd, uint32_t file, bool offset_known)
{
    struct lane *l =
        offset_known && fd >= 0 && file < FILE_EXCLUDED ? lane_get() : NULL;
    set(fd, file, l ? l->number + 1 : 0);
}

void fd_forget(int fd)
{
    is_another(fd);
    if ((unsigned)fd >= FDS || vforked)
        return;
    fd_shared(fd);
    __atomic_store_n(&fds[fd].file, 0, __ATOMIC_RELEASE);
}

void fd_shared(int fd)
{
    if ((unsigned)fd < FDS)
        __atomic_store_n(&fds[fd].owner, 0, __ATOMIC_SEQ_CST);
}

void fds_shared(void)
{
    for (int fd = 0; fd <= recorder.fd_top; fd++)
        fd_shared(fd);
}

/* Returns the name for a copy of a descriptor. The copy of stdout is stdout; the copy
 * of a file has the file's name, and a number of its own as it is another
 * descriptor. */
static uint32_t dupped_name(int from, int to)
{
    uint32_t file = fd_peek(from);
    if (!file || file >= FILE_EXCLUDED)
        return file;
    return name_again(file, to);
}

void fd_dupped(int from, int to)
{
    fd_shared(from);
    if (from != to)
        set(to, dupped_name(from, to), 0);
}

void fds_forget_range(unsigned first, unsigned last)
{
    unsigned top = (unsigned)recorder.fd_top;
    for (unsigned fd = first; fd <= last && fd <= top; fd++)
        fd_forget((int)fd);
}

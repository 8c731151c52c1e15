/* The position of streams, where it is not only added up. */
#include "iotrace/preload/streams.h"
#include "iotrace/preload/real.h"
#include "iotrace/preload/sys.h"
#include <stdio_ext.h>
#include <sys/stat.h>

struct stream streams[FDS];

void stream_set(FILE *f, int fd, int64_t at)
{
    streams[fd].f = f;
    streams[fd].stamp = stream_stamp(f);
    fds[fd].offset = at;
}

void stream_opened(FILE *f, int fd, int64_t at)
{
    struct lane *l = (unsigned)fd < FDS && !vforked && at >= 0 ? lane_get() : NULL;
    if (!l || fds[fd].file >= FILE_EXCLUDED)
        return;
    stream_set(f, fd, at);
    __atomic_store_n(&fds[fd].owner, STREAM_OWNER | (l->number + 1), __ATOMIC_RELEASE);
}

/* Somebody else has moved it: from now on nobody knows. */
int64_t stream_lost(int fd)
{
    if ((unsigned)fd < FDS && fds[fd].owner && !vforked)
        fd_shared(fd);
    return -1;
}

/* What has moved it since the last call was not seen: one event, which took no time
 * that we know. Backwards goes what was not written after all. */
void stream_catch_up(FILE *f, int fd)
{
    int error = errno;
    int64_t was = fds[fd].offset, at = streams[fd].f == f ? stream_tell(f) : -1;
    if (at < 0)
        stream_lost(fd);
    else
        stream_set(f, fd, at);
    if (at > was) {
        struct event e = event_on(fd);
        e.flags = TRACE_STREAM;
        e.end = e.start;
        event_put(&e, __fwriting(f) ? OP_UNSEEN_WRITE : OP_UNSEEN_READ, was, at - was,
                  at - was);
    }
    errno = error;
}

#ifdef __GLIBC__
bool stream_turns_to_its_end(FILE *f)
{
    enum { APPENDS = 0x1000 };
    return f->_flags & APPENDS && !__fwriting(f);
}
#else
bool stream_turns_to_its_end(FILE *f)
{
    (void)f;
    return false;
}
#endif

/* It is right again once more of the file has been read, or all of it. */
bool stream_is_doubted(FILE *f, int fd)
{
    int error = errno;
    if (sys_call(SYS_lseek, fd, 0, SEEK_CUR) + 1 != streams[fd].doubt || feof(f))
        streams[fd].doubt = 0;
    errno = error;
    return streams[fd].doubt != 0;
}

void stream_doubt(int fd)
{
    int error = errno;
    if ((unsigned)fd < FDS)
        streams[fd].doubt = sys_call(SYS_lseek, fd, 0, SEEK_CUR) + 1;
    errno = error;
}

int64_t stream_end(int fd)
{
    struct stat st;
    int error = errno;
    int64_t end =
        sys_call(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) ? -1 : st.st_size;
    errno = error;
    return end;
}

#ifdef __GLIBC__
/* Its owner is this thread, or has ended. */
static bool is_ours_to_ask(int fd)
{
    uint32_t owner = fds[fd].owner;
    if (!(owner & STREAM_OWNER))
        return false;
    struct lane *l = &state->lane[(owner & ~STREAM_OWNER) - 1];
    return l == lane || !__atomic_load_n(&l->taken, __ATOMIC_ACQUIRE);
}

/* Only what is in the C library's list still lives. Who holds a stream is not waited
 * for: it may wait for ever. */
void streams_catch_up(void)
{
    extern FILE *_IO_list_all;
    extern void _IO_list_lock(void), _IO_list_unlock(void);
    if (!lane_get() || vforked)
        return;
    _IO_list_lock();
    for (FILE *f = _IO_list_all; f; f = f->_chain) {
        int fd = descriptor(f);
        if ((unsigned)fd >= FDS || streams[fd].f != f || !is_ours_to_ask(fd) ||
            stream_doubted(f, fd) || ftrylockfile(f))
            continue;
        stream_catch_up(f, fd);
        funlockfile(f);
    }
    _IO_list_unlock();
}
#else
void streams_catch_up(void)
{
}
#endif

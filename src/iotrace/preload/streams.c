/* The position of streams, if it is not just added up. */
#include "iotrace/preload/streams.h"
#include "iotrace/preload/sys.h"
#include <stdio_ext.h>
#include <sys/stat.h>

struct stream streams[FDS];

void stream_set(FILE *f, int fd, int64_t at)
{
    stream_note(f, fd);
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

/* Forgets the position, as another call has moved it. */
int64_t stream_lost(int fd)
{
    if ((unsigned)fd < FDS && fds[fd].owner && !vforked)
        fd_shared(fd);
    return -1;
}

static void put_passed(int fd, bool writes, int64_t offset, int64_t bytes)
{
    struct event e = event_on(fd);
    e.flags = TRACE_STREAM;
    e.end = e.start;
    event_put(&e, writes ? OP_UNSEEN_WRITE : OP_UNSEEN_READ, offset, bytes, bytes);
}

/* Makes one event of bytes that moved unseen since the last call; it takes no time. The
 * position goes back by bytes that were not written after all. */
void stream_catch_up(FILE *f, int fd)
{
    int error = errno;
    int64_t was = fds[fd].offset, at = streams[fd].f == f ? stream_tell(f) : -1;
    if (at < 0)
        stream_lost(fd);
    else
        stream_set(f, fd, at);
    if (at > was)
        put_passed(fd, __fwriting(f), was, at - was);
    errno = error;
}

/* Takes the bytes that passed unseen. Another thread that uses the stream sets `by`
 * before it moves the stream: so the stream is read before `by` is. */
int64_t stream_take_passed(FILE *f, int fd, bool *writes)
{
    const struct stream s = streams[fd];
    ptrdiff_t wrote = stream_write_at(f) - s.write, room = stream_buffer(f);
    ptrdiff_t moved = wrote > 0 ? wrote : stream_read_at(f) - s.read;
    uint32_t by = __atomic_load_n(&streams[fd].by, __ATOMIC_ACQUIRE);
    bool mine = !by || (lane && by == lane->number + 1);
    stream_note(f, fd);
    *writes = wrote > 0;
    return mine && s.f == f && moved > 0 && moved <= room ? moved : 0;
}

void stream_passed(FILE *f, int fd)
{
    bool writes;
    int64_t bytes = stream_take_passed(f, fd, &writes);
    if (UNLIKELY(bytes > 0))
        put_passed(fd, writes, -1, bytes);
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

/* True if the C library's position is still wrong. It is right again once more of the
 * file has been read, or all of it. */
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
extern FILE *_IO_list_all;
extern void _IO_list_lock(void), _IO_list_unlock(void);

/* True if another thread has this number + 1, and has not ended. */
static bool is_of_another(uint32_t by)
{
    struct lane *l = by ? &state->lane[by - 1] : lane;
    return l != lane && __atomic_load_n(&l->taken, __ATOMIC_ACQUIRE);
}

static void catch_up(FILE *f, int fd)
{
    uint32_t owner = fds[fd].owner;
    bool known = owner & STREAM_OWNER;
    if (streams[fd].f != f || stream_doubted(f, fd) ||
        is_of_another(known ? owner & ~STREAM_OWNER : streams[fd].by) ||
        ftrylockfile(f))
        return;
    if (known)
        stream_catch_up(f, fd);
    else {
        streams[fd].by = 0;
        stream_passed(f, fd);
    }
    funlockfile(f);
}

/* Catches up with all streams. Only those in the C library's list still live. A stream
 * that another thread holds is not waited for: it may hold it for ever. */
void streams_catch_up(void)
{
    if (!lane_get() || vforked)
        return;
    _IO_list_lock();
    for (FILE *f = _IO_list_all; f; f = f->_chain)
        if ((unsigned)descriptor(f) < FDS)
            catch_up(f, descriptor(f));
    _IO_list_unlock();
}

void streams_note(bool anew)
{
    if (vforked)
        return;
    _IO_list_lock();
    for (FILE *f = _IO_list_all; f; f = f->_chain) {
        int fd = descriptor(f);
        if ((unsigned)fd >= FDS || (!anew && is_of_another(streams[fd].by)))
            continue;
        stream_note(f, fd);
        if (anew)
            streams[fd].by = 0;
    }
    _IO_list_unlock();
}
#else
void streams_catch_up(void)
{
}

void streams_note(bool anew)
{
    (void)anew;
}
#endif

/* Where a stream is in its file: known from its beginning on, and counted with each
 * call. What goes past us (getc_unlocked and its like are macros, and compilers inline
 * them) is seen at the next call, as the stream has moved in its buffer meanwhile, and
 * at its end. Its position is asked for then only: that can be a system call.
 *
 * A stream has its descriptor's place in fds[], with an owner of its own, so that who
 * reads or writes past the stream takes the position away. */
#ifndef IOTRACE_PRELOAD_STREAMS_H
#define IOTRACE_PRELOAD_STREAMS_H

#include "iotrace/preload/recorder.h"
#include <stdio.h>

#define STREAM_OWNER UINT32_C(0x80000000) /* and the lane's number + 1 */

struct stream {
    FILE *f;
    uint64_t stamp; /* after our last call */
    int64_t doubt;  /* 1 + where the descriptor was when its position became wrong;
                       0: it is right */
};
extern struct stream streams[FDS];

/* Another one whenever the stream has moved in its buffer, or has got another. */
static inline uint64_t stream_stamp(const FILE *f)
{
#ifdef __GLIBC__
    return (uintptr_t)f->_IO_read_ptr + 3 * (uintptr_t)f->_IO_write_ptr;
#else
    (void)f;
    return 0;
#endif
}

/* -1: a stream in memory, which is no I/O. */
static inline int descriptor(FILE *f)
{
#ifdef __GLIBC__
    enum { OF_A_FILE = 0x2000 }; /* fileno asks for the same, and costs a call */
    return LIKELY(f->_flags & OF_A_FILE) && f->_fileno >= 0 ? f->_fileno : -1;
#else
    int error = errno, fd = fileno(f);
    if (UNLIKELY(fd < 0))
        errno = error;
    return fd;
#endif
}

/* Whether this thread knows where it is. */
static inline bool stream_is_known(int fd)
{
    return LIKELY((unsigned)fd < FDS && lane && !vforked) &&
           fds[fd].owner == (STREAM_OWNER | (lane->number + 1));
}

/* ---- calls_stdio.c ---- */
off_t stream_tell(FILE *f); /* the real ftello */

/* ---- streams.c ---- */
void stream_opened(FILE *f, int fd, int64_t at); /* -1: nobody knows where */
void stream_catch_up(FILE *f, int fd);
void stream_set(FILE *f, int fd, int64_t at);
int64_t stream_lost(int fd);
bool stream_is_doubted(FILE *f, int fd);
void stream_doubt(int fd); /* the C library's position is wrong from here on */
bool stream_turns_to_its_end(FILE *f); /* if what comes next is written */
int64_t stream_end(int fd);
void streams_catch_up(void); /* all of this thread, and of those that have ended */

/* Its position was set, or it is another one. */
static inline void stream_believe(int fd)
{
    if (fd >= 0 && fd < FDS)
        streams[fd].doubt = 0;
}

static inline bool stream_doubted(FILE *f, int fd)
{
    return (unsigned)fd < FDS && UNLIKELY(streams[fd].doubt) &&
           stream_is_doubted(f, fd);
}

/* Before a call. */
static inline void stream_look(FILE *f, int fd)
{
    if (stream_is_known(fd) && UNLIKELY(streams[fd].stamp != stream_stamp(f)) &&
        !stream_doubted(f, fd))
        stream_catch_up(f, fd);
}

/* After a call that moved so many bytes: where it began, or -1. */
static inline int64_t stream_moved(FILE *f, int fd, int64_t bytes)
{
    if (UNLIKELY(!stream_is_known(fd)))
        return stream_lost(fd);
    int64_t at = fds[fd].offset;
    fds[fd].offset = at + bytes;
    streams[fd].stamp = stream_stamp(f);
    return at;
}

#endif

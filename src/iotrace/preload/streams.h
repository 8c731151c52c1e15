/* The position of a stream in its file: known from its begin on, and advanced with each
 * call. Transfers that pass unseen (getc_unlocked and its like are macros, and
 * compilers inline them) show at the next call, as the stream has moved in its buffer
 * meanwhile, and at its end. Only then its position is asked for: that can be a system
 * call.
 *
 * A stream has its descriptor's place in fds[], with an owner of its own, so that a
 * call that reads or writes past the stream takes the position away.
 *
 * A position can be unknown: of stdin and stdout, of a file that is appended to, after
 * a fork. Then the way in the buffer tells how many bytes passed unseen since the last
 * call of the same thread. Macros call __overflow and __uflow when a buffer ends, so no
 * buffer is missed. */
#ifndef IOTRACE_PRELOAD_STREAMS_H
#define IOTRACE_PRELOAD_STREAMS_H

#include "iotrace/preload/recorder.h"
#include <stdio.h>

#define STREAM_OWNER UINT32_C(0x80000000) /* plus the lane's number + 1 */

struct stream {
    FILE *f;
    const char *read, *write; /* places in its buffer after our last call */
    uint32_t by; /* number + 1 of the lane of its last call; 0: there was none */
    /* 1 + the descriptor's position when the stream's became wrong; 0: it is right */
    int64_t doubt;
};
extern struct stream streams[FDS];

#ifdef __GLIBC__
static inline const char *stream_read_at(const FILE *f)
{
    return f->_IO_read_ptr;
}
static inline const char *stream_write_at(const FILE *f)
{
    return f->_IO_write_ptr;
}
static inline ptrdiff_t stream_buffer(const FILE *f)
{
    return f->_IO_buf_end - f->_IO_buf_base;
}
#else
static inline const char *stream_read_at(const FILE *f)
{
    (void)f;
    return NULL;
}
#define stream_write_at stream_read_at
static inline ptrdiff_t stream_buffer(const FILE *f)
{
    (void)f;
    return 0;
}
#endif

/* Returns the descriptor of a stream; -1: it is in memory, which is no I/O. */
static inline int descriptor(FILE *f)
{
#ifdef __GLIBC__
    enum { OF_A_FILE = 0x2000 }; /* fileno tests the same, and costs a call */
    return LIKELY(f->_flags & OF_A_FILE) && f->_fileno >= 0 ? f->_fileno : -1;
#else
    int error = errno, fd = fileno(f);
    if (UNLIKELY(fd < 0))
        errno = error;
    return fd;
#endif
}

/* True if this thread knows its position. */
static inline bool stream_is_known(int fd)
{
    return LIKELY((unsigned)fd < FDS && lane && !vforked) &&
           fds[fd].owner == (STREAM_OWNER | (lane->number + 1));
}

/* ---- calls_stdio.c ---- */
off_t stream_tell(FILE *f); /* the real ftello */

/* ---- streams.c ---- */
void stream_opened(FILE *f, int fd, int64_t at); /* -1: its position is not known */
void stream_catch_up(FILE *f, int fd);
void stream_set(FILE *f, int fd, int64_t at);
int64_t stream_lost(int fd);
bool stream_is_doubted(FILE *f, int fd);
void stream_doubt(int fd); /* the C library's position is wrong from here on */
bool stream_turns_to_its_end(FILE *f); /* true if the next write goes to its end */
int64_t stream_end(int fd);
void stream_passed(FILE *f, int fd);
int64_t stream_take_passed(FILE *f, int fd, bool *writes);
/* all streams have nothing unseen; anew: nor a last thread */
void streams_note(bool anew);
/* all streams of this thread, and of threads that have ended */
void streams_catch_up(void);

/* Notes that this thread's call is about to begin, or has ended. */
static inline void stream_note(FILE *f, int fd)
{
    if (UNLIKELY((unsigned)fd >= FDS || vforked))
        return;
    struct stream *s = &streams[fd];
    s->f = f;
    s->read = stream_read_at(f);
    s->write = stream_write_at(f);
    __atomic_store_n(&s->by, lane ? lane->number + 1 : 0, __ATOMIC_RELEASE);
}

/* True if it has moved in its buffer since our last call. */
static inline bool stream_has_moved(const FILE *f, int fd)
{
    const struct stream *s = &streams[fd];
    return s->read != stream_read_at(f) || s->write != stream_write_at(f);
}

/* Trusts the position again: it was set, or the stream is another one. */
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

/* Looks at a stream before a call. */
static inline void stream_look(FILE *f, int fd)
{
    if (UNLIKELY((unsigned)fd >= FDS || vforked))
        return;
    if (!stream_is_known(fd))
        stream_passed(f, fd);
    else if (UNLIKELY(stream_has_moved(f, fd)) && !stream_doubted(f, fd))
        stream_catch_up(f, fd);
}

/* Advances the position after a call that moved `bytes`. Returns the place where the
 * call began, or -1. */
static inline int64_t stream_moved(FILE *f, int fd, int64_t bytes)
{
    stream_note(f, fd);
    if (UNLIKELY(!stream_is_known(fd)))
        return stream_lost(fd);
    int64_t at = fds[fd].offset;
    fds[fd].offset = at + bytes;
    return at;
}

#endif

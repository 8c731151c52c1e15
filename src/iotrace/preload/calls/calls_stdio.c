/* Streams. These are the program's requests: reads and writes that the C library makes
 * for them cannot be seen. No function of <stdio.h> is called by a name that we
 * wrap. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/streams.h"
#include "iotrace/preload/sys.h"
#include "iotrace/preload/transfer.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static inline struct event event_on_stream(FILE *f)
{
    int fd = descriptor(f);
    if (UNLIKELY(fd < 0))
        return (struct event){.file = FILE_HIDDEN, .fd = -1};
    stream_look(f, fd);
    struct event e = event_on(fd);
    e.flags = TRACE_STREAM;
    e.fd = fd;
    return e;
}

/* Records a call of items with `asked` bytes; it is an error only if nothing moved. */
static inline void stream_put(struct event *e, enum trace_op op, FILE *f, size_t asked,
                              size_t bytes)
{
    event_over(e);
    int64_t result = (int64_t)bytes;
    if (UNLIKELY(!bytes && asked && is_logged(e) && ferror(f)))
        result = -(errno ? errno : EIO);
    event_put(e, op, stream_moved(f, e->fd, (int64_t)bytes), (int64_t)asked, result);
}

/* ---- open and close ---- */

static int mode_flags(const char *mode)
{
    int plus = strchr(mode, '+') != NULL;
    switch (*mode) {
    case 'w':
        return (plus ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
    case 'a':
        return (plus ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
    default:
        return plus ? O_RDWR : O_RDONLY;
    }
}

/* -1: its position is not known */
static void stream_begins(FILE *f, int fd, int64_t at)
{
    stream_believe(fd);
    stream_note(f, fd);
    stream_opened(f, fd, at);
}

static FILE *opened(struct event *e, enum trace_op op, const char *path,
                    const char *mode, FILE *f)
{
    event_over(e);
    int error = errno, fd = f ? descriptor(f) : -1;
    e->flags = TRACE_STREAM;
    e->file = 0;
    if (path && error != EFAULT)
        e->file = name_of_path(path, fd);
    if (fd >= 0)
        fd_opened(fd, e->file, false);
    if (fd >= 0 && !path)
        e->file = fd_resolve(fd);
    if (fd >= 0)
        stream_begins(f, fd, *mode == 'a' ? -1 : 0);
    event_put(e, op, -1, mode_flags(mode), f ? fd : -error);
    errno = error;
    return f;
}

WRAP(FILE *, fopen, (const char *path, const char *mode))
{
    struct event e = event_now();
    return opened(&e, OP_FOPEN, path, mode, REAL(fopen)(path, mode));
}
ALIAS(fopen64, fopen);
ALIAS(_IO_fopen, fopen);

WRAP(FILE *, freopen, (const char *path, const char *mode, FILE *f))
{
    int old = descriptor(f);
    stream_look(f, old);
    struct event e = event_now();
    if (old >= 0 && path)
        fd_forget(old);
    FILE *now = REAL(freopen)(path, mode, f);
    if (!path) { /* the same file in another mode */
        e = (struct event){.file = old >= 0 ? fd_resolve(old) : 0, .start = e.start};
        event_put(&e, OP_FREOPEN, -1, mode_flags(mode), now ? old : -errno);
        if (now)
            stream_note(now, old);
        return now;
    }
    return opened(&e, OP_FREOPEN, path, mode, now);
}
ALIAS(freopen64, freopen);

WRAP(FILE *, fdopen, (int fd, const char *mode))
{
    struct event e = event_on(fd);
    int64_t at = own_offset(&e, fd);
    fd_shared(fd); /* the stream moves the offset unseen */
    FILE *f = REAL(fdopen)(fd, mode);
    e.flags = TRACE_STREAM;
    if (f)
        stream_begins(f, fd, *mode == 'a' ? -1 : at);
    event_put(&e, OP_FDOPEN, -1, mode_flags(mode), f ? fd : -errno);
    return f;
}
ALIAS(_IO_fdopen, fdopen);

WRAP(FILE *, tmpfile, (void))
{
    struct event e = event_now();
    return opened(&e, OP_TMPFILE, NULL, "w+", REAL(tmpfile)());
}
ALIAS(tmpfile64, tmpfile);

WRAP(FILE *, popen, (const char *command, const char *mode))
{
    struct event e = event_now();
    fds_shared();
    FILE *f = REAL(popen)(command, mode);
    event_over(&e);
    int error = errno, fd = f ? descriptor(f) : -1;
    ROOM(name);
    if (name) {
        snprintf(name, PATH_BYTES, "|%s", command);
        e.file = name_of_text(name, TRACE_FILE, fd);
    }
    e.flags = TRACE_STREAM;
    if (f) {
        fd_opened(fd, e.file, false);
        stream_note(f, fd);
    }
    event_put(&e, OP_POPEN, -1, 0, f ? fd : -error);
    errno = error;
    return f;
}

/* Catches up with a stream at its end. If macros have moved a whole number of buffers,
 * only the position shows it. */
static void stream_finish(FILE *f)
{
    int fd = descriptor(f);
    if (stream_is_known(fd) && !stream_doubted(f, fd))
        stream_catch_up(f, fd);
}

static inline int closed(struct event *e, enum trace_op op, int rc)
{
    event_put(e, op, -1, 0, rc == -1 ? -errno : 0);
    return rc;
}

WRAP(int, fclose, (FILE * f))
{
    stream_finish(f);
    struct event e = event_on_stream(f);
    fd_forget(descriptor(f));
    return closed(&e, OP_FCLOSE, REAL(fclose)(f));
}
ALIAS(_IO_fclose, fclose);

WRAP(int, pclose, (FILE * f))
{
    struct event e = event_on_stream(f);
    fd_forget(descriptor(f));
    return closed(&e, OP_PCLOSE, REAL(pclose)(f));
}

WRAP(int, fcloseall, (void))
{
    streams_catch_up();
    struct event e = event_now();
    fds_forget_range(3, ~0u); /* descriptors without a stream are looked up again */
    return closed(&e, OP_FCLOSEALL, REAL(fcloseall)());
}

/* ---- blocks ---- */

#define FREAD(name)                                                                    \
    WRAP(size_t, name, (void *buf, size_t size, size_t n, FILE *f))                    \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        size_t got = REAL(name)(buf, size, n, f);                                      \
        stream_put(&e, OP_FREAD, f, size *n, got *size);                               \
        return got;                                                                    \
    }
FREAD(fread)
FREAD(fread_unlocked)
ALIAS(_IO_fread, fread);

#define FWRITE(name)                                                                   \
    WRAP(size_t, name, (const void *buf, size_t size, size_t n, FILE *f))              \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        size_t put = REAL(name)(buf, size, n, f);                                      \
        stream_put(&e, OP_FWRITE, f, size *n, put *size);                              \
        return put;                                                                    \
    }
FWRITE(fwrite)
FWRITE(fwrite_unlocked)
ALIAS(_IO_fwrite, fwrite);

#define FREAD_CHK(name)                                                                \
    WRAP(size_t, name, (void *buf, size_t room, size_t size, size_t n, FILE *f))       \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        size_t got = REAL(name)(buf, room, size, n, f);                                \
        stream_put(&e, OP_FREAD, f, size *n, got *size);                               \
        return got;                                                                    \
    }
FREAD_CHK(__fread_chk)
FREAD_CHK(__fread_unlocked_chk)

/* ---- lines and letters ---- */

/* Returns the bytes that fgets has read. It stops after the first end of line or when
 * the buffer is full; strlen is too small if the file contains zeros. */
static size_t line_bytes(const char *s, int size, FILE *f)
{
    size_t n = s ? strlen(s) : 0, most = size > 0 ? (size_t)size - 1 : 0;
    if (!s || n == most || (n && s[n - 1] == '\n') || feof(f))
        return n;
    const char *end = memchr(s, '\n', most);
    return end ? (size_t)(end - s) + 1 : most;
}

static char *got_line(struct event *e, char *s, int size, FILE *f)
{
    event_over(e);
    if (is_logged(e))
        stream_put(e, OP_FGETS, f, size > 0 ? (size_t)size - 1 : 0,
                   line_bytes(s, size, f));
    return s;
}

#define FGETS(name)                                                                    \
    WRAP(char *, name, (char *buf, int size, FILE *f))                                 \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        return got_line(&e, REAL(name)(buf, size, f), size, f);                        \
    }
FGETS(fgets)
FGETS(fgets_unlocked)

#define FGETS_CHK(name)                                                                \
    WRAP(char *, name, (char *buf, size_t room, int size, FILE *f))                    \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        return got_line(&e, REAL(name)(buf, room, size, f), size, f);                  \
    }
FGETS_CHK(__fgets_chk)
FGETS_CHK(__fgets_unlocked_chk)

#define GETS_LETTER(name, OP)                                                          \
    WRAP(int, name, (FILE * f))                                                        \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        int c = REAL(name)(f);                                                         \
        stream_put(&e, OP, f, 1, c != EOF);                                            \
        return c;                                                                      \
    }
GETS_LETTER(fgetc, OP_FGETC)
GETS_LETTER(fgetc_unlocked, OP_FGETC)
GETS_LETTER(getc, OP_GETC)
GETS_LETTER(getc_unlocked, OP_GETC)
ALIAS(_IO_getc, getc);

#define PUTS_LETTER(name, OP)                                                          \
    WRAP(int, name, (int c, FILE *f))                                                  \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        int put = REAL(name)(c, f);                                                    \
        stream_put(&e, OP, f, 1, put != EOF);                                          \
        return put;                                                                    \
    }
PUTS_LETTER(fputc, OP_FPUTC)
PUTS_LETTER(fputc_unlocked, OP_FPUTC)
PUTS_LETTER(putc, OP_PUTC)
PUTS_LETTER(putc_unlocked, OP_PUTC)
ALIAS(_IO_putc, putc);

/* Wraps the functions that macros call when a buffer ends: they have moved the buffer,
 * and one letter more. */
#define BUFFER_ENDS(name, OP, params, args)                                            \
    WRAP(int, name, params)                                                            \
    {                                                                                  \
        bool writes;                                                                   \
        int fd = descriptor(f);                                                        \
        if (UNLIKELY((unsigned)fd >= FDS || vforked))                                  \
            return REAL(name) args;                                                    \
        int64_t bytes = stream_take_passed(f, fd, &writes);                            \
        struct event e = event_on(fd);                                                 \
        e.flags = TRACE_STREAM;                                                        \
        int letter = REAL(name) args;                                                  \
        event_over(&e);                                                                \
        bytes += letter != EOF;                                                        \
        int64_t at = stream_moved(f, fd, bytes);                                       \
        if (bytes)                                                                     \
            event_put(&e, OP, at, bytes, bytes);                                       \
        return letter;                                                                 \
    }
BUFFER_ENDS(__overflow, OP_UNSEEN_WRITE, (FILE * f, int c), (f, c))
BUFFER_ENDS(__uflow, OP_UNSEEN_READ, (FILE * f), (f))

/* __underflow looks at the next letter, which stays. */
WRAP(int, __underflow, (FILE * f))
{
    int fd = descriptor(f);
    if (fd >= 0)
        stream_look(f, fd);
    int letter = REAL(__underflow)(f);
    if (fd >= 0)
        stream_note(f, fd);
    return letter;
}

/* A letter that is put back is read again, and counts again. */
WRAP(int, ungetc, (int c, FILE *f))
{
    struct event e = event_on_stream(f);
    int put = REAL(ungetc)(c, f);
    event_over(&e);
    event_put(&e, OP_UNGETC, stream_moved(f, e.fd, put == EOF ? 0 : -1), c,
              put == EOF ? -EINVAL : 0);
    return put;
}
ALIAS(_IO_ungetc, ungetc);

WRAP(int, getw, (FILE * f))
{
    struct event e = event_on_stream(f);
    int w = REAL(getw)(f);
    stream_put(&e, OP_GETW, f, sizeof w,
               w != EOF || !(feof(f) || ferror(f)) ? sizeof w : 0);
    return w;
}

WRAP(int, putw, (int w, FILE *f))
{
    struct event e = event_on_stream(f);
    int rc = REAL(putw)(w, f);
    stream_put(&e, OP_PUTW, f, sizeof w, rc ? 0 : sizeof w);
    return rc;
}

#define FPUTS(name)                                                                    \
    WRAP(int, name, (const char *s, FILE *f))                                          \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        int rc = REAL(name)(s, f);                                                     \
        event_over(&e);                                                                \
        size_t n = strlen(s);                                                          \
        stream_put(&e, OP_FPUTS, f, n, rc == EOF ? 0 : n);                             \
        return rc;                                                                     \
    }
FPUTS(fputs)
FPUTS(fputs_unlocked)
ALIAS(_IO_fputs, fputs);

WRAP(ssize_t, getdelim, (char **line, size_t *room, int end, FILE *f))
{
    struct event e = event_on_stream(f);
    ssize_t n = REAL(getdelim)(line, room, end, f);
    stream_put(&e, OP_GETDELIM, f, n > 0 ? (size_t)n : 1, n > 0 ? (size_t)n : 0);
    return n;
}
ALIAS(__getdelim, getdelim);

WRAP(ssize_t, getline, (char **line, size_t *room, FILE *f))
{
    struct event e = event_on_stream(f);
    ssize_t n = REAL(getline)(line, room, f);
    stream_put(&e, OP_GETLINE, f, n > 0 ? (size_t)n : 1, n > 0 ? (size_t)n : 0);
    return n;
}

/* ---- the position, the buffer ---- */

#define SEEKS(name, OP, params, args, offset, whence)                                  \
    WRAP(int, name, params)                                                            \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        int rc = REAL(name) args;                                                      \
        event_put(&e, OP, offset, whence, outcome(rc));                                \
        stream_learn(&e, f);                                                           \
        return rc;                                                                     \
    }

WRAP(long, ftell, (FILE * f))
{
    struct event e = event_on_stream(f);
    return event_moved(&e, OP_FTELL, -1, 0, REAL(ftell)(f));
}

WRAP(off_t, ftello, (FILE * f))
{
    struct event e = event_on_stream(f);
    return event_moved(&e, OP_FTELLO, -1, 0, REAL(ftello)(f));
}
ALIAS(ftello64, ftello);

off_t stream_tell(FILE *f)
{
    return REAL(ftello)(f);
}

/* Reads the position after a call that may have changed it. */
static void stream_learn(const struct event *e, FILE *f)
{
    int error = errno;
    stream_believe(e->fd);
    stream_note(f, e->fd);
    off_t at = stream_is_known(e->fd) ? stream_tell(f) : -1;
    if (at < 0)
        stream_lost(e->fd);
    else
        stream_set(f, e->fd, at);
    errno = error;
}

SEEKS(fseek, OP_FSEEK, (FILE * f, long offset, int whence), (f, offset, whence), offset,
      whence)
SEEKS(fseeko, OP_FSEEKO, (FILE * f, off_t offset, int whence), (f, offset, whence),
      offset, whence)
ALIAS(fseeko64, fseeko);
SEEKS(fgetpos, OP_FGETPOS, (FILE * f, fpos_t *at), (f, at), -1, 0)
ALIAS(fgetpos64, fgetpos);
SEEKS(fsetpos, OP_FSETPOS, (FILE * f, const fpos_t *at), (f, at), -1, 0)
ALIAS(fsetpos64, fsetpos);

WRAP(void, rewind, (FILE * f))
{
    struct event e = event_on_stream(f);
    REAL(rewind)(f);
    event_put(&e, OP_REWIND, 0, SEEK_SET, 0);
    stream_learn(&e, f);
}

static void stream_sync(FILE *f)
{
    if (f)
        stream_finish(f);
    else
        streams_catch_up();
}

/* Wraps fflush. With f NULL it is about all streams. */
#define FFLUSH(name)                                                                   \
    WRAP(int, name, (FILE * f))                                                        \
    {                                                                                  \
        stream_sync(f);                                                                \
        struct event e = f ? event_on_stream(f) : event_now();                         \
        int rc = closed(&e, OP_FFLUSH, REAL(name)(f));                                 \
        if (f)                                                                         \
            stream_moved(f, e.fd, 0);                                                  \
        else                                                                           \
            streams_note(false);                                                       \
        return rc;                                                                     \
    }
FFLUSH(fflush)
FFLUSH(fflush_unlocked)
ALIAS(_IO_fflush, fflush);

/* Records the size of the stream's new buffer, 1: none; 0: the library's choice, as it
 * ignores the size if it gets no memory. */
WRAP(int, setvbuf, (FILE * f, char *buf, int mode, size_t size))
{
    struct event e = event_on_stream(f);
    int rc = REAL(setvbuf)(f, buf, mode, size);
    int64_t now = mode == _IONBF ? 1 : buf ? (int64_t)size : 0;
    event_put(&e, OP_SETVBUF, -1, now, rc ? -EINVAL : 0);
    stream_note(f, e.fd);
    return rc;
}

/* ---- formatted ---- */

/* Returns the position, which alone tells the bytes that scanf has consumed. */
static off_t position(const struct event *e, FILE *f)
{
    int error = errno;
    off_t at = is_logged(e) ? REAL(ftello)(f) : -1;
    errno = error;
    return at;
}

/* Begins an event at the position. Bytes that passed unseen show here, too. A stream
 * that appends reads elsewhere, and writes at the end. */
static struct event event_from_position(FILE *f, enum trace_op op, off_t *before)
{
    struct event e = event_on_stream(f);
    *before = stream_doubted(f, e.fd) ? -1 : position(&e, f);
    if (*before >= 0 && stream_is_known(e.fd) && fds[e.fd].offset != *before)
        stream_catch_up(f, e.fd);
    if (*before >= 0 && op_class[op] == CLASS_WRITE && stream_turns_to_its_end(f))
        *before = stream_end(e.fd);
    if (is_logged(&e))
        e.start = clock_ticks();
    return e;
}

static void moved_position(struct event *e, enum trace_op op, FILE *f, off_t before,
                           bool failed)
{
    event_over(e);
    off_t after = before < 0 ? -1 : position(e, f);
    size_t bytes = after > before ? (size_t)(after - before) : 0;
    if (UNLIKELY(stream_doubted(f, e->fd))) {
        stream_note(f, e->fd);
        event_put(e, op, -1, 0, 0);
    } else
        stream_put(e, op, f, failed && !bytes ? 1 : bytes, bytes);
}

/* Wraps a call whose bytes the position tells. */
#define BY_POSITION_OF(stream, type, name, OP, params, args, failure)                  \
    WRAP(type, name, params)                                                           \
    {                                                                                  \
        off_t before;                                                                  \
        struct event e = event_from_position(stream, OP, &before);                     \
        type result = REAL(name) args;                                                 \
        moved_position(&e, OP, stream, before, result == failure);                     \
        return result;                                                                 \
    }
#define BY_POSITION(type, name, OP, params, args, failure)                             \
    BY_POSITION_OF(f, type, name, OP, params, args, failure)

/* Wraps the form with `...`, by the function that takes a list. */
#define BY_POSITION_LIST(stream, name, OP, params, last, call, failure)                \
    EXPORT int wrap_##name params __asm__(#name);                                      \
    int wrap_##name params                                                             \
    {                                                                                  \
        va_list list;                                                                  \
        off_t before;                                                                  \
        struct event e = event_from_position(stream, OP, &before);                     \
        va_start(list, last);                                                          \
        int result = call;                                                             \
        va_end(list);                                                                  \
        moved_position(&e, OP, stream, before, result == failure);                     \
        return result;                                                                 \
    }

#define VFSCANF(name, OP, letter)                                                      \
    BY_POSITION(int, name, OP, (FILE * f, const letter *format, va_list list),         \
                (f, format, list), EOF)
#define FSCANF(name, vname, OP, letter)                                                \
    BY_POSITION_LIST(f, name, OP, (FILE * f, const letter *format, ...), format,       \
                     REAL(vname)(f, format, list), EOF)
VFSCANF(vfscanf, OP_VFSCANF, char)
VFSCANF(__isoc99_vfscanf, OP_VFSCANF, char)
ALIAS(__vfscanf, vfscanf);
FSCANF(fscanf, vfscanf, OP_FSCANF, char)
FSCANF(__isoc99_fscanf, __isoc99_vfscanf, OP_FSCANF, char)

/* They exist in newer C libraries only; elsewhere nobody calls them. */
VFSCANF(__isoc23_vfscanf, OP_VFSCANF, char)
FSCANF(__isoc23_fscanf, __isoc23_vfscanf, OP_FSCANF, char)

/* Records printf and similar functions, which return the bytes. */
static int printed(struct event *e, enum trace_op op, FILE *f, int n)
{
    event_over(e);
    stream_put(e, op, f, n > 0 ? (size_t)n : n<0, n> 0 ? (size_t)n : 0);
    return n;
}

#define VFPRINTF(name, OP, before, ...)                                                \
    WRAP(int, name, (FILE * f __VA_ARGS__, const char *format, va_list list))          \
    {                                                                                  \
        struct event e = event_on_stream(f);                                           \
        return printed(&e, OP, f, REAL(name)(f before, format, list));                 \
    }
#define COMMA_FLAG , flag
VFPRINTF(vfprintf, OP_VFPRINTF, )
VFPRINTF(__vfprintf_chk, OP_VFPRINTF, COMMA_FLAG, , int flag)

#define PRINTS(name, OP, stream, params, last, call)                                   \
    EXPORT int wrap_##name params __asm__(#name);                                      \
    int wrap_##name params                                                             \
    {                                                                                  \
        va_list list;                                                                  \
        struct event e = event_on_stream(stream);                                      \
        va_start(list, last);                                                          \
        int n = call;                                                                  \
        va_end(list);                                                                  \
        return printed(&e, OP, stream, n);                                             \
    }
PRINTS(fprintf, OP_FPRINTF, f, (FILE * f, const char *format, ...), format,
       REAL(vfprintf)(f, format, list))
ALIAS(_IO_fprintf, fprintf);
PRINTS(__fprintf_chk, OP_FPRINTF, f, (FILE * f, int flag, const char *format, ...),
       format, REAL(__vfprintf_chk)(f, flag, format, list))

/* Writes to stdout are only logged if the program has made it a file. */
PRINTS(printf, OP_PRINTF, stdout, (const char *format, ...), format,
       REAL(vfprintf)(stdout, format, list))
PRINTS(__printf_chk, OP_PRINTF, stdout, (int flag, const char *format, ...), format,
       REAL(__vfprintf_chk)(stdout, flag, format, list))

WRAP(int, vprintf, (const char *format, va_list list))
{
    struct event e = event_on_stream(stdout);
    return printed(&e, OP_VPRINTF, stdout, REAL(vprintf)(format, list));
}

WRAP(int, puts, (const char *s))
{
    struct event e = event_on_stream(stdout);
    int rc = REAL(puts)(s);
    event_over(&e);
    size_t n = strlen(s) + 1;
    stream_put(&e, OP_PUTS, stdout, n, rc == EOF ? 0 : n);
    return rc;
}

WRAP(int, putchar, (int c))
{
    struct event e = event_on_stream(stdout);
    int put = REAL(putchar)(c);
    stream_put(&e, OP_PUTCHAR, stdout, 1, put != EOF);
    return put;
}

/* ---- wide characters. The bytes of one depend on the encoding, which is the stream's
 * own (fopen's ccs=) and not the locale's at the time. So the position tells them;
 * without one, as in a pipe, they are unknown and count as none. ---- */

#define FGETWC(name, OP) BY_POSITION(wint_t, name, OP, (FILE * f), (f), WEOF)
FGETWC(fgetwc, OP_FGETWC)
FGETWC(fgetwc_unlocked, OP_FGETWC)
FGETWC(getwc, OP_GETWC)
FGETWC(getwc_unlocked, OP_GETWC)

#define FPUTWC(name, OP)                                                               \
    BY_POSITION(wint_t, name, OP, (wchar_t c, FILE * f), (c, f), WEOF)
FPUTWC(fputwc, OP_FPUTWC)
FPUTWC(fputwc_unlocked, OP_FPUTWC)
FPUTWC(putwc, OP_PUTWC)
FPUTWC(putwc_unlocked, OP_PUTWC)

#define FGETWS(name)                                                                   \
    BY_POSITION(wchar_t *, name, OP_FGETWS, (wchar_t * s, int n, FILE *f), (s, n, f),  \
                NULL)
FGETWS(fgetws)
FGETWS(fgetws_unlocked)

#define FGETWS_CHK(name)                                                               \
    BY_POSITION(wchar_t *, name, OP_FGETWS,                                            \
                (wchar_t * s, size_t room, int n, FILE *f), (s, room, n, f), NULL)
FGETWS_CHK(__fgetws_chk)
FGETWS_CHK(__fgetws_unlocked_chk)

#define FPUTWS(name)                                                                   \
    BY_POSITION(int, name, OP_FPUTWS, (const wchar_t *s, FILE *f), (s, f), -1)
FPUTWS(fputws)
FPUTWS(fputws_unlocked)

VFSCANF(vfwscanf, OP_VFWSCANF, wchar_t)
VFSCANF(__isoc99_vfwscanf, OP_VFWSCANF, wchar_t)
VFSCANF(__isoc23_vfwscanf, OP_VFWSCANF, wchar_t)
FSCANF(fwscanf, vfwscanf, OP_FWSCANF, wchar_t)
FSCANF(__isoc99_fwscanf, __isoc99_vfwscanf, OP_FWSCANF, wchar_t)
FSCANF(__isoc23_fwscanf, __isoc23_vfwscanf, OP_FWSCANF, wchar_t)

BY_POSITION(int, vfwprintf, OP_VFWPRINTF,
            (FILE * f, const wchar_t *format, va_list list), (f, format, list), -1)
BY_POSITION(int, __vfwprintf_chk, OP_VFWPRINTF,
            (FILE * f, int flag, const wchar_t *format, va_list list),
            (f, flag, format, list), -1)
BY_POSITION_LIST(f, fwprintf, OP_FWPRINTF, (FILE * f, const wchar_t *format, ...),
                 format, REAL(vfwprintf)(f, format, list), -1)
BY_POSITION_LIST(f, __fwprintf_chk, OP_FWPRINTF,
                 (FILE * f, int flag, const wchar_t *format, ...), format,
                 REAL(__vfwprintf_chk)(f, flag, format, list), -1)

/* The standard streams are only logged if the program has made them files. */
#define GETWCHAR(name)                                                                 \
    BY_POSITION_OF(stdin, wint_t, name, OP_GETWCHAR, (void), (), WEOF)
GETWCHAR(getwchar)
GETWCHAR(getwchar_unlocked)

#define PUTWCHAR(name)                                                                 \
    BY_POSITION_OF(stdout, wint_t, name, OP_PUTWCHAR, (wchar_t c), (c), WEOF)
PUTWCHAR(putwchar)
PUTWCHAR(putwchar_unlocked)

#define VSCANF(name, OP, letter)                                                       \
    BY_POSITION_OF(stdin, int, name, OP, (const letter *format, va_list list),         \
                   (format, list), EOF)
#define SCANF(name, vname, OP, letter)                                                 \
    BY_POSITION_LIST(stdin, name, OP, (const letter *format, ...), format,             \
                     REAL(vname)(format, list), EOF)
VSCANF(vscanf, OP_VSCANF, char)
VSCANF(__isoc99_vscanf, OP_VSCANF, char)
VSCANF(__isoc23_vscanf, OP_VSCANF, char)
SCANF(scanf, vscanf, OP_SCANF, char)
SCANF(__isoc99_scanf, __isoc99_vscanf, OP_SCANF, char)
SCANF(__isoc23_scanf, __isoc23_vscanf, OP_SCANF, char)
VSCANF(vwscanf, OP_VWSCANF, wchar_t)
VSCANF(__isoc99_vwscanf, OP_VWSCANF, wchar_t)
VSCANF(__isoc23_vwscanf, OP_VWSCANF, wchar_t)
SCANF(wscanf, vwscanf, OP_WSCANF, wchar_t)
SCANF(__isoc99_wscanf, __isoc99_vwscanf, OP_WSCANF, wchar_t)
SCANF(__isoc23_wscanf, __isoc23_vwscanf, OP_WSCANF, wchar_t)

BY_POSITION_OF(stdout, int, vwprintf, OP_VWPRINTF,
               (const wchar_t *format, va_list list), (format, list), -1)
BY_POSITION_OF(stdout, int, __vwprintf_chk, OP_VWPRINTF,
               (int flag, const wchar_t *format, va_list list), (flag, format, list),
               -1)
BY_POSITION_LIST(stdout, wprintf, OP_WPRINTF, (const wchar_t *format, ...), format,
                 REAL(vwprintf)(format, list), -1)
BY_POSITION_LIST(stdout, __wprintf_chk, OP_WPRINTF,
                 (int flag, const wchar_t *format, ...), format,
                 REAL(__vwprintf_chk)(flag, format, list), -1)

/* A letter that was read and is put back is read again, and counts again. Another
 * letter has no place in the file, and then the C library's position is wrong until it
 * reads more of the file. */
WRAP(wint_t, ungetwc, (wint_t c, FILE *f))
{
    enum { LETTER = 16 }; /* most bytes of a letter */
    off_t before;
    struct event e = event_from_position(f, OP_UNGETWC, &before);
    wint_t put = REAL(ungetwc)(c, f);
    event_over(&e);
    off_t after = before < 0 ? -1 : position(&e, f);
    bool known = after >= 0 && after < before && before - after <= LETTER;
    if (put != WEOF && !known)
        stream_doubt(e.fd);
    stream_note(f, e.fd);
    event_put(&e, OP_UNGETWC, known ? stream_moved(f, e.fd, after - before) : -1,
              (int64_t)c, put == WEOF ? -EINVAL : 0);
    return put;
}

/* ---- formatted, to a descriptor ---- */

WRAP(int, vdprintf, (int fd, const char *format, va_list list))
{
    struct event e = event_on(fd);
    int n = REAL(vdprintf)(fd, format, list);
    fd_shared(fd);
    return (int)event_moved(&e, OP_VDPRINTF, -1, n > 0 ? (size_t)n : 0, n);
}

WRAP(int, __vdprintf_chk, (int fd, int flag, const char *format, va_list list))
{
    struct event e = event_on(fd);
    int n = REAL(__vdprintf_chk)(fd, flag, format, list);
    fd_shared(fd);
    return (int)event_moved(&e, OP_VDPRINTF, -1, n > 0 ? (size_t)n : 0, n);
}

#define DPRINTF(name, params, call)                                                    \
    EXPORT int wrap_##name params __asm__(#name);                                      \
    int wrap_##name params                                                             \
    {                                                                                  \
        va_list list;                                                                  \
        struct event e = event_on(fd);                                                 \
        va_start(list, format);                                                        \
        int n = call;                                                                  \
        va_end(list);                                                                  \
        fd_shared(fd);                                                                 \
        return (int)event_moved(&e, OP_DPRINTF, -1, n > 0 ? (size_t)n : 0, n);         \
    }
DPRINTF(dprintf, (int fd, const char *format, ...), REAL(vdprintf)(fd, format, list))
DPRINTF(__dprintf_chk, (int fd, int flag, const char *format, ...),
        REAL(__vdprintf_chk)(fd, flag, format, list))

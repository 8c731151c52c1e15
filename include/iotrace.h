/* Marks in the trace of a program that runs under iotrace(1): they name what the
 * program does at that time.
 *
 *     #include <iotrace.h>
 *     iotrace_begin("checkpoint");
 *     ...
 *     iotrace_end("checkpoint");
 *     iotrace_mark("converged");
 *
 * Nothing has to be linked. Without the recorder each call costs one comparison. Any
 * thread may call; errno stays as it is. Needs dlsym, which is in -ldl before glibc
 * 2.34. */
#ifndef IOTRACE_H
#define IOTRACE_H

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void iotrace_recorder(int kind, const char *text);

static inline void iotrace_no_recorder(int kind, const char *text)
{
    (void)kind;
    (void)text;
}

/* RTLD_DEFAULT is 0 on every system that has a recorder. A weak reference would do,
 * too, but programs that are not position-independent lose it silently. */
static inline void iotrace_tell(int kind, const char *text)
{
    static iotrace_recorder *recorder;
    if (!recorder) {
        int error = errno;
        union {
            void *data;
            iotrace_recorder *code;
        } found;
        found.data = dlsym(NULL, "iotrace_recorder_mark");
        recorder = found.code ? found.code : iotrace_no_recorder;
        errno = error;
    }
    if (recorder != iotrace_no_recorder)
        recorder(kind, text);
}

static inline void iotrace_mark(const char *text)
{
    iotrace_tell(0, text);
}

static inline void iotrace_begin(const char *text)
{
    iotrace_tell(1, text);
}

static inline void iotrace_end(const char *text)
{
    iotrace_tell(2, text);
}

#ifdef __cplusplus
}
#endif

#endif

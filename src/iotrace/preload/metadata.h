/* Wrappers of calls about a path or a descriptor as a whole. */
#ifndef IOTRACE_PRELOAD_METADATA_H
#define IOTRACE_PRELOAD_METADATA_H

#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"

/* Ends an event. Its name is made after the call and outside its time. Path NULL: the
 * event's own. */
static inline int64_t metadata_done(struct event *e, enum trace_op op, int dir,
                                    const char *path, int64_t request, int64_t result)
{
    event_over(e);
    int error = errno;
    if (path && error != EFAULT)
        e->file = name_of_path_at(dir, path, -1);
    event_put(e, op, -1, request, result < 0 ? -error : result);
    errno = error;
    return result;
}

#define ON_PATH(name, OP, params, args, path)                                          \
    WRAP(int, name, params)                                                            \
    {                                                                                  \
        struct event e = event_now();                                                  \
        return (int)metadata_done(&e, OP, AT_FDCWD, path, 0, REAL(name) args);         \
    }
#define ON_PATH_AT(name, OP, params, args, dir, path, request)                         \
    WRAP(int, name, params)                                                            \
    {                                                                                  \
        struct event e = event_now();                                                  \
        return (int)metadata_done(&e, OP, dir, path, (int64_t)(request),               \
                                  REAL(name) args);                                    \
    }
#define ON_OPEN(name, OP, params, args)                                                \
    WRAP(int, name, params)                                                            \
    {                                                                                  \
        struct event e = event_on(fd);                                                 \
        return (int)event_moved(&e, OP, -1, 0, REAL(name) args);                       \
    }

#endif

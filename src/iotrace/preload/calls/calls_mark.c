/* The functions that include/iotrace.h finds with dlsym: the program's own marks and
 * regions. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"

/* kind: 0 a mark, 1 a region begins, 2 it ends. */
EXPORT void iotrace_recorder_mark(int kind, const char *text);
void iotrace_recorder_mark(int kind, const char *text)
{
    static const enum trace_op op[] = {OP_MARK, OP_REGION_BEGIN, OP_REGION_END};
    int error = errno;
    if (kind < 0 || kind > 2 || !text)
        return;
    struct event e = event_now();
    event_over(&e);
    e.file = name_of_text(text, TRACE_MARK, -1);
    event_put(&e, op[kind], -1, 0, 0);
    errno = error;
}

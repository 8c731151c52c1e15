/* The common log of processes that do nothing to files: most of those that a shell
 * starts. Each has a place in it from its begin on, a log's header with little text. It
 * is cleared when the process gets a log of its own, with its first event. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static struct {
    long pid; /* the process that has no log of its own yet; 0: none */
    int64_t at;
    char path[PATH_BYTES];
    union {
        struct trace_header header;
        char bytes[TRACE_IDLE_BYTES];
    } place;
} idle;

bool idle_is(void)
{
    return idle.pid && !is_running() && !vforked && idle.pid == sys_pid();
}

/* Appends the place, and finds out where it is. */
static bool append(void)
{
    int fd =
        (int)sys_call(SYS_openat, AT_FDCWD, idle.path,
                      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = fd >= 0 && sys_write(fd, &idle.place, sizeof idle.place) ==
                               (long)sizeof idle.place;
    if (good)
        idle.at = sys_call(SYS_lseek, fd, 0, SEEK_CUR) - (int64_t)sizeof idle.place;
    if (good && idle.at == 0) /* whatever the umask is */
        sys_call(SYS_fchmod, fd, 0600);
    if (fd >= 0)
        sys_close(fd);
    return good && idle.at >= 0 && idle.at % (int64_t)sizeof idle.place == 0;
}

static void put(const void *bytes, size_t n)
{
    int fd = sys_open(idle.path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0)
        return;
    sys_pwrite(fd, bytes, n, (uint64_t)idle.at);
    sys_close(fd);
}

bool idle_begin(const char *path)
{
    struct utsname host;
    if (sys_call(SYS_uname, &host))
        return false;
    snprintf(idle.path, sizeof idle.path, "%.4000s.%s", path, host.nodename);
    header_begin(&idle.place.header, sizeof idle.place);
    if (!append())
        return false;
    idle.pid = sys_pid();
    return true;
}

bool idle_over(void)
{
    static const char nothing[sizeof idle.place.header.magic];
    bool was = idle_is();
    if (was)
        put(nothing, sizeof nothing);
    idle.pid = 0;
    return was;
}

void idle_end(enum trace_state how)
{
    header_end(&idle.place.header, sizeof idle.place, how);
    put(&idle.place, sizeof idle.place);
    idle.pid = 0;
}

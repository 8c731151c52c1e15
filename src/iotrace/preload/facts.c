/* Facts of the system about the process, besides its calls. They are in the header's
 * text, and tell how far the log can be trusted. */
#include "iotrace/format/program.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a small file of /proc as a whole; false: it does not exist. */
static bool facts_read(const char *file, char *text, size_t room)
{
    int fd = sys_open(file, O_RDONLY | O_CLOEXEC, 0);
    long n = fd < 0 ? -1 : sys_read(fd, text, room - 1);
    if (fd >= 0)
        sys_close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* ---- bytes ---- */

enum { COUNTS = 6, NUMBERS = 10 };

static int64_t began[COUNTS]; /* -1: not known */

/* Reads counters such as "rchar: 1\nwchar: 2\n...". */
static bool read_counts(int64_t count[COUNTS])
{
    char text[512];
    if (!facts_read("/proc/self/io", text, sizeof text))
        return false;
    const char *at = text;
    for (int i = 0; i < COUNTS; i++) {
        at = strstr(at, ": ");
        if (!at)
            return false;
        count[i] = strtoll(at += 2, NULL, 10);
    }
    return true;
}

static void add_numbers(const char *key, const int64_t *number, int n)
{
    char text[24 * NUMBERS];
    int at = 0;
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, i ? ":%jd" : "%jd",
                       (intmax_t)number[i]);
    header_add(key, text);
}

/* Notes what the kernel has counted before the log: of the loader, of the program
 * before this one, of children. */
static void start_counts(bool before)
{
    if (!before) {
        sys_moved_reset();
        if (!read_counts(began))
            began[0] = -1;
    }
    if (began[0] >= 0)
        add_numbers("before", began, 2);
}

static void add_counts(void)
{
    int64_t c[NUMBERS], own[2];
    sys_moved(own); /* the counts include what was read before them */
    if (began[0] < 0 || !read_counts(c))
        return;
    for (int i = 0; i < COUNTS; i++)
        c[i] -= began[i];
    c[COUNTS] = own[1];
    c[COUNTS + 1] = own[0];
    for (int w = 0; w < 2; w++)
        c[COUNTS + 2 + w] =
            (int64_t)__atomic_load_n(&state->passed[w], __ATOMIC_RELAXED);
    add_numbers("io", c, NUMBERS);
}

/* ---- processors ---- */

enum { WORD_BITS = 8 * sizeof(long) };

static unsigned long mask[TRACE_CPUS / WORD_BITS];

static bool may_use(int cpu)
{
    return cpu < TRACE_CPUS && (mask[cpu / WORD_BITS] >> cpu % WORD_BITS & 1);
}

/* Lists processors as "0-3,8". False: the list is too long. */
static bool list_cpus(char text[TRACE_CPUS_TEXT])
{
    int at = 0;
    for (int first = 0, last; first < TRACE_CPUS && at < TRACE_CPUS_TEXT;
         first = last + 1) {
        last = first;
        if (!may_use(first))
            continue;
        while (may_use(last + 1))
            last++;
        at += snprintf(text + at, (size_t)(TRACE_CPUS_TEXT - at),
                       last > first ? "%s%d-%d" : "%s%d", at ? "," : "", first, last);
    }
    return at < TRACE_CPUS_TEXT;
}

static void add_cores(void)
{
    char text[TRACE_CPUS_TEXT];
    int cores = 0;
    long bytes = sys_call(SYS_sched_getaffinity, 0, sizeof mask, mask);
    for (long i = 0; i < bytes / (long)sizeof *mask; i++)
        cores += __builtin_popcountl(mask[i]);
    if (bytes <= 0)
        return;
    snprintf(text, sizeof text, "%d", cores);
    header_add("cores", text);
    if (list_cpus(text))
        header_add("cpus", text);
}

/* Reads the waiting time of schedstat, which is "ran waited turns"; -1: the kernel does
 * not count it. */
static int64_t waited_of(const char *file)
{
    char text[96], *end;
    if (!facts_read(file, text, sizeof text))
        return -1;
    strtoull(text, &end, 10);
    return *end == ' ' ? strtoll(end, NULL, 10) : -1;
}

void facts_thread_ends(void)
{
    int error = errno;
    int64_t ns = waited_of("/proc/thread-self/schedstat");
    if (ns > 0)
        __atomic_fetch_add(&state->waited_ns, ns, __ATOMIC_RELAXED);
    errno = error;
}

struct task { /* linux_dirent64 */
    uint64_t ino;
    int64_t next;
    unsigned short bytes;
    unsigned char type;
    char name[];
};

/* Sums the waiting time of all threads that exist. -1: not known. */
static int64_t waited_by_threads(char *room)
{
    char file[64];
    int64_t sum = -1;
    int fd = sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    for (long n; fd >= 0 && (n = sys_call(SYS_getdents64, fd, room, ROOM_BYTES)) > 0;)
        for (long at = 0; at < n;) {
            const struct task *t = (const void *)(room + at);
            at += t->bytes;
            snprintf(file, sizeof file, "/proc/self/task/%.20s/schedstat", t->name);
            int64_t ns = *t->name == '.' ? -1 : waited_of(file);
            if (ns >= 0)
                sum = (sum < 0 ? 0 : sum) + ns;
        }
    if (fd >= 0)
        sys_close(fd);
    return sum;
}

void facts_waited(const char *key)
{
    char text[24];
    ROOM(room);
    int64_t ns = room ? waited_by_threads(room) : -1;
    if (ns < 0)
        return;
    ns += __atomic_load_n(&state->waited_ns, __ATOMIC_RELAXED);
    snprintf(text, sizeof text, "%jd", (intmax_t)ns);
    header_add(key, text);
}

/* ---- the program ---- */

/* Adds the kind of program. Children that run no other program are of their parent's
 * kind. */
static void add_program(void)
{
    static enum { UNKNOWN, SEEN, GO } program;
    ROOM(room);
    if (program == UNKNOWN && room)
        program =
            program_kinds(AT_FDCWD, "/proc/self/exe", room) & PROGRAM_GO ? GO : SEEN;
    if (program == GO)
        header_add("program", "go");
}

/* ---- begin and end ---- */

void facts_begin(bool before)
{
    start_counts(before);
    add_cores();
    add_program();
}

void facts_end(void)
{
    facts_waited("waited_ns");
    add_counts();
}

/* Declarations that the parts of the recorder share. An event is recorded like this:
 *
 *   struct event e = event_on(fd);                     the file, and the time
 *   ssize_t n = REAL(pread)(fd, buf, bytes, offset);
 *   return event_moved(&e, OP_PREAD, offset, bytes, n);
 *
 * This path has no lock, no allocation, no system call (but those of clock_gettime) and
 * nothing that a signal handler or another thread must wait for. All other work is in
 * functions that are not inlined, which keep errno as it was. */
#ifndef IOTRACE_PRELOAD_RECORDER_H
#define IOTRACE_PRELOAD_RECORDER_H

#include "iotrace/format/ops.h"
#include "iotrace/format/trace.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

_Static_assert(sizeof(long) == 8 && sizeof(off_t) == 8, "names with 64 are aliases");

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
    RECORDS = (TRACE_BLOCK - sizeof(struct trace_block)) / sizeof(struct trace_record),
    FDS = 1 << 16,   /* descriptors with a place in the table */
    NAMES = 1 << 16, /* names that can be found again, and count in the summary */
    LANES = 1 << 14, /* threads at once */
    PATH_BYTES = 4352,
    PLACES = 16,             /* known pairs of a file system and its block size */
    HEADER_BYTES = 32 << 10, /* with its text */
    ROOM_BYTES = 32 << 10
};

/* Values of an event's `file` other than ids. */
#define FILE_EXCLUDED UINT32_C(0xfffffffe) /* left out by IOTRACE_INCLUDE, _EXCLUDE */
#define FILE_HIDDEN UINT32_C(0xffffffff)   /* stdin, stdout, stderr */

enum mode { MODE_TRACE = 1, MODE_PROFILE = 2 };

struct profile;

/* The place of a thread. When the thread ends, the next one takes it over with its
 * block. */
struct lane {
    struct trace_block *block; /* the block for the next record; NULL: none yet */
    struct profile *profile;
    uint64_t sequence; /* number of the next block */
    uint32_t number;
    int taken;
    int emptying; /* its block is being copied to the end of the file */
} __attribute__((aligned(64)));

struct file_sum { /* sums of a file for the summary: reads, writes */
    uint64_t calls[2], bytes[2], ticks[2];
};

struct name_slot {
    uint64_t hash; /* 0: free */
    uint32_t id;   /* 0: it is being made */
};

/* Memory that the kernel wipes in a forked child, however it was forked: so the child
 * notices it by `on`, and all that belongs to the parent's log is gone. */
struct state {
    int on, ended;
    unsigned lanes; /* lanes that were ever taken */
    uint32_t names; /* ids given */
    uint64_t name_end;
    uint64_t name_blocks;
    uint64_t events, bytes, ticks; /* sums of level 0, for the summary */
    uint64_t passed[2]; /* bytes read, written by calls that are not recorded */
    unsigned late_blocks;
    /* blocks not summed up yet, as a record was not filled */
    struct trace_block *late[256];
    struct staged *staged;  /* blocks of the log that are not mapped */
    uint32_t place[PLACES]; /* names of places; 0: none yet */
    int64_t waited_ns;      /* waits of threads that have ended */
    struct lane lane[LANES];
    struct name_slot slot[NAMES];
    struct file_sum sum[NAMES];
};

struct fd_entry {
    uint32_t file;  /* 0: not looked up yet */
    uint32_t owner; /* number + 1 of the lane that knows the offset; 0: none does */
    int64_t offset;
};

/* The recorder of a process; a forked child inherits it and makes it its own. */
struct recorder {
    struct trace_header *header; /* header of the log; NULL: there is none */
    int mode;                    /* enum mode; 0: nothing is recorded */
    bool tsc, text;
    uint64_t renew_at; /* ticks: time to read the clocks again */
    double ns_per_tick;
    int (*clock)(clockid_t, struct timespec *); /* the kernel's clock_gettime */
    int fd; /* descriptor of the log; -1: it is opened for each use */
    uint64_t dev, ino;
    uint64_t blocks_most;
    bool full;
    bool staged; /* no block is mapped: log_settle writes them */
    int fd_top;  /* descriptors above it were never in the table */
    char name[PATH_BYTES];
};

extern struct state *state;
extern struct recorder recorder;
extern struct fd_entry fds[FDS];
extern uint64_t name_at[NAMES]; /* place of a name in the log's file */
extern const uint8_t op_class[OP_COUNT];

/* The model initial-exec needs no call, and no memory of its own. */
extern __thread struct lane *lane;
extern __thread uint8_t level; /* number of traced calls around this one */
extern __thread int vforked;   /* > 0: this is a child that shares our memory */

/* ---- start.c ---- */
bool recorder_start(void); /* false: there is no log, and there will be none */
void recorder_end(enum trace_state how);     /* no more events are expected */
void recorder_suspend(enum trace_state how); /* later events go to another log */
void recorder_forked(void);
unsigned recorder_generation(void); /* number of the next log */
const char *recorder_app(void);
const char *recorder_execution(void);
void header_add(const char *key, const char *value); /* adds a line to its text */
/* Make and end a short header of so many bytes, which is nobody's log. */
void header_begin(struct trace_header *h, size_t room);
void header_end(struct trace_header *h, size_t room, enum trace_state how);

/* ---- process/environment.c ---- */
void environment_keep(void);
bool environment_is_known(void); /* false: the C library has not started yet */
const char *environment(const char *name); /* getenv may be redefined by programs */

/* Returns the environment for a program of `kinds` that is started with the given one:
 * with what the recorder needs there, or without it if the program's loader does not
 * take it. `continues`: the process goes on as that program. `room` is of so many bytes
 * as environment_room says, and is kept until then. */
size_t environment_room(char *const given[]);
char *const *environment_next(void *room, char *const given[], uint32_t kinds,
                              bool continues);

/* ---- process/idle.c ---- */
bool idle_begin(const char *path); /* false: the process needs a log of its own */
bool idle_is(void);                /* true: it has none yet */
bool idle_over(void);              /* it gets one now; true: it had none */
void idle_end(enum trace_state how);

/* ---- sys.c ---- */

/* Memory for a block of code: the program's stack may be that of a signal handler, or
 * the smallest that a thread can have. room_take does not wait, and takes nothing from
 * malloc. NULL: there is none. */
char *room_take(void);
void room_give(char **room);
#define ROOM(name) char *name __attribute__((cleanup(room_give))) = room_take()

/* ---- symbols.c ---- */
void *symbols_kernel_clock(void); /* NULL: only a system call reads it */

/* ---- clock.c ---- */
int clock_by_call(clockid_t id, struct timespec *t);
void clock_start(void);
void clock_set_header(void);
void clock_renew(void);
int64_t clock_unix_ns(uint64_t ticks);

/* ---- log.c ---- */
bool log_open(void);
bool log_is_ours(int fd);
/* The log's descriptor. It is taken for each use anew: the program may close any, or
 * have few. */
struct log_use {
    int fd;     /* -1: the log is gone */
    bool brief; /* log_give closes it */
};
#define NO_LOG ((struct log_use){-1, false})
struct log_use log_take(void);
void log_give(struct log_use u);
void log_move(int fd);
/* a block to fill */
void *log_block(enum trace_kind kind, uint32_t thread, uint64_t sequence);
void log_settle(void); /* writes blocks that are only in memory */
bool log_copy(const struct trace_block *b);
uint64_t log_place(int fd);               /* allocates a block in the file; 0: none */
void log_trim(void *mapped, size_t used); /* frees space that is not needed */
void log_trim_names(void);
bool log_name_taken(const char *name);
void log_tell(const char *line, size_t bytes); /* on stderr, if that does no harm */
void complain(const char *what, const char *about);

/* ---- ring.c ---- */
struct lane *lane_get(void);
void lane_start(void);
bool ring_next(void);
void ring_sum(void); /* sums up the events since the last call */
void ring_trim(void);
void ring_freeze(void); /* records stay in place; events without space are dropped */

/* ---- names.c ---- */
uint32_t name_of_text(const char *text, enum trace_name_kind kind, int fd);
/* These may return FILE_EXCLUDED. */
uint32_t name_of_link(const char *text, int fd);
uint32_t name_of_path(const char *path, int fd);
uint32_t name_of_path_at(int dir, const char *path, int fd);
long name_of_fd(char *text, int fd); /* PATH_BYTES of room; the length, or -1 */
uint32_t name_again(uint32_t id, int fd);
void names_start(void);
void names_inherit(int old_log);
void names_visit(void (*each)(const struct trace_name *, void *), void *with);
bool name_is_first(const char *text); /* true if it is asked for the first time */
void names_moved(void); /* call it when the working directory has changed */

/* Registers a function that forgets numbers of names, which differ in a child's log.
 * Call it each time before keeping one. At most NAME_KEEPERS functions. */
#define NAME_KEEPERS 4
void names_kept(void (*forget)(void));

/* ---- places.c ---- */
uint32_t fd_place(int fd); /* id of a TRACE_PLACE; 0: not known */

/* ---- facts.c ---- */
/* `before`: the counts are those of an earlier begin, with an event in between. */
void facts_begin(bool before);
void facts_thread_ends(void);
void facts_waited(const char *key); /* adds the time without a core until now */
void facts_end(void);

/* ---- fds.c ---- */
void fds_start(void);
uint32_t fd_resolve(int fd);
uint32_t fd_peek(int fd);
void fd_opened(int fd, uint32_t file, bool offset_known);
void fd_forget(int fd);
void fd_dupped(int from, int to);
void fds_forget_range(unsigned first, unsigned last);
void fds_shared(void); /* other processes may move the offsets from here on */
void fd_shared(int fd);
bool fd_is_given(int fd); /* True if the process began with it. */

/* ---- profile.c ---- */
struct event;
void profile_add(const struct event *e, enum trace_op op, int64_t result, int flags);
void profile_sum(void);
void profile_trim(const struct profile *p);

/* ---- summary.c, tsv.c ---- */
void summary_write(void);
void tsv_write(void);

/* ---- events ---- */

struct event {
    uint64_t start, end; /* ticks; end 0: the event has not ended */
    uint32_t file;
    int flags;
    int fd; /* descriptor of a stream */
};

/* Reads a clock without the C library's clock_gettime, which another library may
 * replace. */
static inline void clock_get(clockid_t id, struct timespec *t)
{
    recorder.clock(id, t);
}

static inline uint64_t clock_ticks(void)
{
#ifdef __x86_64__
    if (LIKELY(recorder.tsc))
        return __rdtsc();
#endif
    struct timespec t;
    clock_get(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline bool is_running(void)
{
    return LIKELY(state && state->on);
}

/* Adds in one instruction: a signal handler comes before or after, never between. Other
 * threads have words of their own. */
static inline uint64_t add_here(uint64_t *word, uint64_t n)
{
#ifdef __x86_64__
    __asm__ volatile("xaddq %0, %1" : "+r"(n), "+m"(*word) : : "memory", "cc");
    return n;
#else
    return __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
#endif
}

static inline uint32_t take_one(uint32_t *word)
{
#ifdef __x86_64__
    uint32_t n = 1;
    __asm__ volatile("xaddl %0, %1" : "+r"(n), "+m"(*word) : : "memory", "cc");
    return n;
#else
    return __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
#endif
}

/* True if this thread has its place. If not, it may be a child's, with nothing of its
 * own yet, or there may not even be a clock. */
static inline bool has_lane(void)
{
    return LIKELY(lane && __atomic_load_n(&lane->taken, __ATOMIC_RELAXED));
}

/* Begins an event that is not (yet) about a file. */
static inline struct event event_now(void)
{
    if (UNLIKELY(!has_lane()))
        lane_get();
    return (struct event){.start = clock_ticks()};
}

static inline struct event event_on(int fd)
{
    struct event e = {0};
    if (LIKELY((unsigned)fd < FDS && !vforked))
        e.file = fds[fd].file;
    if (UNLIKELY(!e.file || (!has_lane() && e.file != FILE_HIDDEN)))
        e.file = fd_resolve(fd);
    if (LIKELY(e.file < FILE_EXCLUDED))
        e.start = clock_ticks();
    return e;
}

static inline bool is_logged(const struct event *e)
{
    return LIKELY(e->file < FILE_EXCLUDED);
}

static inline void event_over(struct event *e)
{
    e->end = clock_ticks();
}

void event_left_out(const struct event *e, enum trace_op op, int64_t result);

/* Reserves a record for this thread to fill; NULL: there is none. */
static inline struct trace_record *ring_reserve(void)
{
    do {
        struct trace_block *b = LIKELY(lane) ? lane->block : NULL;
        if (LIKELY(b)) {
            uint32_t i = take_one(&b->reserved);
            if (LIKELY(i < RECORDS))
                return (struct trace_record *)(b + 1) + i;
        }
    } while (ring_next());
    return NULL;
}

/* Ends a record. Its end is one word: the operation makes it valid. */
static inline void record_seal(struct trace_record *r, uint32_t file, enum trace_op op,
                               int flags)
{
    uint64_t last = file | (uint64_t)op << 32 | (uint64_t)level << 48 |
                    (uint64_t)(uint8_t)flags << 56;
    __atomic_store_n((uint64_t *)(void *)&r->file, last, __ATOMIC_RELEASE);
}

static inline void event_put(struct event *e, enum trace_op op, int64_t offset,
                             int64_t request, int64_t result)
{
    if (!is_logged(e)) {
        event_left_out(e, op, result);
        return;
    }
    if (!e->end)
        event_over(e);
    if (UNLIKELY(vforked))
        e->flags |= TRACE_CHILD;
    if (UNLIKELY(recorder.mode != MODE_TRACE)) {
        if (recorder.mode & MODE_PROFILE)
            profile_add(e, op, result, e->flags & ~TRACE_DIRECT);
        if (recorder.mode == MODE_PROFILE)
            return;
    }
    struct trace_record *r = ring_reserve();
    if (LIKELY(r)) {
        r->start = e->start;
        r->duration = e->end > e->start ? e->end - e->start : 0;
        r->offset = offset;
        r->request = request;
        r->result = result;
        record_seal(r, e->file, op, e->flags);
    }
    if (UNLIKELY(e->end > __atomic_load_n(&recorder.renew_at, __ATOMIC_RELAXED)))
        clock_renew();
}

/* Returns the result of a call that returns -1 and sets errno. */
static inline int64_t outcome(int64_t result)
{
    return UNLIKELY(result < 0) ? -errno : result;
}

static inline int64_t event_moved(struct event *e, enum trace_op op, int64_t offset,
                                  size_t request, int64_t result)
{
    event_put(e, op, offset, (int64_t)request, outcome(result));
    return result;
}

/* ---- calls_load.c ---- */
void loads_counted(uint64_t *deep, uint64_t *apart);

/* ---- calls_fd.c ---- */
int event_opened(struct event *e, enum trace_op op, int dir, const char *path,
                 int flags, int fd);
int event_copied(struct event *e, enum trace_op op, int from, int fd);
bool is_the_log(int fd);

#endif

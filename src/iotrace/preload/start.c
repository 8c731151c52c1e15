/* A process's log from its begin to its end: the environment, the header, and what is
 * done at exit, after a fork, before another program. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/streams.h"
#include "iotrace/preload/sys.h"
#include "iotrace/preload/uring.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#define STATE_BYTES ((sizeof(struct state) + 65535) / 65536 * 65536)

struct state *state;
struct recorder recorder = {.fd = -1, .clock = clock_by_call};

/* ---- names ---- */

static struct {
    char app[256], execution[1024], cwd[4096];
    const char *mode;
    int rank, ranks;
    bool has_cwd;
    uint32_t generation;
} self;

static const char *variable(const char *name, const char *usual)
{
    const char *value = environment(name);
    return value && *value ? value : usual;
}

/* Puts the process's number in place of the first %d or %i, as in the paper. */
static void with_pid(char *text, size_t bytes, const char *from)
{
    const char *d = strstr(from, "%d"), *i = strstr(from, "%i");
    const char *at = d && (!i || d < i) ? d : i;
    if (at)
        snprintf(text, bytes, "%.*s%d%s", (int)(at - from), from, (int)sys_pid(),
                 at + 2);
    else
        snprintf(text, bytes, "%s", from);
}

static int start_number(const char *name)
{
    const char *value = environment(name);
    return value && *value >= '0' && *value <= '9' ? atoi(value) : -1;
}

/* Finds the rank. A batch script itself has SLURM_PROCID, too: only a step's is a
 * rank. */
static void find_rank(void)
{
    static const char *const of[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMIX_RANK", "PMIX_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    self.rank = self.ranks = -1;
    for (int i = 0; i < 4 && self.rank < 0; i++) {
        if (i == 3 && !environment("SLURM_STEP_ID"))
            break;
        self.rank = start_number(of[i][0]);
        self.ranks = start_number(of[i][1]);
    }
}

/* Turns DIR/NAME into DIR/rank0003.NAME. */
static void name_with_rank(void)
{
    ROOM(name);
    char *slash = strrchr(recorder.name, '/');
    char *base = slash ? slash + 1 : recorder.name;
    if (!name || self.rank < 0 || strcmp(variable("IOTRACE_RANKNAMES", ""), "1") != 0)
        return;
    strcpy(name, base);
    snprintf(base, sizeof recorder.name - (size_t)(base - recorder.name), "rank%04d.%s",
             self.rank, name);
}

static void name_log(void)
{
    char pattern[300];
    ROOM(given);
    if (!given)
        return;
    snprintf(self.app, sizeof self.app, "%s", variable("IOTRACE_APPNAME", "unknown"));
    snprintf(pattern, sizeof pattern, "%s.%d", self.app, (int)sys_pid());
    const char *execution = variable("IOTRACE_EXECNAME", NULL);
    if (execution)
        with_pid(self.execution, sizeof self.execution, execution);
    else
        snprintf(self.execution, sizeof self.execution, "%s", pattern);
    const char *file = variable("IOTRACE_LOGFILE", NULL);
    if (file)
        with_pid(given, PATH_BYTES, file);
    else
        snprintf(given, PATH_BYTES, "%s_log.%s", self.execution,
                 recorder.text ? "tsv" : "bin");
    bool whole = *given == '/' || !*self.cwd || strlen(self.cwd) > 3000;
    snprintf(recorder.name, sizeof recorder.name, "%.3000s%s%.1200s",
             whole ? "" : self.cwd, whole ? "" : "/", given);
    name_with_rank();
}

/* ---- the environment ---- */

static uint64_t size_of_text(const char *text)
{
    char *end;
    double n = strtod(text, &end);
    const char *unit = *end ? strchr("KMGT", *end & ~0x20) : NULL;
    for (const char *u = "KMGT"; unit && u <= strchr("KMGT", *unit); u++)
        n *= 1024;
    return n > 0 ? (uint64_t)n : 0;
}

static void read_environment(void)
{
    const char *mode = variable("IOTRACE_MODE", "trace");
    const char *most = variable("IOTRACE_MAX_BYTES", NULL);
    /* A child's relative names are relative to its parent's directory. */
    if (!self.has_cwd && sys_call(SYS_getcwd, self.cwd, sizeof self.cwd) < 0)
        *self.cwd = 0;
    self.has_cwd = true;
    self.mode = !strcmp(mode, "profile") ? "profile"
                : !strcmp(mode, "both")  ? "both"
                                         : "trace";
    recorder.mode = *self.mode == 'p'   ? MODE_PROFILE
                    : *self.mode == 'b' ? MODE_TRACE | MODE_PROFILE
                                        : MODE_TRACE;
    recorder.text = recorder.mode == MODE_TRACE &&
                    strcmp(variable("IOTRACE_BINARY", ""), "true") != 0;
    recorder.blocks_most = most ? size_of_text(most) / TRACE_BLOCK : UINT64_MAX;
    names_start();
}

/* Finds the number of this log among those of the process: a process that becomes
 * another program tells it. */
static void find_generation(void)
{
    int pid = 0, generation = 0;
    if (sscanf(variable("IOTRACE_PROCESS", ""), "%d.%d", &pid, &generation) == 2 &&
        pid == sys_pid())
        self.generation = (uint32_t)generation;
}

unsigned recorder_generation(void)
{
    return self.generation;
}

const char *recorder_app(void)
{
    return self.app;
}

const char *recorder_execution(void)
{
    return self.execution;
}

/* ---- the header ---- */

struct text {
    char *at, *end;
};

static void line(struct text *t, const char *key, const char *value)
{
    if (t->end - t->at < (long)(strlen(key) + strlen(value) + 3))
        return;
    t->at = stpcpy(stpcpy(stpcpy(t->at, key), "="), value);
    *t->at++ = '\n';
    *t->at = 0;
}

/* Adds a file of /proc as one line: blanks separate arguments. */
static void line_of_file(struct text *t, const char *key, const char *file)
{
    ROOM(text);
    int fd = text ? sys_open(file, O_RDONLY | O_CLOEXEC, 0) : -1;
    long n = fd < 0 ? 0 : sys_read(fd, text, 4095);
    if (fd >= 0)
        sys_close(fd);
    while (n > 0 && !text[n - 1])
        n--;
    if (!text)
        return;
    for (long i = 0; i < n; i++)
        if (text[i] == 0 || text[i] == '\n')
            text[i] = ' ';
    text[n > 0 ? n : 0] = 0;
    line(t, key, text);
}

static void lines_of_format(struct text *t)
{
    static const char *const class[CLASSES] = {
        "NONE", "READ", "WRITE", "OPEN", "CLOSE",   "SEEK", "SYNC",
        "META", "MAP",  "COPY",  "MARK", "PROCESS", "WAIT", "LOCK"};
    static const char *const name[OP_COUNT] = {
#define X(e, text, class) [OP_##e] = text,
        TRACE_OPS(X)
#undef X
    };
    char entry[128];
#define FIELD(name, type, unit)                                                        \
    snprintf(entry, sizeof entry, "%s:%s:%zu:%s", #name, type,                         \
             offsetof(struct trace_record, name), unit);                               \
    line(t, "field", entry)
    FIELD(start, "u64", "tick");
    FIELD(duration, "u64", "tick");
    FIELD(offset, "i64", "byte");
    FIELD(request, "i64", "byte");
    FIELD(result, "i64", "byte");
    FIELD(file, "u32", "id");
    FIELD(op, "u16", "op");
    FIELD(level, "u8", "level");
    FIELD(flags, "u8", "flags");
#undef FIELD
    for (int op = 1; op < OP_COUNT; op++) {
        snprintf(entry, sizeof entry, "%d:%s:%s", op, name[op], class[op_class[op]]);
        line(t, "op", entry);
    }
}

static void read_exe(char *text)
{
    long n = text ? sys_readlink("/proc/self/exe", text, 4095) : 0;
    if (text)
        text[n > 0 ? n : 0] = 0;
}

static void write_text(struct trace_header *h)
{
    struct utsname host;
    ROOM(link);
    struct text t = {(char *)(h + 1), (char *)h + HEADER_BYTES};
    char *begin = t.at;
    line(&t, "app", self.app);
    line(&t, "execution", self.execution);
    read_exe(link);
    line(&t, "exe", link ? link : "");
    line_of_file(&t, "argv", "/proc/self/cmdline");
    line(&t, "host", sys_call(SYS_uname, &host) ? "" : host.nodename);
    line(&t, "cwd", self.cwd);
    line(&t, "version", IOTRACE_VERSION);
    line(&t, "mode", self.mode);
    lines_of_format(&t);
    h->text_bytes = (uint32_t)(t.at - begin);
}

static size_t header_room = HEADER_BYTES;

/* Adds a line at the end of the text of an existing header. Only at the begin or the
 * end of the log, when one thread uses it. */
void header_add(const char *key, const char *value)
{
    struct trace_header *h = recorder.header;
    struct text t = {(char *)(h + 1) + h->text_bytes, (char *)h + header_room};
    line(&t, key, value);
    h->text_bytes = (uint32_t)(t.at - (char *)(h + 1));
}

static void put_uring(void)
{
    uint64_t rings, unseen;
    char text[64];
    uring_end(&rings, &unseen);
    snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)rings, (uintmax_t)unseen);
    if (rings)
        header_add("uring", text);
}

static void put_loads(void)
{
    uint64_t deep, apart;
    char text[64];
    loads_counted(&deep, &apart);
    snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)deep, (uintmax_t)apart);
    if (deep || apart)
        header_add("loads", text);
}

/* Returns the begin of the process, which the kernel counts in clock ticks after the
 * boot. */
static int64_t began_ns(void)
{
    char text[1024];
    int fd = sys_open("/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
    long n = fd < 0 ? 0 : sys_read(fd, text, sizeof text - 1);
    if (fd >= 0)
        sys_close(fd);
    text[n > 0 ? n : 0] = 0;
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    struct timespec real, boot;
    clock_get(CLOCK_REALTIME, &real);
    clock_get(CLOCK_BOOTTIME, &boot);
    int64_t since_boot = at ? strtoll(at + 1, NULL, 10) : 0;
    return (real.tv_sec - boot.tv_sec) * INT64_C(1000000000) +
           (real.tv_nsec - boot.tv_nsec) +
           since_boot * (INT64_C(1000000000) / (int64_t)getauxval(AT_CLKTCK));
}

/* Fills in what is known of the process, but for the text and the clock. */
static void fill_numbers(struct trace_header *h)
{
    h->version = TRACE_VERSION;
    h->header_bytes = sizeof *h;
    h->record_bytes = sizeof(struct trace_record);
    h->block_bytes = TRACE_BLOCK;
    h->pid = (uint32_t)sys_pid();
    h->ppid = (uint32_t)sys_call(SYS_getppid);
    h->generation = self.generation++;
    h->rank = self.rank;
    h->ranks = self.ranks;
    h->first_ns = began_ns();
}

static void fill_header(void)
{
    struct trace_header *h = recorder.header;
    fill_numbers(h);
    clock_set_header();
    write_text(h);
    memcpy(h->magic, TRACE_MAGIC, sizeof h->magic);
}

/* ---- short headers ---- */

enum { END_BYTES = 192 }; /* lines of the end */

static void short_header(struct trace_header *h, size_t room)
{
    recorder.header = h;
    header_room = h ? room : HEADER_BYTES;
}

static int64_t unix_ns_now(void)
{
    struct timespec t;
    clock_get(CLOCK_REALTIME, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void header_begin(struct trace_header *h, size_t room)
{
    struct utsname host;
    ROOM(exe);
    short_header(h, room - END_BYTES);
    fill_numbers(h);
    self.generation--; /* the log that may follow has this number, too */
    h->clock = TRACE_NS;
    h->unix_ns[0] = h->unix_ns[1] = unix_ns_now();
    header_add("app", self.app);
    header_add("host", sys_call(SYS_uname, &host) ? "" : host.nodename);
    header_add("mode", self.mode);
    facts_begin(false);
    read_exe(exe);
    header_add("exe", exe ? exe : "");
    memcpy(h->magic, TRACE_MAGIC, sizeof h->magic);
    short_header(NULL, 0);
}

void header_end(struct trace_header *h, size_t room, enum trace_state how)
{
    short_header(h, room);
    put_uring();
    put_loads();
    facts_end();
    h->unix_ns[1] = unix_ns_now();
    h->state = how;
    short_header(NULL, 0);
}

/* ---- beginnings and ends ---- */

static struct {
    int tid; /* the thread that starts; 0: none does */
    bool hopeless;
} starting;

static bool make_state(void)
{
    void *p = sys_mmap(STATE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    sys_call(SYS_madvise, p, STATE_BYTES, MADV_WIPEONFORK);
    state = p;
    return true;
}

static void exits(void *nothing);
static void quits(void *nothing);

/* Registers the handlers of the end. Those that are registered first run last: after
 * all destructors, also those of other libraries; a destructor of ours would run before
 * most of them. A library's constructor can come before ours, make the first call, and
 * end the process. */
static void register_ends(void)
{
    extern int __cxa_atexit(void (*)(void *), void *, void *);
    extern int __cxa_at_quick_exit(void (*)(void *), void *);
    static bool done;
    if (done)
        return;
    done = true;
    __cxa_atexit(exits, NULL, NULL);
    __cxa_at_quick_exit(quits, NULL);
}

static bool begin_process(void)
{
    if (!make_state())
        return false;
    reals_find();
    environment_keep();
    fds_start();
    lane_start();
    find_rank();
    find_generation();
    register_ends();
    return true;
}

/* Begins a log, of a new process; or of a child that still has its parent's log; or of
 * a process that has ended its log and lives on: exec failed, abort was caught. */
static bool start_begin(void)
{
    struct trace_header *old = recorder.header;
    int old_log = old ? log_take().fd : -1;
    if (!state && !begin_process())
        return false;
    if (old && old->pid != (uint32_t)sys_pid())
        self.generation = 0;
    clock_start();
    read_environment();
    name_log();
    if (!log_open())
        return false;
    fill_header();
    facts_begin(idle_over());
    __atomic_store_n(&state->on, 1, __ATOMIC_RELEASE);
    names_inherit(old_log);
    if (old_log >= 0)
        sys_close(old_log);
    clock_renew();
    return true;
}

/* Starts the recorder. One thread does it, others wait; but a signal handler that
 * interrupts it does not. It allocates nothing and calls nothing that an allocator or a
 * clock of the program may replace: the first caller may be the allocator itself, at
 * its own begin. Before the C library has started there is no environment, and calls
 * pass through.
 *
 * A program with privileges of its own (setuid) must not write where its caller says:
 * the loader ignores most preloading there, but not that of a setuid library. */
bool recorder_start(void)
{
    int error = errno, none = 0;
    if (starting.hopeless || !environment_is_known() || getauxval(AT_SECURE))
        return false;
    int tid = (int)sys_call(SYS_gettid);
    if (__atomic_load_n(&starting.tid, __ATOMIC_ACQUIRE) == tid)
        return false;
    while (!__atomic_compare_exchange_n(&starting.tid, &none, tid, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        none = 0;
        sys_call(SYS_sched_yield);
    }
    if (!is_running() && !start_begin())
        starting.hopeless = true;
    __atomic_store_n(&starting.tid, 0, __ATOMIC_RELEASE);
    errno = error;
    return is_running();
}

/* Wipes the state, so that later events of this process go into a new log. */
static void wipe(void)
{
    if (state)
        sys_call(SYS_madvise, state, STATE_BYTES, MADV_DONTNEED);
}

/* Resets a forked child, if the kernel has not done it. */
void recorder_forked(void)
{
    starting.tid = 0;
    if (is_running())
        wipe();
}

/* Puts off the log until the first event, if the run has a common log for processes
 * that have none. Ranks are looked for by their logs, and have one. */
static bool recorder_waits(void)
{
    if (is_running() || !environment_is_known() || getauxval(AT_SECURE) ||
        (!state && !begin_process()))
        return false;
    const char *path = variable("IOTRACE_IDLE", NULL);
    read_environment();
    name_log();
    return path && self.rank < 0 && !recorder.text && idle_begin(path);
}

void recorder_end(enum trace_state how)
{
    int error = errno;
    if (idle_is())
        idle_end(how);
    errno = error;
    if (!is_running() || vforked || recorder.header->pid != (uint32_t)sys_pid() ||
        __atomic_exchange_n(&state->ended, 1, __ATOMIC_ACQ_REL))
        return;
    put_uring();
    put_loads();
    clock_renew();
    recorder.header->state = how;
    if (recorder.text)
        tsv_write();
    else {
        if (recorder.mode & MODE_TRACE)
            ring_sum();
        else
            profile_sum();
        summary_write();
        ring_trim();
        log_trim_names();
        facts_end(); /* counts what the recorder itself did before */
        log_trim(recorder.header,
                 sizeof *recorder.header + recorder.header->text_bytes);
        log_settle();
    }
    errno = error;
}

/* Suspends the log: exec may fail, abort be caught. */
void recorder_suspend(enum trace_state how)
{
    int error = errno;
    bool mine = is_running() && !vforked;
    recorder_end(how);
    if (mine)
        wipe();
    errno = error;
}

static void exits(void *nothing)
{
    (void)nothing;
    if (is_running() && !vforked && recorder.header->pid == (uint32_t)sys_pid())
        streams_catch_up();
    recorder_end(TRACE_EXITED);
}

static void quits(void *nothing)
{
    (void)nothing;
    recorder_end(TRACE_QUIT);
}

__attribute__((constructor)) static void preloaded(void)
{
    if (!recorder_waits())
        recorder_start();
    streams_note(true);
    register_ends();
}

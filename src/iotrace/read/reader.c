#include "iotrace/read/reader.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/format/program.h"
#include "iotrace/read/log.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t log_window_bytes = 64 << 10;

void log_window(int64_t bytes)
{
    log_window_bytes = bytes < 4096 ? 4096 : bytes > 256 << 10 ? 256 << 10 : bytes;
}

int64_t log_read(const struct log *l, void *to, int64_t bytes, int64_t offset)
{
    int64_t have = 0;
    while (have < bytes) {
        ssize_t n = pread(l->fd, (char *)to + have, (size_t)(bytes - have),
                          l->at + offset + have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(-errno, l->info.path, offset + have,
                           "the log cannot be read: %s", strerror(errno));
        if (n == 0)
            break;
        have += n;
    }
    return have;
}

/* Cuts the number off a path "FILE@N" of a place in a common log; -1: there is none. */
static int64_t cut_place(char *path)
{
    char *at = log_is_place(path) ? strrchr(path, '@') : NULL;
    if (!at)
        return -1;
    *at = 0;
    return strtoll(at + 1, NULL, 10);
}

static int reader_open_file(struct log *l)
{
    struct stat st;
    char path[sizeof l->info.path];
    memcpy(path, l->info.path, sizeof path);
    int64_t place = cut_place(path);
    l->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (l->fd < 0)
        return err_set(-errno, l->info.path, -1, "the log cannot be opened: %s",
                       strerror(errno));
    if (fstat(l->fd, &st) || !S_ISREG(st.st_mode))
        return err_set(-EINVAL, l->info.path, -1, "this is not a file");
    l->at = place < 0 ? 0 : place * TRACE_IDLE_BYTES;
    l->size = place < 0 ? st.st_size : TRACE_IDLE_BYTES;
    return 0;
}

bool log_is_place(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, TRACE_IDLE ".", sizeof TRACE_IDLE) &&
           strchr(slash ? slash : path, '@');
}

static int open_kind(struct log *l)
{
    static const struct log_kind *const kinds[] = {&binary_kind, &table_kind};
    static const char nothing[8];
    char head[12] = "";
    int64_t n = log_read(l, head, sizeof head, 0);
    if (n < 0)
        return (int)n;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !l->kind; i++)
        if (!memcmp(head, kinds[i]->begins, strlen(kinds[i]->begins)))
            l->kind = kinds[i];
    if (l->kind)
        return l->kind->open(l);
    if (l->size == 0 || (n >= 8 && !memcmp(head, nothing, 8)))
        return err_set(-EINVAL, l->info.path, -1,
                       "the log is empty: its process ended before it was begun");
    return err_set(-EINVAL, l->info.path, -1,
                   "this is neither a log of libiotrace nor a table of its columns");
}

int log_open(struct log **out, const char *path)
{
    struct log *l = *out = mem_of(path, 1, sizeof *l, "a log");
    if (!l)
        return -ENOMEM;
    struct log_info *i = &l->info;
    l->fd = -1;
    i->app = i->execution = i->exe = i->argv = i->host = i->mode = i->cwd = "";
    i->rank = i->ranks = -1;
    snprintf(i->path, sizeof i->path, "%s", path);
    l->pairs = pairs_make();
    int rc = l->pairs ? reader_open_file(l) : -ENOMEM;
    rc = rc ? rc : open_kind(l);
    if (!rc && log_is_place(path)) { /* all has been read; there can be thousands */
        close(l->fd);
        l->fd = -1;
    }
    if (rc)
        log_close(out);
    return rc;
}

void log_close(struct log **l)
{
    if (!*l)
        return;
    if ((*l)->kind)
        (*l)->kind->close(*l);
    if ((*l)->fd >= 0)
        close((*l)->fd);
    pairs_free((*l)->pairs);
    free(*l);
    *l = NULL;
}

/* Returns the side of a copy that the event's file is on; older logs do not tell. */
static uint8_t side_of(const struct log *l, const struct event *e)
{
    if (e->class != CLASS_COPY || l->info.version < 2)
        return e->class;
    return e->flags & TRACE_SOURCE ? CLASS_READ : CLASS_WRITE;
}

static void count_once(struct log *l, struct event *e)
{
    const struct op *op = op_get(e->op);
    bool failed = e->result < 0;
    e->row = e->op;
    e->begun_ns = e->start_ns;
    e->time_class = (uint8_t)op->time_class;
    e->file_class = side_of(l, e);
    e->other_end = e->class == CLASS_COPY && e->flags & TRACE_OTHER_END;
    bool begins = e->flags & TRACE_ASYNC && !failed;
    e->calls = !begins && !e->other_end;
    if (begins)
        pairs_begin(l->pairs, e);
    else if (op->ends)
        pairs_end(l->pairs, e);
}

/* Adds calls to what the kernel has counted, too. A stream fills its buffer anew after
 * its begin and after each seek, and need not use all of it. */
static void count_moved(struct log_info *i, const struct op *op, int flags,
                        int64_t calls, int64_t bytes)
{
    const int64_t buffer = 4096;
    for (int w = 0; w < 2; w++)
        if (op->counted & 1 << w && bytes > 0)
            log_sum(&i->moved[w], bytes);
    if (flags & TRACE_STREAM && !op_moves(op->class))
        i->excess += calls * buffer;
}

void log_profiled(struct log_info *i, int op, const struct trace_profile *p)
{
    count_moved(i, op_get(op), p->flags, (int64_t)p->count, (int64_t)p->bytes);
    if (op_get(op)->executes)
        i->became = p->file;
}

int log_next(struct log *l, struct event *e)
{
    int rc = l->kind->next(l, e);
    l->info.events += rc == 1;
    if (rc == 1) {
        count_once(l, e);
        const struct op *op = op_get(e->op);
        count_moved(&l->info, op, e->flags, 1, e->other_end ? 0 : e->bytes);
        l->info.became = op->executes ? e->name : 0;
        if (op->class == CLASS_PROCESS && log_program(l, e->name))
            l->info.lost = e->name;
    }
    if (rc == 0)
        l->info.uncompleted = pairs_open(l->pairs);
    return rc;
}

const struct log_info *log_info(const struct log *l)
{
    return &l->info;
}

const char *log_name(const struct log *l, uint32_t id)
{
    return l->kind->name(l, id);
}

uint32_t log_names(const struct log *l)
{
    return l->kind->names(l);
}

bool log_is_file(const struct log *l, uint32_t id, int32_t *fd)
{
    return l->kind->is_file && l->kind->is_file(l, id, fd);
}

bool log_facts(const struct log *l, uint32_t id, struct log_facts *f)
{
    const struct log_kind *k = l->kind;
    const char *place = k->fact ? k->fact(l, id, TRACE_PLACE) : NULL;
    const char *mpi = k->fact ? k->fact(l, id, TRACE_MPI) : NULL;
    return facts_of_file(f, place, mpi);
}

uint32_t log_program(const struct log *l, uint32_t id)
{
    const struct log_kind *k = l->kind;
    const char *words = k->fact ? k->fact(l, id, TRACE_PROGRAM) : NULL;
    return words ? program_read_words(words) : 0;
}

int log_profile(struct log *l,
                int (*visit)(void *arg, const struct trace_profile *p, int op,
                             int64_t ns),
                void *arg)
{
    return l->kind->profile ? l->kind->profile(l, visit, arg) : 0;
}

/* True if the process no longer runs. If it was on another host, nothing shows that it
 * does. */
static bool writer_is_gone(const struct log_info *i)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return !i->table && i->state == TRACE_RUNNING &&
           (strcmp(host, i->host) != 0 || (kill(i->pid, 0) && errno == ESRCH));
}

bool log_is_growing(const struct log *l)
{
    return !l->info.table && l->info.state == TRACE_RUNNING &&
           !writer_is_gone(&l->info);
}

/* The count of a note, and the rest of its sentence. */
struct remark {
    uint64_t n;
    const char *one, *many;
};

static const char *note_of_uring(const struct log_info *i, char text[LOG_NOTE_SIZE])
{
    char many[32] = "";
    if (i->uring_unseen)
        snprintf(many, sizeof many, "%" PRIu64 " ", i->uring_unseen);
    snprintf(text, LOG_NOTE_SIZE,
             "the process uses io_uring by itself: %" PRIu64 " ring%s, %stransfers not "
             "seen",
             i->uring_rings, units_s(i->uring_rings), many);
    return text;
}

const char *log_note(const struct log *l, int n, char text[LOG_NOTE_SIZE])
{
    const struct log_info *i = &l->info;
    const struct remark remark[] = {
        {i->dropped, "event was not recorded: recording stopped, the log was full",
         "events were not recorded: recording stopped, the log was full"},
        {i->excluded, "event of excluded files was not recorded",
         "events of excluded files were not recorded"},
        {i->damaged, "damaged record skipped", "damaged records skipped"},
        {i->damaged_blocks, "damaged block skipped", "damaged blocks skipped"},
        {i->missing_blocks, "block is missing at the end of the file",
         "blocks are missing at the end of the file"},
        {i->unfinished, "call was in progress when the process ended",
         "calls were in progress when the process ended"},
        {i->inferred, "call is taken for another one's doing, by its time",
         "calls are taken for other ones' doing, by their times"},
        {i->uncompleted,
         "asynchronous transfer has no end in the log, and does not count",
         "asynchronous transfers have no end in the log, and do not count"}};
    for (size_t k = 0; k < sizeof remark / sizeof remark[0]; k++)
        if (remark[k].n && n-- == 0) {
            snprintf(text, LOG_NOTE_SIZE, "%" PRIu64 " %s", remark[k].n,
                     remark[k].n == 1 ? remark[k].one : remark[k].many);
            return text;
        }
    if (i->uring_rings && n-- == 0)
        return note_of_uring(i, text);
    if (i->clock_unknown && n-- == 0)
        return "the clock was never calibrated: all times are in its ticks";
    if (writer_is_gone(i) && n-- == 0)
        return "the process has not said its end: it was killed, or ended past the C "
               "library, as programs in Go do; what it recorded is there";
    if (log_is_growing(l) && n-- == 0)
        return "the process still runs: this is what it recorded up to now";
    return NULL;
}

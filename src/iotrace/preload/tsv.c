/* The log as text. It is made at the end of the process from its blocks, which are
 * merged by the times at which calls began. Each block is sorted by itself; the merge
 * holds those whose times overlap, usually one for each thread. */
#include "iotrace/format/escape.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <string.h>

struct source { /* a block that is being merged */
    const struct trace_record *record;
    int at, count;
    uint16_t order[RECORDS];
};

struct heap {
    struct source **of;
    int used;
};

struct block_start {
    uint64_t first; /* its earliest start */
    uint64_t index;
};

struct tsv {
    int fd;
    struct log_use log;
    uint64_t sequence;
    size_t used, prefix_bytes, pid_bytes;
    char prefix[6144]; /* columns: application, execution, tool */
    char pid[16];
    int64_t second; /* the second that `digits` shows */
    char digits[24];
    size_t digit_count;
    const char **name; /* "text \t fd \t" for each id */
    uint32_t names;
    char *name_text, *name_end; /* place of the next name */
    bool failed;
    char text[1 << 18];
};

/* Allocates memory for the conversion: from the system, not from the program's malloc,
 * which may be what crashed. */
static void *memory(size_t bytes)
{
    void *p = sys_mmap(bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* ---- order ---- */

static uint64_t start_of(const struct source *s)
{
    return s->record[s->order[s->at]].start;
}

/* Sorts records, which are in the order of their ends: nearly sorted. */
static void tsv_sort(struct source *s)
{
    for (int i = 1; i < s->count; i++) {
        uint16_t x = s->order[i];
        int j = i;
        for (; j > 0 && s->record[s->order[j - 1]].start > s->record[x].start; j--)
            s->order[j] = s->order[j - 1];
        s->order[j] = x;
    }
}

static void swap(struct heap *h, int a, int b)
{
    struct source *x = h->of[a];
    h->of[a] = h->of[b];
    h->of[b] = x;
}

static void tsv_sift_down(struct heap *h)
{
    for (int i = 0;;) {
        int least = i;
        for (int c = 2 * i + 1; c <= 2 * i + 2 && c < h->used; c++)
            if (start_of(h->of[c]) < start_of(h->of[least]))
                least = c;
        if (least == i)
            return;
        swap(h, i, least);
        i = least;
    }
}

static void heap_push(struct heap *h, struct source *s)
{
    int i = h->used++;
    h->of[i] = s;
    for (; i > 0 && start_of(h->of[i]) < start_of(h->of[(i - 1) / 2]); i = (i - 1) / 2)
        swap(h, i, (i - 1) / 2);
}

/* ---- blocks ---- */

/* Reads a block instead of mapping it: on a full disk a block may lack space, and
 * touching such a page would end the program. */
static const struct trace_block *tsv_read_block(int log, uint64_t index)
{
    char *b = memory(TRACE_BLOCK);
    long n = b ? sys_pread(log, b, TRACE_BLOCK, index * TRACE_BLOCK) : -1;
    if (b && n < 0) {
        sys_munmap(b, TRACE_BLOCK);
        b = NULL;
    }
    return (const void *)b;
}

static struct source *open_source(int log, uint64_t index)
{
    const struct trace_block *b = tsv_read_block(log, index);
    struct source *s = b ? memory(sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->record = (const struct trace_record *)(b + 1);
    for (int i = 0; i < RECORDS; i++)
        if (__atomic_load_n(&s->record[i].op, __ATOMIC_ACQUIRE))
            s->order[s->count++] = (uint16_t)i;
    tsv_sort(s);
    return s;
}

static void close_source(struct source *s)
{
    sys_munmap((void *)((uintptr_t)s->record - sizeof(struct trace_block)),
               TRACE_BLOCK);
    sys_munmap(s, sizeof *s);
}

static int by_first(const void *a, const void *b)
{
    uint64_t x = ((const struct block_start *)a)->first;
    uint64_t y = ((const struct block_start *)b)->first;
    return x < y ? -1 : x > y;
}

static uint64_t first_in(const struct trace_block *b)
{
    const struct trace_record *r = (const struct trace_record *)(b + 1);
    uint64_t first = UINT64_MAX;
    for (int i = 0; i < RECORDS; i++)
        if (r[i].op && r[i].start < first)
            first = r[i].start;
    return first;
}

/* Prepares names as they appear in a line, with their descriptor. */
static void take_names(struct tsv *t, const struct trace_block *b)
{
    const char *at = (const char *)(b + 1), *end = (const char *)b + TRACE_BLOCK;
    for (const struct trace_name *n = (const void *)at;
         end - at >= (long)sizeof *n && n->bytes >= sizeof *n && n->bytes <= end - at;
         n = (const void *)(at += n->bytes)) {
        if (n->id > t->names ||
            t->name_end - t->name_text < ESCAPE_MOST * (long)n->bytes + 16)
            continue;
        t->name[n->id] = t->name_text;
        t->name_text += escape_text(t->name_text, n->text);
        t->name_text += snprintf(t->name_text, 16, "\t%d\t", n->fd) + 1;
    }
}

/* Lists the blocks with records, by their earliest start. */
static int find_blocks(struct tsv *t, struct block_start *list, uint64_t blocks)
{
    int count = 0;
    for (uint64_t i = 1; i < blocks; i++) {
        const struct trace_block *b = tsv_read_block(t->log.fd, i);
        if (b && b->kind == TRACE_RECORDS) {
            list[count] = (struct block_start){first_in(b), i};
            count += list[count].first != UINT64_MAX;
        } else if (b && b->kind == TRACE_NAMES)
            take_names(t, b);
        if (b)
            sys_munmap((void *)(uintptr_t)b, TRACE_BLOCK);
    }
    /* They are nearly sorted: blocks are taken in the order of time. */
    for (int i = 1; i < count; i++) {
        struct block_start x = list[i];
        int j = i;
        for (; j > 0 && by_first(&list[j - 1], &x) > 0; j--)
            list[j] = list[j - 1];
        list[j] = x;
    }
    return count;
}

/* ---- text ---- */

static void tsv_flush(struct tsv *t)
{
    for (size_t done = 0; done < t->used;) {
        long n = sys_write(t->fd, t->text + done, t->used - done);
        if (n <= 0 && errno != EINTR)
            t->failed = true;
        if (n <= 0 && t->failed)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    t->used = 0;
}

static char *put_number(char *at, uint64_t n)
{
    char digits[20];
    int i = 20;
    do
        digits[--i] = (char)('0' + n % 10);
    while (n /= 10);
    memcpy(at, digits + i, (size_t)(20 - i));
    return at + (20 - i);
}

static char *put_nine(char *at, uint32_t n)
{
    for (int i = 8; i >= 0; i--) {
        at[i] = (char)('0' + n % 10);
        n /= 10;
    }
    return at + 9;
}

static char *put_time(struct tsv *t, char *at, int64_t ns)
{
    int64_t second = ns / 1000000000;
    if (second != t->second) {
        t->second = second;
        t->digit_count = (size_t)(put_number(t->digits, (uint64_t)second) - t->digits);
    }
    memcpy(at, t->digits, sizeof t->digits);
    at += t->digit_count;
    *at++ = '.';
    return put_nine(at, (uint32_t)(ns % 1000000000));
}

static int64_t tsv_bytes_of(const struct trace_record *r)
{
    int class = op_class[r->op];
    if (r->result < 0)
        return -1;
    if (r->flags & TRACE_ASYNC)
        return 0;
    return class == CLASS_READ || class == CLASS_WRITE || class == CLASS_COPY
               ? r->result
               : 0;
}

static void put_record(struct tsv *t, const struct trace_record *r)
{
    static const struct {
        const char *text;
        size_t bytes;
    } op[OP_COUNT] = {
#define X(e, name, class) [OP_##e] = {name "\t", sizeof name},
        TRACE_OPS(X)
#undef X
    };
    if (t->used > sizeof t->text - sizeof t->prefix - 1024 - ESCAPE_MOST * PATH_BYTES)
        tsv_flush(t);
    char *at = t->text + t->used;
    at = mempcpy(at, t->prefix, t->prefix_bytes);
    const char *name = r->file <= t->names ? t->name[r->file] : NULL;
    at = stpcpy(at, name ? name : "\t-1\t");
    at = put_number(at, t->sequence++);
    *at++ = '\t';
    at = mempcpy(at, op[r->op].text, op[r->op].bytes);
    int64_t bytes = tsv_bytes_of(r);
    if (bytes < 0)
        *at++ = '-';
    at = put_number(at, (uint64_t)(bytes < 0 ? -bytes : bytes));
    *at++ = '\t';
    int64_t start = clock_unix_ns(r->start);
    int64_t end = clock_unix_ns(r->start + r->duration);
    at = put_time(t, at, start);
    *at++ = '\t';
    at = put_time(t, at, end);
    *at++ = '\t';
    at = put_number(at, (uint64_t)(end - start) / 1000000000);
    *at++ = '.';
    at = put_nine(at, (uint32_t)((end - start) % 1000000000));
    at = mempcpy(at, t->pid, t->pid_bytes);
    t->used = (size_t)(at - t->text);
}

/* ---- all together ---- */

static void merge(struct tsv *t, const struct block_start *list, int count)
{
    struct heap h = {memory(((size_t)count + 1) * sizeof *h.of), 0};
    for (int next = 0; h.of && (next < count || h.used);) {
        if (next < count && (!h.used || list[next].first <= start_of(h.of[0]))) {
            struct source *s = open_source(t->log.fd, list[next++].index);
            t->failed |= !s;
            if (s)
                heap_push(&h, s);
            continue;
        }
        struct source *s = h.of[0];
        const struct trace_record *r = &s->record[s->order[s->at++]];
        if (op_class[r->op] != CLASS_COPY || !(r->flags & TRACE_OTHER_END))
            put_record(t, r); /* a copy has one line */
        if (s->at == s->count) {
            h.of[0] = h.of[--h.used];
            close_source(s);
        }
        if (h.used)
            tsv_sift_down(&h);
    }
    t->failed |= !h.of;
}

static void tsv_begin(struct tsv *t)
{
    static const char columns[] = "Application\tExecution\tTool\tFilename\tfd\t"
                                  "Op sequence\tOperation\tBytes\tstart_time\t"
                                  "end_time\tTime (sec)\tPID\n";
    memcpy(t->text, columns, sizeof columns - 1);
    t->used = sizeof columns - 1;
    char *at = t->prefix;
    at += escape_text(at, recorder_app());
    *at++ = '\t';
    at += escape_text(at, recorder_execution());
    at = stpcpy(at, "\tIOTRACE\t");
    t->prefix_bytes = (size_t)(at - t->prefix);
    t->pid_bytes =
        (size_t)snprintf(t->pid, sizeof t->pid, "\t%u\n", recorder.header->pid);
    t->second = -1;
}

static bool convert(struct tsv *t)
{
    if (t->log.fd < 0)
        return false;
    /* If the disk or the limit was reached, fewer blocks exist than were counted. */
    long bytes = sys_call(SYS_lseek, t->log.fd, 0L, SEEK_END);
    uint64_t blocks = bytes > 0 ? (uint64_t)bytes / TRACE_BLOCK : 0;
    struct block_start *list = memory((size_t)blocks * sizeof *list);
    size_t names = (size_t)(state->name_blocks + 1) * TRACE_BLOCK * ESCAPE_MOST;
    t->names = state->names;
    t->name = memory(((size_t)t->names + 1) * sizeof *t->name);
    t->name_text = memory(names);
    if (!list || !t->name || !t->name_text)
        return false;
    t->name_end = t->name_text + names;
    tsv_begin(t);
    merge(t, list, find_blocks(t, list, blocks));
    tsv_flush(t);
    return !t->failed;
}

/* Gives the file its name NAME, or NAME.1 and so on if that has been taken
 * meanwhile. */
static bool give_name(const char *from, char *name, size_t bytes)
{
    size_t end = strlen(recorder.name);
    memcpy(name, recorder.name, end + 1);
    for (int n = 1; n < 1000; n++) {
        if (!sys_call(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, name, RENAME_NOREPLACE))
            return true;
        /* The file system cannot do it in one step. */
        if (errno == EINVAL && !log_name_taken(name))
            return !sys_call(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, name, 0);
        if (errno != EEXIST && errno != EINVAL)
            return false;
        snprintf(name + end, bytes - end, ".%d", n);
    }
    return false;
}

static void tell_dropped(uint64_t dropped, const char *name)
{
    ROOM(line);
    if (!dropped || !line)
        return;
    int n = snprintf(line, ROOM_BYTES, "libiotrace: %ju events are not in %s\n",
                     (uintmax_t)dropped, name);
    log_tell(line, (size_t)n < ROOM_BYTES ? (size_t)n : ROOM_BYTES - 1);
}

/* Writes the text, under another name until it is complete. */
void tsv_write(void)
{
    struct tsv *t = memory(sizeof *t);
    ROOM(room);
    if (!t || !room)
        return;
    char *part = room, *text = part + 2 * PATH_BYTES, *name = text + 2 * PATH_BYTES;
    /* events dropped before the end of the process */
    uint64_t dropped = recorder.header->dropped;
    ring_freeze();
    log_settle();
    stpcpy(stpcpy(part, recorder.name), ".part");
    stpcpy(stpcpy(text, part), ".text");
    sys_unlink(text); /* left by a killed process, or a link set as a trap */
    t->fd = sys_create(text);
    t->log = log_take();
    bool good = t->fd >= 0 && convert(t) && give_name(text, name, PATH_BYTES + 16);
    log_give(t->log);
    if (!good)
        complain("the log stays as it is, in binary form: ", part);
    else
        tell_dropped(dropped, name);
    sys_unlink(good ? part : text);
    if (t->fd >= 0)
        sys_close(t->fd);
    sys_munmap(t, sizeof *t);
}

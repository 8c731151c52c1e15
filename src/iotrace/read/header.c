/* The header of a log: its description of itself, checked. */
#include "base/err.h"
#include "base/mem.h"
#include "iotrace/read/log.h"
#include "iotrace/read/op.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MIN 4096u
#define BLOCK_MAX (16u << 20)

static const struct {
    const char *name;
    uint32_t at, bytes;
} native[FIELDS] = {
#define F(name)                                                                        \
    {                                                                                  \
#name, offsetof(struct trace_record, name),                                    \
            sizeof(((struct trace_record *)0)->name)                                   \
    }
    F(start), F(duration), F(offset), F(request), F(result),
    F(file),  F(op),       F(level),  F(flags)
#undef F
};

static int header_refuse(const char *path, const char *what, uint64_t value)
{
    return err_set(-EINVAL, path, -1, "the log's header is damaged: %s is %" PRIu64,
                   what, value);
}

/* Returns 2^48 times the nanoseconds of a tick: one multiplication a record, exact to a
 * nanosecond in a day. 0: the two moments tell nothing. */
static uint64_t slope(const struct trace_header *f)
{
    uint64_t ticks = f->ticks[1] - f->ticks[0];
    int64_t ns = f->unix_ns[1] - f->unix_ns[0];
    if (f->ticks[1] <= f->ticks[0] || ns <= 0)
        return 0;
    unsigned __int128 s =
        (((unsigned __int128)(uint64_t)ns << HEADER_SHIFT) + ticks / 2) / ticks;
    return s >> 58 ? 0 : (uint64_t)s; /* a tick above 2^10 ns is not plausible */
}

static bool is_time(int64_t ns)
{
    return ns >= 0 && ns < (int64_t)1 << 62;
}

static int check_times(struct header *h, const char *path)
{
    struct trace_header *f = &h->fixed;
    if (f->clock > TRACE_TSC)
        return header_refuse(path, "clock", f->clock);
    if (!is_time(f->unix_ns[0]) || !is_time(f->unix_ns[1]) || !is_time(f->first_ns))
        return header_refuse(path, "a moment of its clock", (uint64_t)f->unix_ns[0]);
    for (int i = 0; i < 2; i++)
        if (!is_time(f->offset_at_ns[i]) || f->offset_ns[i] > (int64_t)1 << 61 ||
            f->offset_ns[i] < -((int64_t)1 << 61))
            return header_refuse(path, "a moment of the ranks' clocks",
                                 (uint64_t)f->offset_at_ns[i]);
    h->ns_per_tick = slope(f);
    /* Both clocks run alike: if they differ, one was set, or the two moments are too
     * close to each other. */
    uint64_t one = (uint64_t)1 << HEADER_SHIFT;
    if (f->clock == TRACE_NS &&
        (h->ns_per_tick < one - one / 1000 || h->ns_per_tick > one + one / 1000))
        h->ns_per_tick = 0;
    return 0;
}

int header_check(struct header *h, const char *path)
{
    struct trace_header *f = &h->fixed;
    if (f->version < 1 || f->version > TRACE_VERSION)
        return err_set(-EINVAL, path, -1,
                       "the log is of version %" PRIu32 "; this iotrace reads "
                       "versions 1 to %d",
                       f->version, TRACE_VERSION);
    if (f->block_bytes < BLOCK_MIN || f->block_bytes > BLOCK_MAX || f->block_bytes % 8)
        return header_refuse(path, "block_bytes", f->block_bytes);
    if (f->header_bytes < sizeof *f || f->header_bytes > f->block_bytes)
        return header_refuse(path, "header_bytes", f->header_bytes);
    if (f->text_bytes > f->block_bytes - f->header_bytes)
        return header_refuse(path, "text_bytes", f->text_bytes);
    if (f->record_bytes < sizeof(struct trace_record) || f->record_bytes > 4096 ||
        f->record_bytes % 8 ||
        f->record_bytes > f->block_bytes - sizeof(struct trace_block))
        return header_refuse(path, "record_bytes", f->record_bytes);
    if (f->state > TRACE_EXEC)
        return header_refuse(path, "state", f->state);
    if (f->rank < -1 || f->ranks < -1 || f->pid > INT32_MAX || f->ppid > INT32_MAX)
        return header_refuse(path, "a rank or process", f->pid);
    return check_times(h, path);
}

/* Reads the next number of "a:b:c", and moves *s behind the colon. -1: there is
 * none. */
static int64_t header_number(const char **s)
{
    char *end;
    if (!isdigit((unsigned char)**s))
        return -1;
    errno = 0;
    unsigned long v = strtoul(*s, &end, 10);
    *s = *end == ':' ? end + 1 : end;
    return errno || v > UINT32_MAX ? -1 : (int64_t)v;
}

/* Reads "start:u64:0:ticks": the number in the type is the width, whatever its name. */
static int read_field(struct header *h, const char *value, const char *path)
{
    size_t n = strcspn(value, ":");
    int k = 0;
    while (k < FIELDS &&
           (strlen(native[k].name) != n || strncmp(native[k].name, value, n) != 0))
        k++;
    if (k == FIELDS)
        return 0; /* a field of a later version: not needed here */
    const char *s = value + n + (value[n] == ':');
    bool has_sign = *s != 'u';
    while (*s && *s != ':' && !isdigit((unsigned char)*s))
        s++;
    int64_t bits = header_number(&s);
    if (s[-1] != ':') /* such as "int64_t:" */
        s += strcspn(s, ":") + (s[strcspn(s, ":")] == ':');
    int64_t at = header_number(&s);
    if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || at < 0 ||
        at + bits / 8 > h->fixed.record_bytes)
        return err_set(-EINVAL, path, -1, "the log's header is damaged: field=%s",
                       value);
    h->field[k].at = (uint32_t)at;
    h->field[k].bytes = (uint32_t)(bits / 8);
    h->field[k].has_sign = has_sign;
    return 0;
}

static int set_op(struct header *h, uint32_t number, int32_t op)
{
    if (number >= h->ops) {
        int32_t *more =
            mem_grow(h->op, (int64_t)number + 1, sizeof *more, "the list of calls");
        if (!more)
            return -ENOMEM;
        for (uint32_t i = h->ops; i <= number; i++)
            more[i] = -1;
        h->op = more;
        h->ops = number + 1;
    }
    h->op[number] = op;
    return 0;
}

/* Reads an operation, such as "7:read:READ". */
static int read_op(struct header *h, const char *value, const char *path)
{
    char name[64], class[64] = "";
    const char *s = value;
    int64_t n = header_number(&s);
    size_t bytes = strcspn(s, ":");
    if (n > 0 && n <= UINT16_MAX && bytes < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)bytes, s);
        snprintf(class, sizeof class, "%s", s[bytes] ? s + bytes + 1 : "");
        class[strcspn(class, ":")] = 0;
        int op = op_number(name, op_class(class));
        if (op >= 0)
            return set_op(h, (uint32_t)n, op);
    }
    return err_set(-EINVAL, path, -1, "the log's header is damaged: op=%s", value);
}

/* Sets what holds for a log that does not describe itself. */
static int presume(struct header *h)
{
    static const char *const name[] = {
#define X(e, text, class) text,
        TRACE_OPS(X)
#undef X
    };
    int rc = 0;
    for (int k = 0; k < FIELDS; k++)
        if (!h->field[k].bytes) {
            h->field[k].at = native[k].at;
            h->field[k].bytes = native[k].bytes;
            h->field[k].has_sign = k >= FIELD_OFFSET && k <= FIELD_RESULT;
        }
    for (uint32_t i = 0; !h->ops && !rc && i < sizeof name / sizeof name[0]; i++)
        rc = set_op(h, i + 1, op_number(name[i], CLASSES));
    for (int k = 0; k < FIELDS; k++)
        if (h->field[k].at != native[k].at || h->field[k].bytes != native[k].bytes)
            return rc;
    h->native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return rc;
}

int header_read_text(struct header *h, const char *path)
{
    int rc = 0;
    uint32_t bytes = h->fixed.text_bytes;
    for (uint32_t i = 0; i < bytes; i++)
        if (h->text[i] == '\n')
            h->text[i] = 0;
    h->text[bytes] = 0;
    for (const char *s = h->text; s < h->text + bytes && !rc; s += strlen(s) + 1) {
        if (!strncmp(s, "field=", 6))
            rc = read_field(h, s + 6, path);
        else if (!strncmp(s, "op=", 3))
            rc = read_op(h, s + 3, path);
    }
    return rc ? rc : presume(h);
}

void header_free(struct header *h)
{
    free(h->text);
    free(h->op);
}

const char *header_value(const struct header *h, const char *key)
{
    size_t n = strlen(key);
    const char *end = h->text + h->fixed.text_bytes;
    for (const char *s = h->text; s < end; s += strlen(s) + 1)
        if (!strncmp(s, key, n) && s[n] == '=')
            return s + n + 1;
    return "";
}

static int64_t load_number(const char *from, uint32_t bytes, bool has_sign)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes; i++)
        v |= (uint64_t)(unsigned char)from[i] << (8 * i);
    if (has_sign && bytes < 8 && v >> (8 * bytes - 1))
        v |= ~(uint64_t)0 << (8 * bytes);
    return (int64_t)v;
}

void header_load(const struct header *h, const char *from, struct trace_record *r)
{
    int64_t v[FIELDS];
    for (int k = 0; k < FIELDS; k++)
        v[k] =
            load_number(from + h->field[k].at, h->field[k].bytes, h->field[k].has_sign);
    *r = (struct trace_record){.start = (uint64_t)v[FIELD_START],
                               .duration = (uint64_t)v[FIELD_DURATION],
                               .offset = v[FIELD_OFFSET],
                               .request = v[FIELD_REQUEST],
                               .result = v[FIELD_RESULT],
                               .file = (uint32_t)v[FIELD_FILE],
                               .op = (uint16_t)v[FIELD_OP],
                               .level = (uint8_t)v[FIELD_LEVEL],
                               .flags = (uint8_t)v[FIELD_FLAGS]};
}

#include "iotrace/read/unseen.h"
#include "base/units.h"
#include "iotrace/format/program.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAMED 3 /* programs of a kind that sentences name */

/* ---- programs --------------------------------------------------------------- */

static struct unseen_program *program_of(struct unseen *u, const char *path,
                                         uint32_t kinds)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct unseen_program *p = u->program;
    const size_t most = sizeof p->name - 1;
    for (; p < u->program + u->programs; p++)
        if (p->kinds == kinds && !strncmp(p->name, name, most))
            return p;
    if (u->programs == UNSEEN_PROGRAMS) {
        p->kinds |= kinds;
        snprintf(p->name, sizeof p->name, "others");
        return p;
    }
    u->programs++;
    *p = (struct unseen_program){.kinds = kinds};
    snprintf(p->name, sizeof p->name, "%.*s", (int)most, name);
    return p;
}

/* Counts a started program. exec is recorded before the call, as a successful one never
 * returns. */
static void started(struct unseen *u, const struct log *l, int op, uint32_t file,
                    int64_t calls, int64_t errors)
{
    uint32_t kinds = log_program(l, file);
    bool spawns = !strncmp(op_get(op)->name, "posix_spawn", 11);
    if (kinds)
        program_of(u, log_name(l, file), kinds)->starts +=
            calls - (spawns ? errors : 2 * errors);
}

void unseen_event(struct unseen *u, const struct log *l, const struct event *e)
{
    if (e->name)
        started(u, l, e->op, e->name, 1, e->result < 0);
}

void unseen_profile(struct unseen *u, const struct log *l, int op, uint32_t file,
                    int64_t calls, int64_t errors)
{
    if (file && op_get(op)->class == CLASS_PROCESS)
        started(u, l, op, file, calls, errors);
}

void unseen_log(struct unseen *u, const struct log *l)
{
    const struct log_info *i = log_info(l);
    u->dropped += i->dropped;
    u->excluded += i->excluded;
    u->rings += i->uring_rings;
    u->transfers += i->uring_unseen;
    for (int k = 0; k < 2; k++)
        u->loads[k] += i->loads[k];
    u->endless += i->state == TRACE_RUNNING;
    complete_add(u, l);
    if (i->program)
        program_of(u, *i->exe ? i->exe : i->app, i->program)->starts++;
}

/* ---- sentences -------------------------------------------------------------- */

static const struct {
    uint32_t kind;
    const char *what;
} kind[] = {{PROGRAM_STATIC, "static programs"},
            {PROGRAM_PRIVILEGED, "privileged programs"},
            {PROGRAM_FOREIGN, "programs of another architecture"},
            {PROGRAM_LIBC, "programs of another C library"},
            {PROGRAM_GO, "system calls of Go runtimes"}};

enum { KINDS = sizeof kind / sizeof kind[0] };

/* True if it is counted under this kind; a program of several kinds is named once. */
static bool is_of(const struct unseen_program *p, int k)
{
    for (int before = 0; before < k; before++)
        if (p->kinds & kind[before].kind)
            return false;
    return p->starts > 0 && p->kinds & kind[k].kind;
}

static bool unseen_programs(const struct unseen *u, int k, char text[UNSEEN_SIZE])
{
    int64_t starts = 0;
    int n = 0, at = snprintf(text, UNSEEN_SIZE, "%s:", kind[k].what);
    for (const struct unseen_program *p = u->program;
         p <= u->program + u->programs && p->name[0]; p++) {
        if (!is_of(p, k))
            continue;
        if (n++ < NAMED)
            at += snprintf(text + at, (size_t)(UNSEEN_SIZE - at), "%s %s",
                           n > 1 ? "," : "", p->name);
        starts += p->starts;
    }
    if (n > NAMED)
        at +=
            snprintf(text + at, (size_t)(UNSEEN_SIZE - at), " and %d more", n - NAMED);
    snprintf(text + at, (size_t)(UNSEEN_SIZE - at), " (%lld start%s)",
             (long long)starts, units_s(starts));
    return n > 0;
}

const char *unseen_text(const struct unseen *u, int i, char text[UNSEEN_SIZE])
{
#define SAY(n, ...)                                                                    \
    if ((n) && i-- == 0) {                                                             \
        snprintf(text, UNSEEN_SIZE, __VA_ARGS__);                                      \
        return text;                                                                   \
    }
#define MANY(n, one, many) (long long)(n), (n) == 1 ? one : many
    SAY(u->missing_ranks, "%d of %d ranks left no log", u->missing_ranks, u->ranks)
    SAY(u->unreadable, "%d of %d logs could not be read", u->unreadable, u->logs)
    SAY(u->dropped, "%lld %s dropped", MANY(u->dropped, "event was", "events were"))
    SAY(u->excluded, "%lld %s of excluded files", MANY(u->excluded, "event", "events"))
    if (i < u->gaps)
        return complete_gap(&u->gap[i], text);
    i -= u->gaps;
    for (int k = 0; k < KINDS; k++)
        if (unseen_programs(u, k, text) && i-- == 0)
            return text;
    SAY(u->loads[0], "calls of %lld %s with RTLD_DEEPBIND",
        MANY(u->loads[0], "library loaded", "libraries loaded"))
    SAY(u->loads[1], "calls of %lld %s into another namespace (dlmopen)",
        MANY(u->loads[1], "library loaded", "libraries loaded"))
    SAY(u->rings, "io_uring by itself: %lld %s, %lld transfers not seen",
        MANY(u->rings, "ring", "rings"), (long long)u->transfers)
    SAY(u->maps, "what goes through %lld %s",
        MANY(u->maps, "mapping of a file", "mappings of files"))
    SAY(u->endless, "the end of %lld %s that did not say it",
        MANY(u->endless, "process", "processes"))
    SAY(u->unfollowed, "patterns of files beyond the first %lld",
        (long long)u->followed)
#undef MANY
#undef SAY
    return NULL;
}

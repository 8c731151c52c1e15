/* Completeness of a run's logs: the bytes of their events are held against those that
 * the kernel has counted for the same processes. */
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/read/unseen.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A number is not given to two processes within this time; logs of one tell its begin
 * with less error. */
#define SAME_NS 20000000
/* Fewer bytes of a program or a child are no gap: the C library reads tables. */
#define PAGE 4096

/* ---- logs ------------------------------------------------------------------- */

/* Copies a program's name without the directory. */
static void take_name(char name[PROGRAM_NAME], const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, PROGRAM_NAME, "%.*s", PROGRAM_NAME - 1, slash ? slash + 1 : path);
}

static struct process_bytes *tally_new(struct unseen *u)
{
    if (mem_room(&u->tally, u->tallies, &u->tally_room, sizeof *u->tally, NULL)) {
        u->uncounted = true;
        return NULL;
    }
    struct process_bytes *t = &u->tally[u->tallies++];
    *t = (struct process_bytes){.pid = -1, .ppid = -1};
    return t;
}

/* Allows for what the recorder has moved in a process that was killed, which does not
 * say it: it wrote the log, and read names and files of /proc. */
static void allow_for_recorder(struct process_bytes *t, const char *log)
{
    struct stat st;
    const int64_t usual = 64 << 10;
    t->excess[0] += usual;
    t->excess[1] += usual + (stat(log, &st) ? 0 : st.st_size);
}

void complete_add(struct unseen *u, const struct log *l)
{
    const struct log_info *i = log_info(l);
    const struct log_process *p = &i->process;
    struct process_bytes *t = i->table ? NULL : tally_new(u);
    if (!t)
        return;
    t->pid = i->pid;
    t->ppid = i->ppid;
    t->generation = i->generation;
    t->begin_ns = i->begin_ns;
    snprintf(t->host, sizeof t->host, "%.*s", (int)sizeof t->host - 1, i->host);
    take_name(t->program, *i->exe ? i->exe : i->app);
    if (i->state == TRACE_EXEC)
        take_name(t->became, log_name(l, i->became));
    if (i->lost)
        take_name(t->lost, log_name(l, i->lost));
    t->excess[0] = i->excess;
    t->known = p->began;
    if (p->began && !p->counted)
        allow_for_recorder(t, i->path);
    t->counted = p->counted;
    u->counted += p->counted;
    for (int w = 0; w < 2; w++) {
        t->seen[w] = i->moved[w];
        t->missing[w] = p->counted ? p->bytes[w] - p->passed[w] - i->moved[w] : 0;
        t->life[w] = p->before[w] + (p->counted ? p->all_bytes[w] : i->moved[w]);
    }
}

/* Reads what the kernel has counted for "iotrace run" and all that it has waited
 * for. */
static void add_root(struct unseen *u, const char *run)
{
    char path[4096];
    long long bytes[2];
    int pid;
    char host[64];
    snprintf(path, sizeof path, "%s/" RUN_COUNTS, run);
    FILE *f = fopen(path, "re");
    bool good =
        f && fscanf(f, "%d %lld %lld %63s", &pid, &bytes[0], &bytes[1], host) == 4;
    if (f)
        fclose(f);
    struct process_bytes *t = good ? tally_new(u) : NULL;
    if (!t)
        return;
    t->pid = pid;
    t->root = t->known = t->counted = true;
    strcpy(t->host, host);
    for (int w = 0; w < 2; w++)
        t->missing[w] = bytes[w];
}

/* ---- processes -------------------------------------------------------------- */

static int by_process(const void *a, const void *b)
{
    const struct process_bytes *x = a, *y = b;
    int host = strcmp(x->host, y->host);
    if (host || x->pid != y->pid)
        return host ? host : x->pid < y->pid ? -1 : 1;
    int64_t later = x->begin_ns - y->begin_ns;
    if (later > SAME_NS || later < -SAME_NS)
        return later < 0 ? -1 : 1;
    return x->generation < y->generation ? -1 : x->generation > y->generation;
}

/* Adds up the logs of a process, which has one for each program that it becomes, in the
 * first of them. Returns the place of the last. */
static int64_t join(struct unseen *u, int64_t first)
{
    struct process_bytes *t = &u->tally[first], *last = t;
    while (last + 1 < u->tally + u->tallies && last[1].pid == t->pid &&
           !strcmp(last[1].host, t->host) && last[1].generation > last->generation) {
        last++;
        last->first = first;
        t->others++;
        for (int w = 0; w < 2; w++) {
            t->missing[w] += last->missing[w];
            t->excess[w] += last->excess[w];
            t->counted &= last->counted;
            t->life[w] = last->known ? last->life[w] : t->life[w];
        }
    }
    memcpy(t->program, last->program, sizeof t->program);
    memcpy(t->became, last->became, sizeof t->became);
    if (*last->lost)
        memcpy(t->lost, last->lost, sizeof t->lost);
    t->first = first;
    return last - u->tally;
}

/* Finds the process that has waited for one that began as `t`; NULL: it has no log. */
static struct process_bytes *parent(struct unseen *u, const struct process_bytes *t)
{
    struct process_bytes key = {
        .pid = t->ppid, .begin_ns = t->begin_ns, .generation = UINT32_MAX};
    int64_t low = 0, high = u->tallies;
    memcpy(key.host, t->host, sizeof key.host);
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (by_process(&u->tally[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct process_bytes *p = low ? &u->tally[low - 1] : NULL;
    return p && p->pid == key.pid && !strcmp(p->host, key.host) ? &u->tally[p->first]
                                                                : NULL;
}

/* Returns "iotrace run" itself, which has waited for all processes of its host, and
 * stands for those that have no log; NULL: it is not known. */
static struct process_bytes *root(const struct unseen *u)
{
    for (int64_t i = 0; i < u->tallies; i++)
        if (u->tally[i].root)
            return &u->tally[i];
    return NULL;
}

/* The kernel's counts of a process include those of its children, which have logs of
 * their own. A child that nobody waited for is not in them: then less is missing than
 * it may seem, never more. */
static void take_from_parent(struct unseen *u, const struct process_bytes *t,
                             struct process_bytes *of_host)
{
    struct process_bytes *p = parent(u, t);
    if (!p && of_host && !strcmp(of_host->host, t->host))
        p = of_host;
    if (!p || p == t)
        return;
    for (int w = 0; w < 2; w++)
        p->missing[w] -= t->life[w] + (t->counted ? 0 : t->excess[w]);
    p->others++;
    p->unsaid |= !t->counted;
    if (*t->became)
        memcpy(p->lost, t->became, sizeof p->lost);
}

static int by_gap(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;
    int64_t m = x->bytes[0] + x->bytes[1], n = y->bytes[0] + y->bytes[1];
    return m != n ? (m > n ? -1 : 1) : x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Keeps the largest gaps. */
static void add_gap(struct unseen *u, const struct process_bytes *t)
{
    struct gap g = {.pid = t->pid, .unsaid = t->unsaid || !t->counted};
    memcpy(g.program, t->program, sizeof g.program);
    memcpy(g.lost, t->lost, sizeof g.lost);
    for (int w = 0; w < 2; w++) {
        int64_t bytes = t->missing[w] - t->excess[w];
        g.bytes[w] = bytes >= PAGE * (1 + t->others) ? bytes : 0;
        u->missing[w] += g.bytes[w];
        u->unsaid[w] += g.unsaid ? g.bytes[w] : 0;
    }
    if (g.bytes[0] == 0 && g.bytes[1] == 0)
        return;
    if (u->gaps < UNSEEN_GAPS)
        u->gap[u->gaps++] = g;
    else if (by_gap(&g, &u->gap[UNSEEN_GAPS - 1]) < 0)
        u->gap[UNSEEN_GAPS - 1] = g;
    qsort(u->gap, (size_t)u->gaps, sizeof *u->gap, by_gap);
}

void complete_end(struct unseen *u, const char *run)
{
    add_root(u, run);
    if (u->tallies == 0)
        return;
    qsort(u->tally, (size_t)u->tallies, sizeof *u->tally, by_process);
    for (int64_t i = 0; i < u->tallies; i++)
        for (int w = 0; w < 2; w++)
            u->seen[w] += u->tally[i].seen[w];
    for (int64_t i = 0; i < u->tallies; i++)
        i = join(u, i);
    struct process_bytes *of_host = root(u);
    for (int64_t i = 0; i < u->tallies; i++)
        if (u->tally[i].first == i && u->tally[i].known)
            take_from_parent(u, &u->tally[i], of_host);
    for (int64_t i = 0; i < u->tallies; i++)
        if (u->tally[i].first == i)
            add_gap(u, &u->tally[i]);
}

void unseen_free(struct unseen *u)
{
    free(u->tally);
    u->tally = NULL;
}

/* ---- texts ------------------------------------------------------------------ */

double unseen_share(const struct unseen *u, int w)
{
    double all = (double)u->seen[w] + (double)u->missing[w];
    return u->counted == 0 || u->uncounted ? -1
           : all > 0                       ? (double)u->seen[w] / all
                                           : 1;
}

const char *complete_gap(const struct gap *g, char text[UNSEEN_SIZE])
{
    char bytes[2][16], how[128];
    units_bytes(bytes[0], g->bytes[0]);
    units_bytes(bytes[1], g->bytes[1]);
    if (g->unsaid)
        snprintf(how, sizeof how,
                 "by children of process %d (%s) that did not say "
                 "their end",
                 (int)g->pid, g->program);
    else if (*g->lost)
        snprintf(how, sizeof how, "%s ran without the recorder", g->lost);
    else if (!*g->program)
        snprintf(how, sizeof how, "by programs without the recorder");
    else
        snprintf(how, sizeof how,
                 "by children of process %d (%s) without the recorder, or past the C "
                 "library",
                 (int)g->pid, g->program);
    snprintf(text, UNSEEN_SIZE, "%s%s%s%s%s: %s", g->bytes[0] ? bytes[0] : "",
             g->bytes[0] ? " read" : "", g->bytes[0] && g->bytes[1] ? " and " : "",
             g->bytes[1] ? bytes[1] : "", g->bytes[1] ? " written" : "", how);
    return text;
}

/* Prints a share that is rounded down: 100 % is all. */
static void put_share(char *out, size_t room, double share)
{
    snprintf(out, room, share < 1 ? "%.1f %%" : "%.0f %%", floor(1000 * share) / 10);
}

const char *unseen_figure(const struct unseen *u, char text[UNSEEN_SIZE])
{
    char share[2][16];
    if (unseen_share(u, 0) < 0)
        return "nothing known, but the kernel's counts to compare with are missing";
    for (int w = 0; w < 2; w++)
        put_share(share[w], sizeof share[w], unseen_share(u, w));
    snprintf(
        text, UNSEEN_SIZE,
        "in the logs: %s of the bytes that the kernel counted as read, %s as written",
        share[0], share[1]);
    return text;
}

void unseen_json(const struct unseen *u, struct json *j)
{
    static const char *const way[] = {"read", "written"};
    json_object_flat(j, "seen");
    for (int w = 0; w < 2; w++)
        if (unseen_share(u, w) < 0)
            json_null(j, way[w]);
        else
            json_real(j, way[w], unseen_share(u, w));
    json_end_object(j);
}

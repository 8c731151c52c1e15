/* Names of files: groups of them, and facts about them. */
#include "base/mem.h"
#include "iotrace/findings/inside.h"
#include "iotrace/read/names.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ----------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Copies `name` with # in place of each run of digits. */
static void group_key(const char *name, char *out, size_t room)
{
    size_t n = 0;
    for (const char *s = name; *s && n + 1 < room; s++) {
        if (!is_digit(*s))
            out[n++] = *s;
        else if (s == name || !is_digit(s[-1]))
            out[n++] = '#';
    }
    out[n] = 0;
}

/* Returns which runs of digits differ between two names with the same key. */
static uint64_t group_differs(const char *a, const char *b)
{
    uint64_t differs = 0;
    for (int run = 0; *a && *b; a++, b++) {
        if (!is_digit(*a) || !is_digit(*b))
            continue;
        size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
        if (n != m || memcmp(a, b, n) != 0)
            differs |= (uint64_t)1 << (run < 63 ? run : 63);
        run++;
        a += n - 1;
        b += m - 1;
    }
    return differs;
}

const char *group_name(const struct findings *f, uint32_t group, char *out, size_t room)
{
    const struct group *g = &f->group[group];
    const char *s = names_get(&f->names, g->shown);
    size_t n = 0;
    for (int run = 0; *s && n + 1 < room;) {
        size_t digits = strspn(s, "0123456789");
        if (digits == 0) {
            out[n++] = *s++;
            continue;
        }
        if (g->differs >> (run < 63 ? run : 63) & 1)
            out[n++] = '#';
        else
            for (size_t i = 0; i < digits && n + 1 < room; i++)
                out[n++] = s[i];
        run++;
        s += digits;
    }
    out[n] = 0;
    return out;
}

static int grow(struct findings *f, void **list, uint32_t *room, uint32_t n,
                size_t size)
{
    void *more = list_reach(*list, room, n, size, "the findings");
    if (!more)
        return f->memory = -ENOMEM;
    *list = more;
    return 0;
}

static int group_of(struct findings *f, uint32_t name, uint32_t *group)
{
    char key[4096];
    const char *text = names_get(&f->names, name);
    group_key(text, key, sizeof key);
    uint32_t id = names_add(&f->names, key), room = f->name_room;
    if (grow(f, (void **)&f->group_of_name, &room, f->names.n + 1, sizeof(uint32_t)))
        return -ENOMEM;
    room = f->name_room;
    if (grow(f, (void **)&f->file_of_name, &room, f->names.n + 1, sizeof(uint32_t)))
        return -ENOMEM;
    f->name_room = room;
    if (!f->group_of_name[id]) {
        if (grow(f, (void **)&f->group, &f->group_room, f->groups, sizeof *f->group))
            return -ENOMEM;
        f->group[f->groups] = (struct group){.key = id, .shown = name};
        f->group_of_name[id] = ++f->groups;
    }
    *group = f->group_of_name[id] - 1;
    struct group *g = &f->group[*group];
    g->differs |=
        group_differs(names_get(&f->names, g->shown), names_get(&f->names, name));
    if (g->files < sizeof g->sample / sizeof g->sample[0])
        g->sample[g->files] = name;
    g->files++;
    return 0;
}

static bool is_wanted(const struct findings *f, const char *name)
{
    for (int i = 0; i < f->ask.file.n; i++)
        if (!fnmatch(f->ask.file.item[i], name, 0))
            return true;
    return f->ask.file.n == 0;
}

int file_add(struct findings *f, const char *text, uint32_t *file)
{
    uint32_t name = names_add(&f->names, *text ? text : "(no name)");
    if (name < f->name_room && f->file_of_name[name]) {
        *file = f->file_of_name[name] - 1;
        return 0;
    }
    uint32_t group;
    if (group_of(f, name, &group) ||
        grow(f, (void **)&f->file, &f->file_room, f->files, sizeof *f->file))
        return -ENOMEM;
    *file = f->files++;
    f->file_of_name[name] = f->files;
    enum fold fold = file_fold(text);
    f->file[*file] = (struct file){.name = name,
                                   .group = group,
                                   .fold = f->ask.all ? FOLD_NONE : (uint8_t)fold,
                                   .unwanted = !is_wanted(f, text),
                                   .block_bytes = f->ask.block_bytes,
                                   .lock_bytes = f->ask.lock_bytes};
    return 0;
}

/* ---- file systems ----------------------------------------------------------- */

bool is_remote(const char *type)
{
    static const char *const remote[] = {"lustre", "gpfs",    "beegfs", "nfs",
                                         "nfs4",   "ceph",    "panfs",  "cifs",
                                         "pvfs2",  "orangefs"};
    for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++)
        if (!strcmp(type, remote[i]))
            return true;
    return false;
}

/* ---- facts ----------------------------------------------------------------------- */

/* Facts of the logs about processes and files, besides calls. */

void actor_facts(struct actor *a, const struct log_process *p)
{
    if (p->cores > a->cores) {
        size_t room = sizeof a->cpus;
        a->cores = p->cores;
        snprintf(a->cpus, room, "%s", strlen(p->cpus) < room ? p->cpus : "");
    }
    if (p->waited_ns >= 0)
        a->waited_ns = (a->waited_ns < 0 ? 0 : a->waited_ns) + p->waited_ns;
}

/* Returns the unit in which clients lock the file, if it is known; else 0. */
static int64_t unit_of_locks(const struct log_facts *t)
{
    if (!strcmp(t->type, "lustre"))
        return t->stripe_bytes;
    if (!strcmp(t->type, "gpfs"))
        return t->block_bytes;
    return !strcmp(t->type, "nfs") || !strcmp(t->type, "nfs4") ? MIB : 0;
}

static void file_place(const struct findings *f, struct file *x,
                       const struct log_facts *t)
{
    x->facts = true;
    x->fit[0] = x->fit[1] = NULL; /* these were of another type */
    snprintf(x->type, sizeof x->type, "%.*s", (int)sizeof x->type - 1, t->type);
    if (!f->ask.block_bytes)
        x->block_bytes = t->block_bytes;
    if (!f->ask.lock_bytes)
        x->lock_bytes = unit_of_locks(t);
    x->stripes = t->stripes;
}

void file_facts(struct findings *f, uint32_t file, const struct log *l, uint32_t id)
{
    struct log_facts t;
    struct file *x = &f->file[file];
    if (!log_facts(l, id, &t))
        return;
    if (*t.type && !x->facts)
        file_place(f, x, &t);
    /* Sets of ranks that differ have opened it, so its calls have no common number. */
    if (t.comm_ranks && !x->comm_ranks)
        x->comm_ranks = t.comm_ranks;
    else if (t.comm_ranks && t.comm_ranks != x->comm_ranks)
        x->comm_ranks = -1;
}

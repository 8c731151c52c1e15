/* Facts of the logs about processes and files, besides calls. */
#include "iotrace/findings/inside.h"
#include <string.h>

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

#include "outcore/aio/engines.h"
#include "base/err.h"
#include "run/workload.h"
#include <stdio.h>
#include <string.h>

/* True if a word is an option of the engine before it. */
static bool is_option(const char *word, size_t n)
{
    const char *equals = memchr(word, '=', n), *colon = memchr(word, ':', n);
    return equals && !colon;
}

/* Splits e->text into words; options stay with their engine. */
static int split(struct engines *e)
{
    char *at = e->text, *end;
    while (*at) {
        if (e->n == ENGINES_MOST)
            return err_usage("--engines: %d are the most", ENGINES_MOST);
        e->spec[e->n++] = at;
        end = at + strcspn(at, ",");
        while (*end && is_option(end + 1, strcspn(end + 1, ",")))
            end += 1 + strcspn(end + 1, ",");
        at = end + (*end == ',');
        *end = 0;
    }
    return e->n ? 0 : err_usage("--engines names none");
}

static int check(struct engines *e, struct run *r, int i)
{
    int rc = io_engine_of_method(e->spec[i], run_without(r->workload), &e->spec[i]);
    return rc ? rc : run_engine(r, e->spec[i]);
}

static void leave_out(struct engines *e, const char *name)
{
    size_t n = strlen(e->absent);
    snprintf(e->absent + n, sizeof e->absent - n, "%s%s (%.200s)", n ? "; " : "", name,
             err_get()->text);
    err_clear();
}

/* Takes the engines that all ranks can use: nodes may differ. */
static int take_usable(struct engines *e, struct run *r)
{
    static const char *const known[] = {"posix",   "aio",   "libaio",
                                        "threads", "uring", "mmap"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        e->spec[e->n] = known[i];
        if (err_agree(r->world.comm, check(e, r, e->n)))
            leave_out(e, known[i]);
        else
            e->n++;
    }
    return e->n ? 0 : err_usage("--engines=all: %s", e->absent);
}

static int take_listed(struct engines *e, struct run *r, const char *list)
{
    int rc = 0;
    if (snprintf(e->text, sizeof e->text, "%s", list) >= (int)sizeof e->text)
        return err_usage("--engines is too long a list");
    rc = split(e);
    for (int i = 0; i < e->n && !rc; i++)
        rc = check(e, r, i);
    return rc;
}

int engines_parse(struct engines *e, struct run *r, const char *list)
{
    int rc = 0;
    *e = (struct engines){.n = 0};
    if (!list)
        e->spec[e->n++] = r->engine;
    else if (!strcmp(list, "all"))
        rc = take_usable(e, r);
    else
        rc = take_listed(e, r, list);
    for (int i = 0; i < e->n && !rc; i++)
        if (io_engine_stores(e->spec[i]) || i == e->n - 1) {
            rc = run_engine(r, e->spec[i]);
            break;
        }
    return err_agree(r->world.comm, rc);
}

int engines_turn(const struct engines *e, int rep, int turn)
{
    return (turn + rep - 1) % e->n;
}

bool engines_store(const struct engines *e)
{
    for (int i = 0; i < e->n; i++)
        if (io_engine_stores(e->spec[i]))
            return true;
    return false;
}

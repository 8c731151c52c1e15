/* Ensures that one run has one configuration. Ranks may be started with different
 * programs, arguments or environments (launchers can, and nodes may differ); a run of
 * such ranks would wait for ever or report what was not measured. So ranks first
 * compare a hash of their configurations. If all are equal, which costs one small
 * reduction, nothing else is sent. */
#include "base/err.h"
#include "base/mem.h"
#include "base/program.h"
#include "world/inside.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 1, SHOWN = 160 /* characters of a value */ };

/* A rank's configuration: entries of three strings (opt_write_all). */
struct config {
    char *text;
    size_t bytes;
    int64_t hash; /* hash of names and values, not of their sources */
};

/* Returns the string after the one at `at`. */
static const char *config_after(const char *at)
{
    return at + strlen(at) + 1;
}

/* Adds a string, with its zero byte, to an FNV-1a hash. */
static uint64_t config_add(uint64_t hash, const char *s)
{
    do
        hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    while (*s++);
    return hash;
}

static int64_t hash_of(const struct config *c)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *end = c->text + c->bytes;
    for (const char *at = c->text; at < end;
         at = config_after(config_after(config_after(at))))
        hash = config_add(config_add(hash, at), config_after(at));
    return (int64_t)hash;
}

/* Describes a rank's configuration. If it could not be parsed, the sentence is compared
 * instead. */
static int config_describe(struct config *c, const struct opt_program *p, int parsed)
{
    FILE *out = open_memstream(&c->text, &c->bytes);
    if (!out)
        return mem_none(NULL, 0, "the options");
    fprintf(out, "the program%c%s%c%c", 0, p->name, 0, 0);
    fprintf(out, "the version%c%s%c%c", 0, leadline_version, 0, 0);
    fprintf(out, "what is asked for%c%s%c%c", 0,
            parsed == OPT_ASKED ? "--help or --version" : "a run", 0, 0);
    if (parsed < 0)
        fprintf(out, "%c%s%c%c", 0, err_get()->text, 0, 0);
    else if (!parsed)
        opt_write_all(p, out);
    if (fclose(out))
        return mem_none(NULL, 0, "the options");
    c->hash = hash_of(c);
    return parsed < 0 ? parsed : 0;
}

/* Copies as much of a value as shows where it differs from the other one; lines become
 * words. */
static const char *config_show(char out[SHOWN + 8], const char *value,
                               const char *other)
{
    size_t same = 0, from = 0, n = strlen(value);
    while (value[same] && value[same] == other[same])
        same++;
    if (n > SHOWN && same > SHOWN / 2)
        from = same - SHOWN / 2;
    snprintf(out, SHOWN + 8, "%s%.*s%s", from ? "..." : "", SHOWN, value + from,
             n - from > SHOWN ? "..." : "");
    for (char *c = out; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return out;
}

/* On rank 0, tells where `theirs` first differs. The value and its source follow the
 * name. */
static int config_tell(const struct world *w, const struct config *mine,
                       const struct config *theirs, int other, const char *host)
{
    const char *a = mine->text, *b = theirs->text;
    const char *a_end = a + mine->bytes, *b_end = b + theirs->bytes;
    char here[SHOWN + 8], there[SHOWN + 8], from[2][96];
    while (a < a_end && b < b_end && !strcmp(a, b) &&
           !strcmp(config_after(a), config_after(b))) {
        a = config_after(config_after(config_after(a)));
        b = config_after(config_after(config_after(b)));
    }
    if (a >= a_end || b >= b_end || strcmp(a, b))
        return err_usage("rank %d (%s) and rank %d (%s) do not know the same options: "
                         "start the same program on all ranks",
                         w->rank, w->host, other, host);
    for (int i = 0; i < 2; i++) {
        const char *source = config_after(config_after(i ? b : a));
        snprintf(from[i], sizeof from[i], "%s%s", *source ? ", " : "", source);
    }
    return err_usage(
        "all ranks of a run must be started alike: %s is \"%s\" on rank %d "
        "(%s%s) and \"%s\" on rank %d (%s%s)",
        a, config_show(here, config_after(a), config_after(b)), w->rank, w->host,
        from[0], config_show(there, config_after(b), config_after(a)), other, host,
        from[1]);
}

static int send_to_first(const struct world *w, const struct config *c)
{
    int64_t bytes = (int64_t)c->bytes;
    MPI_Send(&bytes, 1, MPI_INT64_T, 0, TAG, w->comm);
    MPI_Send(c->text, (int)c->bytes, MPI_BYTE, 0, TAG, w->comm);
    MPI_Send(w->host, sizeof w->host, MPI_BYTE, 0, TAG, w->comm);
    return 0;
}

static int compare_with_rank(const struct world *w, const struct config *mine,
                             int other)
{
    char host[sizeof w->host];
    struct config theirs;
    int64_t bytes;
    MPI_Recv(&bytes, 1, MPI_INT64_T, other, TAG, w->comm, MPI_STATUS_IGNORE);
    theirs.bytes = (size_t)bytes;
    theirs.text = mem_new(theirs.bytes + 1, 1, "the options");
    if (!theirs.text) /* the other rank waits only until this one ends */
        return -ENOMEM;
    MPI_Recv(theirs.text, (int)bytes, MPI_BYTE, other, TAG, w->comm, MPI_STATUS_IGNORE);
    MPI_Recv(host, sizeof host, MPI_BYTE, other, TAG, w->comm, MPI_STATUS_IGNORE);
    int rc = config_tell(w, mine, &theirs, other, host);
    free(theirs.text);
    return rc;
}

/* Compares rank 0 with the first rank that differs from it. */
static int find_difference(const struct world *w, const struct config *c)
{
    int64_t first = c->hash;
    int mine, other, rc = 0;
    MPI_Bcast(&first, 1, MPI_INT64_T, 0, w->comm);
    mine = c->hash == first ? w->size : w->rank;
    MPI_Allreduce(&mine, &other, 1, MPI_INT, MPI_MIN, w->comm);
    if (w->rank == 0)
        rc = compare_with_rank(w, c, other);
    else if (w->rank == other)
        rc = send_to_first(w, c);
    return err_agree(w->comm, rc);
}

/* Adds the rank to a usage error. Such errors are normally the same on all ranks and
 * name none; this one is not. */
static void name_rank(const struct world *w)
{
    struct err e = *err_get();
    size_t n = strlen(e.text);
    if (e.usage)
        snprintf(e.text + n, sizeof e.text - n, " (rank %d on %s)", w->rank, w->host);
    err_put(&e);
}

int config_agree(const struct world *w, const struct opt_program *p, int parsed)
{
    struct config c = {0};
    if (parsed >= 0 && err_get()->code) /* a failure from before there were ranks */
        parsed = err_get()->code;
    int rc = config_describe(&c, p, parsed);
    int64_t vote[3] = {rc ? 0 : 1, c.hash, ~c.hash};
    MPI_Allreduce(MPI_IN_PLACE, vote, 3, MPI_INT64_T, MPI_MIN, w->comm);
    bool alike = vote[1] == ~vote[2];
    if (!vote[0]) {
        if (rc && !alike)
            name_rank(w);
        rc = err_agree(w->comm, rc);
    } else if (!alike)
        rc = find_difference(w, &c);
    else
        rc = parsed;
    free(c.text);
    return rc;
}

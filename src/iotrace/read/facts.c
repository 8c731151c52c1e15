/* Facts of a log about its process and files, besides events: from the system and MPI.
 * Logs before version 3, and tables, have none. */
#include "iotrace/format/trace.h"
#include "iotrace/read/reader.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the next number of a text, and moves *s behind it and the `end` that follows.
 * False: there is none, or it is not plausible. */
static bool facts_number(const char **s, char end, int64_t most, int64_t *value)
{
    char *behind;
    errno = 0;
    long long v = strtoll(*s, &behind, 10);
    if (behind == *s || errno || v < 0 || v > most || (*behind && *behind != end))
        return false;
    *s = behind + (*behind == end && end);
    *value = v;
    return true;
}

bool facts_add_cpus(const char *list, unsigned char *set)
{
    unsigned first, last;
    for (int n; *list; list += n + (list[n] == ',')) {
        if (sscanf(list, "%9u%n", &first, &n) != 1)
            return false;
        last = first;
        if (list[n] == '-' && sscanf(list, "%*u-%9u%n", &last, &n) != 1)
            return false;
        if ((list[n] && list[n] != ',') || first > last || last >= TRACE_CPUS)
            return false;
        for (unsigned i = first; i <= last; i++)
            set[i / 8] |= (unsigned char)(1 << i % 8);
    }
    return true;
}

/* Reads "A:B:C" with `n` numbers. False: there are fewer. */
static bool read_counts(const char *s, int64_t *count, int n)
{
    int have = 0;
    while (have < n && facts_number(&s, ':', INT64_MAX / 16, &count[have]))
        have++;
    return have == n;
}

static void read_io(struct log_process *p, const char *before, const char *io)
{
    enum { COUNTS = 10 };
    int64_t c[COUNTS];
    p->began = read_counts(before, p->before, 2);
    p->counted = p->began && read_counts(io, c, COUNTS);
    for (int w = 0; p->counted && w < 2; w++) {
        int64_t own = c[7 - w];
        p->all_bytes[w] = c[w];
        p->bytes[w] = c[w] > own ? c[w] - own : 0;
        p->passed[w] = c[8 + w];
    }
}

void facts_of_process(struct log_process *p, const char *cores, const char *cpus,
                      const char *const waited[3], const char *before, const char *io)
{
    const int64_t most = INT64_MAX / 4;
    int64_t v = 0, ns[3] = {-1, -1, -1};
    *p = (struct log_process){.cpus = cpus, .waited_ns = -1};
    if (facts_number(&cores, 0, INT32_MAX, &v))
        p->cores = (int)v;
    for (int i = 0; i < 3; i++) {
        const char *s = waited[i];
        if (facts_number(&s, 0, most, &v))
            ns[i] = v;
    }
    p->waited_ns = ns[2] >= 0 ? ns[2] : ns[0];
    if (ns[1] >= 0 && p->waited_ns >= ns[1])
        p->waited_ns -= ns[1];
    read_io(p, before, io);
}

/* Reads "TYPE BLOCK STRIPE STRIPES POINT". */
static bool read_place(struct log_facts *f, const char *s)
{
    const int64_t most = INT64_C(1) << 40;
    size_t n = strcspn(s, " ");
    int64_t stripes;
    snprintf(f->type, sizeof f->type, "%.*s", n < sizeof f->type ? (int)n : 0, s);
    s += n + (s[n] == ' ');
    if (!*f->type || !facts_number(&s, ' ', most, &f->block_bytes) ||
        !facts_number(&s, ' ', most, &f->stripe_bytes) ||
        !facts_number(&s, ' ', INT32_MAX, &stripes))
        return false;
    f->stripes = (int)stripes;
    f->point = s;
    return true;
}

bool facts_of_file(struct log_facts *f, const char *place, const char *mpi)
{
    const struct log_facts nothing = {.point = "", .hints = ""};
    int64_t ranks;
    *f = nothing;
    bool known = place && read_place(f, place);
    if (!known)
        *f = nothing;
    if (mpi && facts_number(&mpi, ' ', INT32_MAX, &ranks)) {
        f->comm_ranks = (int)ranks;
        f->hints = mpi;
        known = true;
    }
    return known;
}

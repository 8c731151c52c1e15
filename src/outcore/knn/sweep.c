#include "outcore/knn/sweep.h"
#include "base/err.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int wrong(const char *text)
{
    return err_usage("--sweep-queries=%s: numbers that rise, at most %d, are separated "
                     "by commas; A..B is A, 2 A, 4 A and so on, up to B",
                     text, SWEEP_MOST);
}

static int add(struct sweep *s, int64_t queries)
{
    if (queries < 1 || queries > INT32_MAX || s->n == SWEEP_MOST ||
        (s->n && queries <= s->queries[s->n - 1]))
        return -1;
    s->queries[s->n++] = queries;
    return 0;
}

int sweep_parse(struct sweep *s, const char *text)
{
    char *end = NULL;
    *s = (struct sweep){.n = 0};
    for (const char *at = text; at && *at; at = end + (*end == ',')) {
        int64_t first = strtoll(at, &end, 10), last = first;
        if (end != at && !strncmp(end, "..", 2))
            last = strtoll(at = end + 2, &end, 10);
        if (end == at || (*end && *end != ',') || (*end && !end[1]) || last < first)
            return wrong(text);
        for (int64_t q = first; q <= last; q *= 2)
            if (add(s, q))
                return wrong(text);
    }
    return 0;
}

void sweep_add(struct sweep *s, int i, double seconds, double MBps)
{
    if (s->s[i] > 0 && s->s[i] <= seconds)
        return;
    s->s[i] = seconds;
    s->MBps[i] = MBps;
}

double sweep_crossover(const struct sweep *s)
{
    double limit = s->n ? SWEEP_LONGER * s->s[0] : 0;
    int i = s->n - 1;
    while (i >= 0 && s->s[i] >= limit)
        i--;
    if (i < 0 || i == s->n - 1)
        return 0;
    double share = (limit - s->s[i]) / (s->s[i + 1] - s->s[i]);
    double step = (double)(s->queries[i + 1] - s->queries[i]);
    return (double)s->queries[i] + share * step;
}

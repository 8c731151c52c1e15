#include "outcore/data/consume.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <string.h>
#include <time.h>

static const int64_t sleep_most_us = INT64_C(3600) * 1000000;

int consume_parse(struct consume *c, const char *text)
{
    static const char *const names[] = {"none", "checksum", "copy"};
    *c = (struct consume){.how = CONSUME_NONE};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            c->how = (enum consume_how)i;
            return 0;
        }
    c->how = CONSUME_SLEEP;
    if (!strncmp(text, "sleep:", 6) && !units_parse_int(text + 6, &c->sleep_us) &&
        c->sleep_us >= 0 && c->sleep_us <= sleep_most_us)
        return 0;
    return err_usage("--consume=%s is not checksum, copy, none or sleep:US, with "
                     "microseconds up to an hour",
                     text);
}

uint64_t consume_sum(const void *buf, int64_t bytes)
{
    const char *at = buf;
    uint64_t sum = 0, word;
    int64_t whole = bytes / 8 * 8;
    for (int64_t i = 0; i < whole; i += 8) {
        memcpy(&word, at + i, 8);
        sum += word;
    }
    word = 0;
    memcpy(&word, at + whole, (size_t)(bytes - whole));
    return sum + word;
}

/* Sleeps; a part of a set takes its share. */
static void sleep_for(int64_t us, double share)
{
    int64_t ns = (int64_t)((double)us * 1e3 * share);
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    while (ns > 0 && nanosleep(&t, &t) && errno == EINTR)
        ;
}

uint64_t consume(const struct consume *c, const void *buf, int64_t bytes,
                 int64_t set_bytes, void *copy)
{
    if (c->how == CONSUME_CHECKSUM)
        return consume_sum(buf, bytes);
    if (c->how == CONSUME_COPY)
        memcpy(copy, buf, (size_t)bytes);
    if (c->how == CONSUME_SLEEP)
        sleep_for(c->sleep_us, (double)bytes / (double)set_bytes);
    return 0;
}

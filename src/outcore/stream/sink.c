#include "outcore/stream/sink.h"
#include "base/err.h"
#include <string.h>

enum {
    SLEEP_UNIT = 1000000,
    NAP_US = 1000
}; /* a sleep shorter than this takes longer than asked */

int sink_parse(struct consume *how, const char *text)
{
    if (!strcmp(text, "null"))
        text = "none";
    if (!consume_parse(how, text))
        return 0;
    err_clear();
    return err_usage(
        "--sink=%s is not null, copy, checksum, compress or sleep:US, with "
        "microseconds up to an hour for 1,000,000 bytes",
        text);
}

static void sink_sleep(struct sink *s, int64_t least_us)
{
    if ((double)s->owed * (double)s->how.sleep_us < (double)least_us * SLEEP_UNIT)
        return;
    consume(&s->how, NULL, s->owed, SLEEP_UNIT, NULL);
    s->owed = 0;
}

void sink_take(struct sink *s, const void *data, int64_t bytes)
{
    s->bytes += bytes;
    if (s->ops) {
        s->ops->take(s->context, data, bytes);
    } else if (s->how.how == CONSUME_CHECKSUM) {
        s->crc = crc_more(s->crc, data, bytes);
    } else if (s->how.how == CONSUME_SLEEP) {
        s->owed += bytes;
        sink_sleep(s, NAP_US);
    } else {
        consume(&s->how, data, bytes, bytes, s->copy);
    }
}

void sink_end(struct sink *s, const char *name)
{
    if (s->ops)
        s->ops->end(s->context, name);
    s->files++;
    s->sum += s->crc;
    s->crc = 0;
}

void sink_add(struct sink *to, const struct sink *s)
{
    to->files += s->files;
    to->bytes += s->bytes;
    to->sum += s->sum;
}

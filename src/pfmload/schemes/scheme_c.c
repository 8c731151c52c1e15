/* Scheme C, from which the others derive: slaves read, place and send unpacked
 * soundings; the I/O node adds them one by one. */
#include "base/err.h"
#include "pfmload/schemes/heap.h"
#include "pfmload/schemes/roles.h"
#include <string.h>

static int send_raw(void *channel, const struct pfm_sounding *s, int64_t n)
{
    struct channel *c = channel;
    for (int64_t done = 0, now; done < n; done += now) {
        now = n - done < 1024 ? n - done : 1024;
        memcpy(channel_take(c, now * (int64_t)sizeof *s), s + done,
               (size_t)now * sizeof *s);
    }
    return 0;
}

static void take_raw(void *heap, const uint8_t *buf, int64_t n, int from)
{
    (void)from;
    heap_add_each(heap, (const void *)buf, n / (int64_t)sizeof(struct pfm_sounding));
}

static void scheme_c_io_node(struct load *l)
{
    struct receiver v;
    struct heap h;
    int rc = receiver_open(&v, l), opened = heap_open(&h, l, 0);
    if (load_ready(l, rc ? rc : opened))
        receiver_run(&v, roles_slaves(l), take_raw, &h);
    heap_flush(&h);
    heap_close(&h);
    receiver_close(&v);
}

static void scheme_c_slave(struct load *l)
{
    struct channel c;
    if (load_ready(l, channel_open(&c, l, LOAD_IO_RANK))) {
        roles_slave(l, send_raw, &c);
        channel_end(&c);
    }
    channel_close(&c);
}

static void load_c(struct load *l)
{
    roles_play(l, scheme_c_io_node, scheme_c_slave);
}

const struct scheme scheme_c = {
    .name = "C", .ranks_min = 3, .reads_back = true, .load = load_c};

/* Writes NAME.summary beside a log in binary form: the paper's Tables 2.2 and 2.3. */
#include "iotrace/format/escape.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <string.h>

struct out {
    int fd;
    size_t used;
    char text[32768];
};

static void summary_flush(struct out *o)
{
    sys_write(o->fd, o->text, o->used);
    o->used = 0;
}

#define PUT(o, ...)                                                                    \
    do {                                                                               \
        if ((o)->used > sizeof(o)->text - PATH_BYTES * ESCAPE_MOST - 512)              \
            summary_flush(o);                                                          \
        (o)->used += (size_t)snprintf((o)->text + (o)->used,                           \
                                      sizeof(o)->text - (o)->used, __VA_ARGS__);       \
    } while (0)

static double summary_seconds(uint64_t ticks)
{
    return (double)ticks * recorder.ns_per_tick * 1e-9;
}

static void summary_put_file(const struct trace_name *n, void *with)
{
    struct out *o = with;
    const struct file_sum *s = &state->sum[n->id];
    ROOM(text);
    if (!text)
        return;
    escape_text(text, n->text);
    PUT(o, "%s\t%ju\t%ju\t%.9f\t%ju\t%ju\t%.9f\t%u\t%d\n", text, s->calls[0],
        s->bytes[0], summary_seconds(s->ticks[0]), s->calls[1], s->bytes[1],
        summary_seconds(s->ticks[1]), n->id, n->fd);
}

static void count_file(const struct trace_name *n, void *with)
{
    if (name_is_first(n->text))
        ++*(unsigned *)with;
}

static void put_process(struct out *o, unsigned files)
{
    const struct trace_header *h = recorder.header;
    PUT(o, "App_Name\t%s\n", recorder_app());
    PUT(o, "Exe_Name\t%s\n", recorder_execution());
    PUT(o, "Tool_Name\tIOTRACE\n");
    PUT(o, "Binary_Trace_File\t%s\n", recorder.name);
    PUT(o, "Total_Num_IO_events\t%ju\n", state->events);
    PUT(o, "Total_IO_bytes\t%ju\n", state->bytes);
    PUT(o, "Total_IO_time\t%.9f\n", summary_seconds(state->ticks));
    PUT(o, "Start_Time\t%.9f\n", (double)h->first_ns * 1e-9);
    PUT(o, "End_Time\t%.9f\n", (double)h->unix_ns[1] * 1e-9);
    PUT(o, "Number_of_Files\t%u\n", files);
    PUT(o, "Dropped_events\t%ju\nExcluded_events\t%ju\n", h->dropped, h->excluded);
}

static int summary_create(void)
{
    ROOM(name);
    if (!name)
        return -1;
    stpcpy(stpcpy(name, recorder.name), ".summary");
    int fd = sys_create(name);
    if (fd < 0)
        complain("no summary is written to ", name);
    return fd;
}

void summary_write(void)
{
    static struct out o; /* recorder_end runs once at a time in a process */
    unsigned files = 0;
    o.used = 0;
    o.fd = summary_create();
    if (o.fd < 0)
        return;
    names_visit(count_file, &files);
    put_process(&o, files);
    PUT(&o, "Filename\tTotal Number Read\tTotal Bytes Read\tTotal Time Read\t"
            "Total Number Write\tTotal Bytes Write\tTotal Time Write\t"
            "Global File ID\tfd\n");
    names_visit(summary_put_file, &o);
    summary_flush(&o);
    sys_close(o.fd);
}

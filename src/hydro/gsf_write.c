#include "hydro/gsf_write.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "hydro/gsf_format.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20, RECORD_ROOM = GSF_RECORD_MAX + GSF_HEAD_BYTES + 4 };

struct gsf_writer {
    int fd;
    char *path;
    struct gsf_write_form form;
    bool scales_due; /* to be written with the next ping */
    int64_t offset;  /* of the next record in the file */
    int failed;
    int used; /* bytes in the buffer, which always has room for one more record */
    uint8_t buffer[BUFFER_BYTES + RECORD_ROOM];
};

/* ---- the file ------------------------------------------------------------------- */

static int gsf_write_flush(struct gsf_writer *w)
{
    for (int done = 0; done < w->used && !w->failed;) {
        ssize_t n = write(w->fd, w->buffer + done, (size_t)(w->used - done));
        if (n < 0 && errno != EINTR)
            w->failed = err_set(-errno, w->path, w->offset - w->used + done,
                                "write failed: %s", strerror(errno));
        done += n > 0 ? (int)n : 0;
    }
    w->used = 0;
    return w->failed;
}

/* Writes the frame of the record whose data is behind the room for its head, and counts
 * it as written. Pads data to a multiple of 4 with zeros. */
static int commit(struct gsf_writer *w, uint32_t id, int bytes)
{
    uint8_t *head = w->buffer + w->used;
    int before = GSF_HEAD_BYTES + (w->form.checksums ? 4 : 0);
    for (; bytes % 4; bytes++)
        head[before + bytes] = 0;
    gsf_put4(head, (uint32_t)bytes);
    gsf_put4(head + 4, id | (w->form.checksums ? GSF_CHECKSUM_FLAG : 0));
    if (w->form.checksums)
        gsf_put4(head + 8, gsf_sum(head + before, bytes));
    w->used += before + bytes;
    w->offset += before + bytes;
    return w->used >= BUFFER_BYTES ? gsf_write_flush(w) : w->failed;
}

static uint8_t *record_data(struct gsf_writer *w)
{
    return w->buffer + w->used + GSF_HEAD_BYTES + (w->form.checksums ? 4 : 0);
}

int gsf_write_record(struct gsf_writer *w, uint32_t id, const void *data, int bytes)
{
    if (bytes < 0 || bytes > GSF_RECORD_MAX)
        return err_set(-ERANGE, w->path, w->offset,
                       "a record cannot have %d bytes: GSF allows %d", bytes,
                       GSF_RECORD_MAX);
    memcpy(record_data(w), data, (size_t)bytes);
    return commit(w, id, bytes);
}

int gsf_write_open(struct gsf_writer **out, const char *path,
                   const struct gsf_write_form *form)
{
    struct gsf_writer *w = mem_of(path, 1, sizeof *w, "writing the file");
    char version[GSF_VERSION_BYTES + 16] = {0};
    *out = NULL;
    if (!w || !(w->path = mem_text(path, "writing the file"))) {
        free(w);
        return -ENOMEM;
    }
    w->fd = -1;
    w->offset = w->used = w->failed = 0;
    gsf_write_reform(w, form);
    int rc = scratch_create(w->path, &w->fd);
    snprintf(version, sizeof version, "GSF-v%02d.%02d", form->major % 100,
             form->minor % 100);
    if (!rc)
        rc = gsf_write_record(w, GSF_HEADER, version, GSF_VERSION_BYTES);
    *out = w;
    if (rc)
        gsf_write_close(out, false);
    return rc;
}

void gsf_write_reform(struct gsf_writer *w, const struct gsf_write_form *form)
{
    w->form = *form;
    w->scales_due = true;
}

int gsf_write_close(struct gsf_writer **out, bool keep)
{
    struct gsf_writer *w = *out;
    if (!w)
        return 0;
    int rc = keep ? gsf_write_flush(w) : w->failed;
    if (w->fd >= 0 && close(w->fd) && !rc)
        rc = err_set(-errno, w->path, -1, "close failed: %s", strerror(errno));
    if (w->fd >= 0 && (rc || !keep))
        scratch_remove(w->path);
    else
        scratch_forget(w->path);
    free(w->path);
    free(w);
    *out = NULL;
    return rc;
}

/* ---- pings ---------------------------------------------------------------------- */

/* The place at which a ping under construction continues. */
struct pen {
    uint8_t *at;
};

static void put2(struct pen *p, double v)
{
    gsf_put2(p->at, (uint32_t)(int32_t)lrint(v));
    p->at += 2;
}

static void put4(struct pen *p, double v)
{
    gsf_put4(p->at, (uint32_t)llrint(v));
    p->at += 4;
}

/* Writes times, position, beams, flags, attitude and corrections; values that our pings
 * lack are 0. */
static void gsf_write_put_head(struct pen *p, const struct gsf_ping *g, int major)
{
    int bytes = gsf_ping_head_bytes(major);
    uint8_t *start = p->at;
    memset(start, 0, (size_t)bytes);
    put4(p, (double)g->time_s);
    put4(p, g->time_ns);
    put4(p, g->lon * 1e7);
    put4(p, g->lat * 1e7);
    put2(p, g->beams);
    put2(p, g->beams / 2);
    put2(p, g->flags);
    p->at = start + 30;
    put2(p, g->heading * 100);
    p->at = start + bytes;
}

static void put_sub(struct pen *p, int id, int64_t bytes)
{
    gsf_put4(p->at, (uint32_t)id << 24 | (uint32_t)bytes);
    p->at += GSF_SUB_HEAD;
}

/* An array to write, with its id; three entries. */
struct part {
    int id;
    const struct gsf_write_array *array;
    const double *value;
    bool sign;
};

static void put_scales(struct pen *p, const struct part *part)
{
    int n = 0;
    for (int i = 0; i < 3; i++)
        n += part[i].array->width > 0;
    put_sub(p, GSF_SUB_SCALES, 4 + 12 * n);
    put4(p, n);
    for (int i = 0; i < 3; i++) {
        if (!part[i].array->width)
            continue;
        put4(p, (double)((uint32_t)part[i].id << 24 | (uint32_t)part[i].array->width
                                                          << 20));
        put4(p, part[i].array->multiplier);
        put4(p, part[i].array->offset);
    }
}

static int put_array(struct gsf_writer *w, struct pen *p, const struct part *part,
                     int beams)
{
    const struct gsf_write_array *a = part->array;
    double low = part->sign ? -ldexp(1, 8 * a->width - 1) : 0;
    double high = ldexp(1, 8 * a->width - part->sign) - 1;
    put_sub(p, part->id, (int64_t)a->width * beams);
    for (int i = 0; i < beams; i++) {
        double raw = rint((part->value[i] + a->offset) * a->multiplier);
        if (!(raw >= low && raw <= high))
            return err_set(-ERANGE, w->path, w->offset,
                           "%g m of beam %d does not fit into %d bytes, %u times as "
                           "large",
                           part->value[i], i + 1, a->width, a->multiplier);
        uint32_t word = (uint32_t)(int64_t)raw;
        for (int byte = a->width - 1; byte >= 0; byte--)
            *p->at++ = (uint8_t)(word >> 8 * byte);
    }
    return 0;
}

/* An upper bound of a ping's bytes, with scale factors and everything before
 * the arrays. */
static int64_t ping_bytes(const struct gsf_write_form *f, int beams)
{
    int width = f->depth.width + f->across.width + f->along.width + !f->no_flags;
    return 128 + (int64_t)beams * width;
}

int gsf_write_ping(struct gsf_writer *w, const struct gsf_ping *g)
{
    const struct gsf_write_form *f = &w->form;
    const struct part part[3] = {{GSF_DEPTH, &f->depth, g->depth, false},
                                 {GSF_ACROSS, &f->across, g->across, true},
                                 {GSF_ALONG, &f->along, g->along, true}};
    uint8_t *data = record_data(w);
    struct pen p = {data};
    int rc = w->failed;
    if (g->beams < 0 || g->beams > GSF_BEAMS_MAX ||
        ping_bytes(f, g->beams) > GSF_RECORD_MAX)
        return err_set(-ERANGE, w->path, w->offset, "a ping cannot have %d beams",
                       g->beams);
    gsf_write_put_head(&p, g, f->major);
    if (w->scales_due)
        put_scales(&p, part);
    for (int i = 0; i < 3 && !rc; i++)
        rc = part[i].array->width ? put_array(w, &p, &part[i], g->beams) : 0;
    if (rc)
        return rc;
    if (!f->no_flags) {
        put_sub(&p, GSF_FLAGS, g->beams);
        memcpy(p.at, g->flag, (size_t)g->beams);
        p.at += g->beams;
    }
    w->scales_due = false;
    return commit(w, GSF_PING, (int)(p.at - data));
}

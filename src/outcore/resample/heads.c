#include "outcore/resample/heads.h"
#include "base/buf.h"
#include "base/err.h"
#include <errno.h>
#include <string.h>

/* ---- the input's ----------------------------------------------------------------- */

static int read_begin(const char *path, char *to, int64_t bytes)
{
    struct io_file *f = NULL;
    const struct io_open open = {.engine = "posix",
                                 .path = path,
                                 .flags = IO_READ | IO_LOCAL,
                                 .max_request = IMAGE_HEAD,
                                 .depth = 1};
    struct io_req req = {.op = IO_OP_READ, .buf = to, .bytes = bytes};
    int rc = io_file_open(&f, &open);
    if (!rc)
        rc = io_file_transfer(f, &req);
    if (f) {
        int closed = io_file_close(&f);
        rc = rc ? rc : closed;
    }
    return rc;
}

int heads_read(struct job *j, const char *path)
{
    static const char packed[] = {0x1f, (char)0x8b};
    char head[IMAGE_HEAD] = {0};
    struct image *m = &j->bands.how.in;
    int64_t bytes = j->input.bytes;
    int rc = read_begin(path, head, bytes < IMAGE_HEAD ? bytes : IMAGE_HEAD);
    if (rc)
        return rc;
    if (!memcmp(head, FITS_MAGIC, strlen(FITS_MAGIC)))
        return fits_parse(m, bytes, path);
    if (!memcmp(head, packed, sizeof packed))
        return err_set(-EINVAL, path, 0, "this file is compressed: gunzip it first");
    return image_parse(m, head, bytes, path);
}

/* ---- the output's ---------------------------------------------------------------- */

/* The image that worker w writes. */
static struct image part_of(const struct job *j, int w)
{
    struct image m = j->bands.how.out;
    struct weights_span band = bands_part(&j->bands, w, j->run->workers);
    if (!j->run->shared)
        m.height = band.to - band.from;
    return m;
}

int64_t heads_expect(const struct job *j)
{
    int64_t all = 0;
    for (int w = 0; w < (j->run->shared ? 1 : j->run->workers); w++) {
        struct image m = part_of(j, w);
        all += m.head + image_tail(&m);
    }
    return all;
}

/* Writes the head last, so that an unfinished image is not taken for a complete one. */
void heads_write(struct job *j)
{
    struct run *r = j->run;
    struct image m = part_of(j, r->worker);
    void *room = NULL;
    if (r->shared && r->world.rank)
        return;
    int rc = buf_alloc(&room, IMAGE_HEAD, "a head");
    run_fail(r, rc);
    if (rc)
        return;
    struct io_req tail = {.op = IO_OP_WRITE,
                          .buf = room,
                          .offset = image_row_at(&m, m.height),
                          .bytes = image_tail(&m)};
    struct io_req head = {.op = IO_OP_WRITE, .buf = room, .bytes = m.head};
    memset(room, 0, IMAGE_HEAD);
    if (tail.bytes)
        run_transfer(j->output.of, &tail, 1);
    image_head(&m, room);
    run_transfer(j->output.of, &head, 1);
    buf_free(room);
}

#include "pfmload/input/reader.h"
#include "base/buf.h"
#include "base/err.h"
#include "world/world.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { SLOTS = 2 };

static int reader_fail(struct reader *r, int before)
{
    r->failed |= !before && r->run->failed;
    return r->run->failed;
}

/* Provides the bytes from `at` on; pieces before it are skipped. */
static int reader_read(void *context, int64_t at, const uint8_t **p, int64_t *n)
{
    struct reader *r = context;
    int before = r->run->failed;
    while (at >= r->at + r->bytes) {
        r->at += r->bytes;
        r->piece = run_stream_next(r->stream, &r->bytes);
        if (!r->piece && reader_fail(r, before))
            return r->run->failed;
        if (!r->piece)
            return err_set(-EIO, r->file.path, r->at, "the file ends here");
    }
    *p = r->piece + (at - r->at);
    *n = r->at + r->bytes - at;
    return 0;
}

/* Checks a file before it is opened. A FIFO is refused instead of waited for. */
static int reader_look(const char *path, struct stat *st)
{
    watchdog_arm_as_set("opening", path);
    int rc = stat(path, st) ? -errno : 0;
    watchdog_disarm();
    if (rc)
        return err_set(rc, path, -1, "cannot open the file: %s", strerror(-rc));
    return gsf_check_file(path, st);
}

static int reader_stream(struct reader *r, int64_t bytes)
{
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .bytes = bytes,
                                 .slot_bytes = GSF_READ_BYTES,
                                 .slots = r->run->async ? SLOTS : 1};
    if (!r->memory) {
        int rc =
            buf_reserve(&r->memory, run_stream_memory(&r->file, &how), "reading files");
        if (rc)
            return rc;
    }
    how.memory = r->memory;
    return run_stream_open(&r->stream, &r->file, &how);
}

int reader_open(struct reader *r, const char *path)
{
    struct stat st;
    int before = r->run->failed, rc = reader_look(path, &st);
    r->at = r->bytes = 0;
    if (rc || before)
        return rc ? rc : before;
    run_file_beside(&r->file, r->run, path, GSF_READ_BYTES, SLOTS);
    r->file.queue = r->queue;
    rc = run_file_open(&r->file, IO_READ);
    if (!rc)
        rc = reader_stream(r, st.st_size);
    reader_fail(r, before);
    struct gsf_source source = {.read = reader_read, .context = r, .bytes = st.st_size};
    if (!rc)
        rc = gsf_open_source(&r->gsf, path, &source);
    if (!rc && r->take_cut)
        gsf_take_cut(r->gsf);
    return rc;
}

void reader_close(struct reader *r)
{
    int before = r->run->failed;
    gsf_close(&r->gsf);
    run_stream_close(&r->stream);
    if (r->file.run)
        run_file_close(&r->file, false);
    r->file.run = NULL;
    reader_fail(r, before);
    if (r->failed)
        r->run->failed = 0;
    r->failed = false;
}

void reader_free(struct reader *r)
{
    buf_free(r->memory);
    r->memory = NULL;
}

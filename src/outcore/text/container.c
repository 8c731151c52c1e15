#include "outcore/text/container.h"
#include "base/err.h"
#include "run/stream.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 8, END = 64, SLOTS = 2, LINE = 320 };

static const char head[HEAD + 1] = "LEXC001\n";

/* ---- the file -------------------------------------------------------------------- */

struct container {
    struct run *run;
    struct run_file file;
    struct run_stream *stream;
    struct text_out index;
    int64_t files, at; /* at: offset in the file */
};

static void open_file(struct container *c, struct run_set *s, struct run *r, int m,
                      int64_t bytes, int flags)
{
    char name[64], path[RUN_SET_PATH];
    c->run = r;
    snprintf(name, sizeof name, "part-%06d.m%d.lexc", r->worker, m + 1);
    run_file_local(&c->file, r, run_set_path(s, name, path), bytes, CONTAINER_SLOT,
                   SLOTS);
    run_file_open(&c->file, flags);
}

static void *start(int64_t bytes)
{
    void *c = calloc(1, (size_t)bytes);
    if (!c)
        err_set(-ENOMEM, NULL, -1, "no memory for a container");
    return c;
}

/* ---- writing --------------------------------------------------------------------- */

struct container_writer {
    struct container c;
};

void text_container_make(struct container_writer **out, struct run_set *s,
                         struct run *r, int m)
{
    struct container_writer *w = *out = start(sizeof *w);
    if (!w) {
        run_fail(r, -ENOMEM);
        return;
    }
    open_file(&w->c, s, r, m, 0, IO_WRITE | IO_CREATE);
    struct run_stream_how how = {
        .op = IO_OP_WRITE, .slot_bytes = CONTAINER_SLOT, .slots = SLOTS};
    if (r->failed || run_stream_open(&w->c.stream, &w->c.file, &how))
        return;
    run_stream_put(w->c.stream, head, HEAD);
    w->c.at = HEAD;
}

static void note_file(struct container *c, const char *label, int64_t bytes)
{
    if (grow_room(&c->index, LINE)) {
        run_fail(c->run, -ENOMEM);
        return;
    }
    c->index.bytes += snprintf(c->index.at + c->index.bytes, LINE, "%lld %lld %.256s\n",
                               (long long)c->at, (long long)bytes, label);
    c->files++;
    c->at += bytes;
}

void text_container_put(struct container_writer *w, const char *label,
                        const struct text_out *file)
{
    if (!w || !w->c.stream || w->c.run->failed)
        return;
    run_stream_put(w->c.stream, file->at, file->bytes);
    note_file(&w->c, label, file->bytes);
}

static void put_index(struct container *c)
{
    char end[END + 1];
    snprintf(end, sizeof end, "LEXC-END index %020lld files %020lld", (long long)c->at,
             (long long)c->files);
    memset(end + strlen(end), ' ', (size_t)END - strlen(end));
    end[END - 1] = '\n';
    run_stream_put(c->stream, c->index.at, c->index.bytes);
    run_stream_put(c->stream, end, END);
    run_stream_flush(c->stream);
}

int64_t text_container_end(struct container_writer **out, int64_t *bytes)
{
    struct container_writer *w = *out;
    *out = NULL;
    if (!w)
        return 0;
    int64_t more = HEAD + w->c.index.bytes + END;
    *bytes = w->c.at + w->c.index.bytes + END;
    if (w->c.stream)
        put_index(&w->c);
    run_stream_close(&w->c.stream);
    run_file_close(&w->c.file, true);
    grow_free(&w->c.index);
    free(w);
    return more;
}

/* ---- reading --------------------------------------------------------------------- */

struct container_reader {
    struct container c;
    const char *piece; /* part of the stream not consumed yet */
    int64_t left;
    const char *line; /* line of the index for the next file */
    int64_t more;     /* bytes that are not of files */
};

static int bad(struct container_reader *c, const char *what)
{
    int rc = err_set(-EBADMSG, c->c.file.path, -1, "this is no container: %s", what);
    run_fail(c->c.run, rc);
    return rc;
}

static void open_stream(struct container_reader *c, int64_t from, int64_t bytes)
{
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .from = from,
                                 .bytes = bytes,
                                 .slot_bytes = CONTAINER_SLOT,
                                 .slots = SLOTS};
    run_stream_close(&c->c.stream);
    c->left = 0;
    if (!c->c.run->failed)
        run_stream_open(&c->c.stream, &c->c.file, &how);
}

/* Copies the next n bytes. */
static int container_take(struct container_reader *c, char *to, int64_t n)
{
    while (n > 0) {
        if (!c->left && c->c.stream)
            c->piece = run_stream_next(c->c.stream, &c->left);
        if (c->c.run->failed)
            return c->c.run->failed;
        if (!c->left)
            return bad(c, "it ends too early");
        int64_t part = n < c->left ? n : c->left;
        memcpy(to, c->piece, (size_t)part);
        c->piece += part;
        c->left -= part;
        to += part;
        n -= part;
    }
    return 0;
}

static int read_index(struct container_reader *c, int64_t bytes)
{
    char end[END + 1] = "";
    struct text_out *index = &c->c.index;
    long long at, files;
    open_stream(c, bytes - END, END);
    if (container_take(c, end, END))
        return c->c.run->failed;
    if (sscanf(end, "LEXC-END index %lld files %lld", &at, &files) != 2 || at < HEAD ||
        at > bytes - END)
        return bad(c, "its last 64 bytes are not the end of one");
    index->bytes = 0;
    run_fail(c->c.run, grow_room(index, bytes - END - at + 1));
    open_stream(c, at, bytes - END - at);
    if (container_take(c, index->at, bytes - END - at))
        return c->c.run->failed;
    index->at[bytes - END - at] = 0;
    c->line = index->at;
    c->c.files = files;
    c->more = HEAD + bytes - at;
    open_stream(c, 0, at);
    c->c.at = HEAD;
    if (!container_take(c, end, HEAD) && memcmp(end, head, HEAD) != 0)
        return bad(c, "its first 8 bytes are not those of one");
    return c->c.run->failed;
}

void text_container_open(struct container_reader **out, struct run_set *s,
                         struct run *r, int m, int64_t bytes)
{
    struct container_reader *c = *out = start(sizeof *c);
    if (!c) {
        run_fail(r, -ENOMEM);
        return;
    }
    open_file(&c->c, s, r, m, bytes, IO_READ);
    if (!r->failed)
        read_index(c, bytes);
}

void text_container_get(struct container_reader *c, const char *label, int64_t bytes,
                        struct text_out *file)
{
    long long at, size;
    int begin = 0;
    if (!c || c->c.run->failed)
        return;
    size_t length = strlen(label);
    file->bytes = 0;
    if (!c->line || sscanf(c->line, "%lld %lld %n", &at, &size, &begin) != 2 ||
        at != c->c.at || size != bytes ||
        strncmp(c->line + begin, label, length) != 0 ||
        c->line[begin + (int)length] != '\n') {
        bad(c, "its index is not that of the files that were put into it");
        return;
    }
    c->line += begin + (int)length + 1;
    c->c.at += bytes;
    run_fail(c->c.run, grow_room(file, bytes));
    if (!c->c.run->failed && !container_take(c, file->at, bytes))
        file->bytes = bytes;
}

int64_t text_container_close(struct container_reader **out, bool remove)
{
    struct container_reader *c = *out;
    *out = NULL;
    if (!c)
        return 0;
    int64_t more = c->more;
    run_stream_close(&c->c.stream);
    run_file_close(&c->c.file, false);
    if (remove)
        run_file_remove(&c->c.file);
    grow_free(&c->c.index);
    free(c);
    return more;
}

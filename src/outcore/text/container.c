#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "outcore/text/made.h"
#include "outcore/text/text.h"
#include "run/set.h"
#include "run/stream/stream.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- work ------------------------------------------------------------------------ */

/* ---- simulated work -------------------------------------------------------------- */

/* Shares of the modules in the time without I/O. The study shows them in a figure
 * without numbers, and says that the two extractors with models are intensive in
 * processor time; these numbers are our own. */
static const double share[TEXT_STEPS] = {0.04, 0.06, 0.44, 0.30,
                                         0.03, 0.06, 0.04, 0.03};

/* Does chains of additions and multiplications that no compiler can omit. */
static void some_work(double y[8])
{
    for (int i = 0; i < 512; i++)
        for (int k = 0; k < 8; k++)
            y[k] = y[k] * 0.999 + 0.001;
    __asm__ volatile("" : : "r"(y) : "memory");
}

void text_linger(const struct text_work *w, int m, int64_t in_bytes)
{
    double y[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (w->cost != TEXT_COST_JAVA)
        return;
    double s = w->java_s * share[m] * (double)in_bytes / 9.84e6;
    int64_t end_ns = clock_thread_ns() + (int64_t)(s * 1e9);
    while (clock_thread_ns() < end_ns)
        some_work(y);
}

/* ---- a module -------------------------------------------------------------------- */

static int make_section(int m, const char *label, int64_t in_bytes,
                        struct text_out *out)
{
    int64_t bytes = made_bytes(m, label, in_bytes) - made_bytes(m - 1, label, in_bytes);
    int rc = grow_room(out, bytes);
    if (!rc)
        out->bytes = made_section(m, label, in_bytes, out->at);
    return rc;
}

int text_step(const struct text_work *w, struct text_room *room, int m,
              const char *label, const struct text_out *in, int64_t in_bytes,
              struct text_out *out)
{
    if (w->cost != TEXT_COST_REAL)
        return make_section(m, label, in_bytes, out);
    return text_module(w->tools[m], room, (enum text_module)m, label, in->at, in->bytes,
                       out);
}

/* ---- models ---------------------------------------------------------------------- */

/* The first module that has a file of its own. */
enum { FIRST = 1 };

static const char *const made_name[MODELS] = {NULL, "crf", "maxent"};

int models_plan(struct models *m)
{
    for (int i = 0; i < MODELS; i++) {
        struct stat st;
        if (!m->of[i].path)
            continue;
        if (stat(m->of[i].path, &st))
            return err_set(-errno, m->of[i].path, -1, "the file cannot be read: %s",
                           strerror(errno));
        if (!S_ISREG(st.st_mode))
            return err_set(-EINVAL, m->of[i].path, -1, "it is not a regular file");
        m->of[i].bytes = st.st_size;
    }
    return 0;
}

static void write_models(struct run *r, struct models *m)
{
    struct run_set s;
    if (grow_room(&m->memory, m->made_bytes)) {
        run_fail(r, -ENOMEM);
        return;
    }
    buf_poison(m->memory.at, m->made_bytes);
    run_set_input(&s, r, m->folder.path);
    run_set_open(&s, IO_WRITE);
    for (int i = 0; i < MODELS && !r->failed; i++) {
        struct io_whole w = {.name = made_name[i],
                             .buf = m->memory.at,
                             .room = m->made_bytes,
                             .bytes = m->made_bytes};
        if (made_name[i])
            run_whole_write(&s, &w, IO_MAKE, false);
    }
    run_set_close(&s, true);
}

int models_make(struct run *r, struct models *m)
{
    if (!m->made_bytes)
        return 0;
    run_path(r, "models", "", m->folder.path, sizeof m->folder.path);
    r->aside = r->samples_only = true;
    run_phase_begin(r, "models");
    if (!data_folder_create(r, &m->folder) && r->world.rank == 0)
        write_models(r, m);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    return rc ? rc : run_moved(r, "models", m->folder.path, 0, 2 * m->made_bytes);
}

static int64_t read_model(struct run *r, struct models *m, const char *folder,
                          const char *name, int64_t bytes)
{
    struct run_set s;
    struct io_whole w = {.name = name, .room = bytes};
    m->memory.bytes = 0;
    run_fail(r, grow_room(&m->memory, bytes + 1));
    w.buf = m->memory.at;
    run_set_input(&s, r, folder);
    s.uncached = !r->flush;
    run_set_open(&s, IO_READ);
    run_whole_read(&s, &w);
    run_set_close(&s, false);
    if (!r->failed && w.bytes != bytes)
        run_fail(r, err_set(-EIO, name, -1,
                            "the model has %lld bytes, and had %lld when the run "
                            "began: it was changed meanwhile",
                            (long long)w.bytes, (long long)bytes));
    m->memory.bytes = w.bytes;
    return w.bytes;
}

int64_t models_read(struct run *r, struct models *m, int module, int64_t *opened)
{
    int i = module - FIRST;
    char folder[DATA_FOLDER_PATH];
    const char *name;
    if (i < 0 || i >= MODELS || r->failed)
        return 0;
    if (m->of[i].path) {
        run_fail(r, data_folder_of(m->of[i].path, folder, &name));
        if (r->failed)
            return 0;
        ++*opened;
        return read_model(r, m, folder, name, m->of[i].bytes);
    }
    if (!m->made_bytes || !made_name[i])
        return 0;
    ++*opened;
    return read_model(r, m, m->folder.path, made_name[i], m->made_bytes);
}

int models_remove(struct run *r, struct models *m)
{
    return data_folder_remove(r, &m->folder);
}

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

/* ---- writing --------------------------------------------------------------------- */

struct container_writer {
    struct container c;
};

void text_container_make(struct container_writer **out, struct run_set *s,
                         struct run *r, int m)
{
    struct container_writer *w = *out = mem_new(1, sizeof *w, "a container");
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

static int container_bad(struct container_reader *c, const char *what)
{
    int rc = err_set(-EBADMSG, c->c.file.path, -1, "this is no container: %s", what);
    run_fail(c->c.run, rc);
    return rc;
}

static void container_open_stream(struct container_reader *c, int64_t from,
                                  int64_t bytes)
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
            return container_bad(c, "it ends too early");
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
    container_open_stream(c, bytes - END, END);
    if (container_take(c, end, END))
        return c->c.run->failed;
    if (sscanf(end, "LEXC-END index %lld files %lld", &at, &files) != 2 || at < HEAD ||
        at > bytes - END)
        return container_bad(c, "its last 64 bytes are not the end of one");
    index->bytes = 0;
    run_fail(c->c.run, grow_room(index, bytes - END - at + 1));
    container_open_stream(c, at, bytes - END - at);
    if (container_take(c, index->at, bytes - END - at))
        return c->c.run->failed;
    index->at[bytes - END - at] = 0;
    c->line = index->at;
    c->c.files = files;
    c->more = HEAD + bytes - at;
    container_open_stream(c, 0, at);
    c->c.at = HEAD;
    if (!container_take(c, end, HEAD) && memcmp(end, head, HEAD) != 0)
        return container_bad(c, "its first 8 bytes are not those of one");
    return c->c.run->failed;
}

void text_container_open(struct container_reader **out, struct run_set *s,
                         struct run *r, int m, int64_t bytes)
{
    struct container_reader *c = *out = mem_new(1, sizeof *c, "a container");
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
        container_bad(c, "its index is not that of the files that were put into it");
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

#include "outcore/text/work.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "outcore/text/made.h"
#include "run/set.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

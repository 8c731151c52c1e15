#include "outcore/text/work.h"
#include "base/clock.h"
#include "outcore/text/made.h"

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

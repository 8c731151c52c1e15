/* --list-engines: the table of engines. */
#include "base/err.h"
#include "base/format/json.h"
#include "io/engine.h"

static const struct {
    int can;
    const char *name, *key; /* in the text ("": left out), and in JSON */
} abilities[] = {{IO_CAN_COLLECTIVE, "collective", "collective"},
                 {IO_CAN_DIRECT, "direct", "direct"},
                 {IO_CAN_HINTS, "hints", "hints"},
                 {IO_CALLS_MPI, "no threads", "calls_mpi"},
                 {IO_HAS_NO_FILE, "stores nothing", "stores_nothing"},
                 {IO_WRAPS, "FILETYPE=PARTITIONED", "partitions"}};

enum { ABILITIES = sizeof abilities / sizeof *abilities };

/* The reason why the engine cannot be used in this build, or with this kernel; "":
 * it can. */
static const char *why_not(const struct io_engine *e, char *out, size_t size)
{
    out[0] = 0;
    if (e->reason)
        snprintf(out, size, "not built: %s", e->reason);
    else if (e->usable && e->usable())
        snprintf(out, size, "not usable here: %s", err_get()->text);
    err_clear();
    return out;
}

static void print_text(const struct io_engine *e, FILE *out)
{
    char why[1200];
    const char *between = "";
    if (*why_not(e, why, sizeof why)) {
        fprintf(out, "%-10s %s\n", e->name, why);
        return;
    }
    fprintf(out, "%-10s %-13s", e->name, e->reap ? "asynchronous" : "synchronous");
    for (int i = 0; i < ABILITIES; i++)
        if (e->can & abilities[i].can) {
            fprintf(out, "%s %s", between, abilities[i].name);
            between = ",";
        }
    if (e->options)
        fprintf(out, "%s options %s", between, e->options);
    fputc('\n', out);
}

static void print_json(struct json *j, const struct io_engine *e)
{
    char why[1200];
    json_object_flat(j, NULL);
    json_text(j, "name", e->name);
    json_bool(j, "asynchronous", e->reap);
    for (int i = 0; i < ABILITIES; i++)
        json_bool(j, abilities[i].key, e->can & abilities[i].can);
    json_text(j, "options", e->options);
    why_not(e, why, sizeof why);
    json_text(j, "unusable", *why ? why : NULL);
    json_end_object(j);
}

void io_engine_list(bool json, FILE *out)
{
    struct json j;
    if (!json) {
        for (int i = 0; io_engines[i]; i++)
            print_text(io_engines[i], out);
        return;
    }
    json_start(&j, out);
    json_array(&j, NULL);
    for (int i = 0; io_engines[i]; i++)
        print_json(&j, io_engines[i]);
    json_end_array(&j);
    json_finish(&j);
}

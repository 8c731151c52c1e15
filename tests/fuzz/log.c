/* libFuzzer target: any bytes are a log of iotrace, binary or a table, and all readers
 * of logs read it. The facts about each call must make sense, and a table made from the
 * log must contain the same. */
#include "base/program.h"
#include "fuzz.h"
#include "iotrace/commands.h"
#include "iotrace/read/op.c" /* to forget the operations of the input before */
#include "iotrace/read/table.h"
#include "iotrace/summary.h"

const char leadline_version[] = "fuzz";

FILE *command_create(const char *path, bool replace)
{
    (void)path;
    (void)replace;
    return fopen("/dev/null", "w");
}

int command_finish(FILE *out, const char *path)
{
    (void)path;
    return out == stdout ? 0 : fclose(out);
}

int python_become(const char *script, const char *const args[])
{
    (void)args;
    return err_set(-ENOENT, script, -1, "there is no Python");
}

static bool makes_sense(const struct event *e)
{
    return e->duration_ns >= 0 && e->bytes >= -1 && e->offset >= -1 &&
           e->op < op_count() && e->class < CLASSES && e->fd >= -1;
}

/* The facts about an event in a table. */
struct cells {
    int64_t start_ns, duration_ns, bytes;
    int32_t pid;
    uint16_t op;
};

static struct cells cells_of(const struct event *e)
{
    return (struct cells){e->start_ns, e->duration_ns, e->bytes, e->pid, e->op};
}

enum { EVENTS = 4096 };

static void read_facts(const struct log *l)
{
    struct log_facts f;
    for (uint32_t id = 0; id <= log_names(l) + 1; id++)
        if (log_facts(l, id, &f))
            fuzz_demand(strlen(f.point) + strlen(f.hints) < 1 << 20 &&
                        f.block_bytes >= 0 && f.stripe_bytes >= 0 && f.stripes >= 0);
}

static int read_events(const char *path, struct cells *cells, FILE *table)
{
    struct log *l;
    struct event e;
    int n = 0, rc = log_open(&l, path);
    if (table)
        table_head(table);
    while (!rc && (rc = log_next(l, &e)) == 1) {
        fuzz_demand(makes_sense(&e));
        if (n < EVENTS)
            cells[n] = cells_of(&e);
        if (table)
            table_row(table, l, &e, (uint64_t)n);
        n++;
        rc = 0;
    }
    if (l)
        read_facts(l);
    fuzz_ended(rc);
    log_close(&l);
    return n;
}

static void try_table(const char *path)
{
    static struct cells a[EVENTS], b[EVENTS];
    char *text;
    size_t size;
    FILE *table = open_memstream(&text, &size);
    fuzz_demand(table);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    int n = read_events(path, a, table);
    fclose(table);
    path = fuzz_file((uint8_t *)text, size);
    fuzz_demand(read_events(path, b, NULL) == n && !memcmp(a, b, sizeof a));
    free(text);
}

static void try_summary(const char *path)
{
    const struct summary_tables all = {true, true, true, 8};
    struct summary *s;
    FILE *out = fopen("/dev/null", "w");
    int rc = summary_make(&s, path);
    if (!rc)
        rc = summary_text(s, &all, out);
    if (!rc)
        rc = summary_json(s, out);
    for (int c = 0; s && c < CLASSES; c++)
        fuzz_demand(s->total[c].ns >= 0 && s->total[c].bytes >= 0);
    fuzz_ended(rc);
    summary_free(&s);
    fclose(out);
}

static void try_command(int command(int argc, char **argv), const char *path,
                        const char *option)
{
    char *argv[] = {"fuzz", (char *)(uintptr_t)path, (char *)(uintptr_t)option, NULL};
    command(option ? 3 : 2, argv);
    err_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    memset(op_table, 0, (size_t)count * sizeof op_table[0]);
    memset(slot, 0, sizeof slot);
    count = 0;
    try_summary(path);
    try_command(command_bins, path, "--slices=7");
    try_command(command_ldad, path, NULL);
    try_command(command_ldad, path, "--json=x");
    try_command(command_ldad, path, "--skeleton=-");
    try_command(command_findings, path, "--floor=0");
    try_command(command_export, path, "--perfetto=x");
    try_command(command_export, path, "--csv=x");
    try_command(command_export, path, "--to=darshan-text");
    try_command(command_compare, path, path);
    try_table(path);
    return 0;
}

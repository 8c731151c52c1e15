/* --dry-run: prints the needs of a run. */
#include "base/err.h"
#include "base/format/json.h"
#include "base/units.h"
#include "run/run.h"
#include <stdio.h>
#include <string.h>

static void print_row(const char *what, int64_t rank, int64_t all)
{
    char a[16], b[16];
    bool known = rank >= 0 && all >= 0;
    printf("  %-12s %12s %12s\n", what, known ? units_bytes(a, rank) : "not known",
           known ? units_bytes(b, all) : "not known");
}

static int64_t share(int64_t all, int ranks)
{
    return all < 0 ? -1 : all / ranks;
}

static void print(const struct run *r, const struct run_need *n)
{
    int ranks = r->world.size;
    char lanes[32] = "";
    if (r->lanes > 1)
        snprintf(lanes, sizeof lanes, " of %d thread%s", r->lanes, units_s(r->lanes));
    printf("%s: %d rank%s%s; nothing is run\n\n  %-12s %12s %12s\n", r->program->name,
           ranks, units_s(ranks), lanes, "", "per rank", "all ranks");
    print_row("memory", n->memory_bytes, n->memory_bytes * ranks);
    print_row("disk", share(n->disk_bytes, ranks), n->disk_bytes);
    print_row("written", share(n->write_bytes, ranks), n->write_bytes);
    print_row("read", share(n->read_bytes, ranks), n->read_bytes);
}

/* Also returns -1 for products that exceed 2^63 - 1, which no file system holds. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return a < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

/* The needs of all ranks. UNIQUE makes a file for each worker; PARTITIONED makes these,
 * as many with checksums, a header and a shared part. With --keep each repetition has
 * its own files; without I/O there are none. */
static struct run_need in_all(const struct run *r, const struct run_need *need)
{
    int64_t workers = r->workers;
    int64_t each = r->partitioned ? 2 * workers + 2 : r->shared ? 1 : workers;
    int64_t all = r->all_files ? r->all_files : times(need->files, each);
    int64_t kept = r->options->keep ? r->options->repeat : 1;
    if (!r->engine)
        return (struct run_need){.memory_bytes = need->memory_bytes};
    return (struct run_need){.memory_bytes = need->memory_bytes,
                             .files = times(all, kept),
                             .disk_bytes = times(need->disk_bytes, kept),
                             .write_bytes = times(need->write_bytes, need->passes),
                             .read_bytes = times(need->read_bytes, need->passes)};
}

static void need_put(struct json *j, const char *key, int64_t value)
{
    if (value < 0)
        json_null(j, key);
    else
        json_int(j, key, value);
}

struct told {
    const struct run *run;
    const struct run_need *need;
};

static int need_fill(const void *what, FILE *out)
{
    const struct told *t = what;
    const struct run_need *n = t->need;
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-need/1");
    json_text(&j, "program", t->run->program->name);
    json_int(&j, "ranks", t->run->world.size);
    json_int(&j, "lanes", t->run->lanes);
    json_int(&j, "rank_memory_bytes", n->memory_bytes);
    need_put(&j, "files", n->files);
    need_put(&j, "disk_bytes", n->disk_bytes);
    need_put(&j, "write_bytes", n->write_bytes);
    need_put(&j, "read_bytes", n->read_bytes);
    json_end_object(&j);
    return json_finish(&j);
}

int run_dry_json(const struct run *r, const struct run_need *need)
{
    const char *path = r->options->json;
    struct run_need n = in_all(r, need);
    struct told told = {.run = r, .need = &n};
    int rc = 0;
    if (path && r->world.rank == 0)
        rc = report_write(path, need_fill, &told);
    return err_agree(r->world.comm, rc);
}

int run_dry(const struct run *r, const struct run_need *need)
{
    struct run_need n = in_all(r, need);
    if (r->world.rank == 0 && !r->options->quiet)
        print(r, &n);
    return run_dry_json(r, need);
}

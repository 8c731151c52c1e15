/* info: shows the header, and how much of the container exists. */
#include "base/err.h"
#include "base/format/json.h"
#include "base/mem.h"
#include "base/plain.h"
#include "base/units.h"
#include "ldad/commands.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *state_text(enum container_state s)
{
    return s == CONTAINER_COMPLETE ? "complete"
           : s == CONTAINER_OPEN   ? "open: being written, or its writer was ended"
                                   : "unknown";
}

static char *plan_text(const struct container *c)
{
    int64_t n = ldad_plan_print(NULL, 0, &c->map.plan);
    char *text = malloc((size_t)n + 1);
    if (text)
        ldad_plan_print(text, n + 1, &c->map.plan);
    return text;
}

static void info_print_plan(const struct container *c)
{
    if (!c->parts) {
        puts("plan        none that tells ranks' bytes apart: all bytes are in the "
             "shared part");
        return;
    }
    char *text = plan_text(c);
    printf("plan        %s\n            %s\n", text ? text : "",
           ldad_relation_text(ldad_plan_relation(&c->map.plan)));
    free(text);
}

static void info_print_head(const struct container *c, const char *path)
{
    char shown[PLAIN_PATH];
    printf("container   %s\nstate       %s\nid          %016llx, version %d\n",
           plain(shown, sizeof shown, path), state_text(c->state),
           (unsigned long long)c->id, CONTAINER_VERSION);
    if (c->state == CONTAINER_COMPLETE)
        printf("bytes       %lld\n", (long long)c->bytes);
    info_print_plan(c);
    printf("header      %lld bytes\n", (long long)container_size(c));
    if (c->dirs[0])
        printf("node dirs   %s\n", plain(shown, sizeof shown, c->dirs));
}

static void print_shared(const struct container *c, const char *path)
{
    struct extents x = {0};
    char shared[CONTAINER_PATH];
    struct stat st = {0};
    if (container_map_read(c, path, &x) || container_file(path, "shared", shared) ||
        stat(shared, &st)) {
        err_clear(); /* print_text reports it */
        return;
    }
    printf(
        "shared      %lld bytes in %lld range%s; %lld write%s (%lld bytes) did not fit "
        "the plan\n",
        (long long)(c->parts ? extents_bytes(&x) : st.st_size),
        (long long)(c->parts ? x.n : st.st_size > 0),
        units_s((c->parts ? x.n : st.st_size > 0)), (long long)c->misfits,
        units_s(c->misfits), (long long)c->misfit_bytes);
    extents_free(&x);
}

/* Returns the bytes below the end of the file by the plan; -1: the plan has no end, and
 * so the file has none yet. */
static int64_t bytes_planned(const struct container *c, int64_t r)
{
    if (c->state == CONTAINER_COMPLETE)
        return container_part_full(c, r);
    return c->map.plan.end == INT64_MAX ? -1 : ldad_map_bytes(&c->map, r);
}

static void print_parts(const struct container *c, const char *path)
{
    char part[CONTAINER_PATH], host[sizeof c->part->host];
    printf("\n%9s %16s %16s %9s %5s  %-20s %s\n", "partition", "bytes there",
           "bytes planned", "misfits", "node", "host", "file");
    for (int64_t r = 0; r < c->parts; r++) {
        const struct container_part *p = &c->part[r];
        int64_t there = parts_bytes(c, path, r), planned = bytes_planned(c, r);
        char planned_text[24] = "no end";
        container_part_path(c, path, r, part);
        if (planned >= 0)
            snprintf(planned_text, sizeof planned_text, "%lld", (long long)planned);
        printf("%9lld %16lld %16s %9lld %5d  %-20s %s\n", (long long)r,
               (long long)(there < 0 ? 0 : there), planned_text, (long long)p->misfits,
               p->node, plain(host, sizeof host, p->host),
               plain(part, sizeof part, part));
    }
}

/* ---- JSON --------------------------------------------------------------------- */

static void put_parts(struct json *j, const struct container *c, const char *path)
{
    char part[CONTAINER_PATH];
    json_array(j, "partitions");
    for (int64_t r = 0; r < c->parts; r++) {
        const struct container_part *p = &c->part[r];
        int64_t there = parts_bytes(c, path, r);
        container_part_path(c, path, r, part);
        json_object_flat(j, NULL);
        json_text(j, "file", part);
        if (there < 0)
            json_null(j, "bytes");
        else
            json_int(j, "bytes", there);
        if (bytes_planned(c, r) < 0)
            json_null(j, "planned");
        else
            json_int(j, "planned", bytes_planned(c, r));
        json_int(j, "misfits", p->misfits);
        json_int(j, "node", p->node);
        json_text(j, "host", p->host);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Puts each line of the missing parts. */
static void put_missing(struct json *j, char *lines)
{
    json_array(j, "missing");
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
        json_text(j, NULL, line);
    json_end_array(j);
}

/* Prints the report as JSON. The end of the program checks that it could be written. */
static void print_json(const struct container *c, const char *path, char *missing)
{
    struct json j;
    char *plan = c->parts ? plan_text(c) : NULL;
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "container", path);
    json_text(&j, "state", c->state == CONTAINER_COMPLETE ? "complete" : "open");
    json_int(&j, "version", CONTAINER_VERSION);
    if (c->state == CONTAINER_COMPLETE)
        json_int(&j, "bytes", c->bytes);
    json_text(&j, "plan", plan);
    if (plan)
        json_text(&j, "relation", ldad_relation_text(ldad_plan_relation(&c->map.plan)));
    json_int(&j, "header_bytes", container_size(c));
    json_object_flat(&j, "misfits");
    json_int(&j, "writes", c->misfits);
    json_int(&j, "bytes", c->misfit_bytes);
    json_end_object(&j);
    put_parts(&j, c, path);
    put_missing(&j, missing);
    json_end_object(&j);
    free(plan);
    json_finish(&j);
}

/* ---- the command -------------------------------------------------------------- */

static void print_text(const struct container *c, const char *path, const char *missing)
{
    info_print_head(c, path);
    print_shared(c, path);
    if (c->parts)
        print_parts(c, path);
    printf("\n%s", missing[0] ? missing : "nothing is missing\n");
}

int command_info(int argc, char **argv)
{
    const char *path = NULL;
    bool json = false;
    struct opt table[] = {COMMAND_CONTAINER(path),
                          {OPT_FLAG, "json", .value = &json, .preset = "no",
                           .help = "print JSON", .text = "Print all of it as JSON."}};
    const struct opt_program p = {
        "ldad info", "CONTAINER",
        "Prints what the header of a container says, how long its partitions are, and "
        "what is missing. The exit status is 1 where something is.",
        table, sizeof table / sizeof table[0]};
    struct container c;
    char *missing = NULL;
    size_t length = 0;
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    FILE *out = open_memstream(&missing, &length);
    int rc =
        out ? container_read(&c, path) : mem_none(path, 0, "looking at a container");
    int lost = rc ? 0 : parts_missing(&c, path, out);
    if (out)
        fclose(out);
    if (rc) {
        free(missing);
        return command_verdict(rc);
    }
    if (json)
        print_json(&c, path, missing);
    else
        print_text(&c, path, missing);
    free(missing);
    container_free(&c);
    return lost ? EXIT_FAILED : EXIT_GOOD;
}

/* info: what the header says, and how much of it is there. */
#include "base/err.h"
#include "ldad/commands.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *state_text(enum container_state s)
{
    return s == CONTAINER_COMPLETE ? "complete"
           : s == CONTAINER_OPEN   ? "open: being written, or its writer was ended"
                                   : "unknown";
}

static void print_plan(const struct container *c)
{
    char *text = NULL;
    if (!c->parts) {
        puts("plan        none that tells ranks' bytes apart: all bytes are in the "
             "shared part");
        return;
    }
    int64_t n = ldad_plan_print(NULL, 0, &c->map.plan);
    text = malloc((size_t)n + 1);
    if (text)
        ldad_plan_print(text, n + 1, &c->map.plan);
    printf("plan        %s\n            %s\n", text ? text : "",
           ldad_relation_text(ldad_plan_relation(&c->map.plan)));
    free(text);
}

static void print_head(const struct container *c, const char *path)
{
    printf("container   %s\nstate       %s\nid          %016llx, version %d\n", path,
           state_text(c->state), (unsigned long long)c->id, CONTAINER_VERSION);
    if (c->state == CONTAINER_COMPLETE)
        printf("bytes       %lld\n", (long long)c->bytes);
    print_plan(c);
    printf("header      %lld bytes\n", (long long)container_size(c));
    if (c->dirs[0])
        printf("node dirs   %s\n", c->dirs);
}

static void print_shared(const struct container *c, const char *path)
{
    struct extents x = {0};
    char shared[CONTAINER_PATH];
    struct stat st = {0};
    if (container_map_read(path, &x) || container_file(path, "shared", shared) ||
        stat(shared, &st)) {
        err_clear(); /* it is said below */
        return;
    }
    printf(
        "shared      %lld bytes in %lld ranges; %lld writes (%lld bytes) did not fit "
        "the plan\n",
        (long long)(c->parts ? extents_bytes(&x) : st.st_size),
        (long long)(c->parts ? x.n : st.st_size > 0), (long long)c->misfits,
        (long long)c->misfit_bytes);
    extents_free(&x);
}

static void print_parts(const struct container *c, const char *path)
{
    char part[CONTAINER_PATH];
    printf("\n%9s %16s %16s %9s %5s  %-20s %s\n", "partition", "bytes there",
           "bytes planned", "misfits", "node", "host", "file");
    for (int64_t r = 0; r < c->parts; r++) {
        const struct container_part *p = &c->part[r];
        int64_t there = parts_bytes(c, path, r);
        container_part_path(c, path, r, part);
        printf("%9lld %16lld %16lld %9lld %5d  %-20s %s\n", (long long)r,
               (long long)(there < 0 ? 0 : there),
               (long long)ldad_map_bytes(&c->map, r), (long long)p->misfits, p->node,
               p->host, part);
    }
}

int command_info(int argc, char **argv)
{
    const char *path = NULL;
    struct opt table[] = {COMMAND_CONTAINER(path)};
    const struct opt_program p = {
        "ldad info", "CONTAINER",
        "Prints what the header of a container says, how long its partitions are, and "
        "what is missing. The exit status is 1 where something is.",
        table, sizeof table / sizeof table[0]};
    struct container c;
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    int rc = container_read(&c, path);
    if (rc)
        return command_verdict(rc);
    print_head(&c, path);
    print_shared(&c, path);
    if (c.parts)
        print_parts(&c, path);
    puts("");
    int missing = parts_missing(&c, path, stdout);
    if (!missing)
        puts("nothing is missing");
    container_free(&c);
    return missing ? EXIT_FAILED : EXIT_GOOD;
}

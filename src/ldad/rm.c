/* rm: a container's files, by their names and no others. */
#include "base/err.h"
#include "ldad/commands.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int fail(const char *path)
{
    return err_set(-errno, path, -1, "it cannot be removed: %s", strerror(errno));
}

/* Removes the partitions that this process finds; *left: those that it does not. One
 * that is in the container's own folder is missing if it is not found, and no loss. */
static int remove_parts(const struct container *c, const char *path, bool force,
                        int64_t *left)
{
    char part[CONTAINER_PATH];
    int rc = 0;
    for (int64_t r = 0; r < c->parts; r++) {
        int named = container_part_path(c, path, r, part);
        if (!named && !unlink(part))
            continue;
        if (named || errno != ENOENT) {
            int failed = named ? named : fail(part);
            rc = rc ? rc : failed;
        } else if (c->part[r].dir >= 0 && !force) {
            ++*left;
            fprintf(stderr,
                    "ldad rm: partition %lld is not on this node: %s, written on node "
                    "%d (%s)\n",
                    (long long)r, part, c->part[r].node, c->part[r].host);
        }
    }
    return rc;
}

static int remove_common(const char *path)
{
    static const char *const names[] = {"shared", "shared.map", "shared.map.new",
                                        "header.new", "header"};
    char whole[CONTAINER_PATH];
    int rc = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !rc; i++) {
        rc = container_file(path, names[i], whole);
        if (!rc && unlink(whole) && errno != ENOENT)
            rc = fail(whole);
    }
    return rc || !rmdir(path) ? rc : fail(path);
}

static int remove_container(const char *path, bool force)
{
    struct container c;
    int64_t left = 0;
    int rc = container_read(&c, path);
    if (rc)
        return rc;
    rc = remove_parts(&c, path, force, &left);
    container_free(&c);
    if (rc)
        return rc;
    if (!left)
        return remove_common(path);
    return err_set(-ENOENT, path, -1,
                   "%lld partitions were not found, and the header, which says where "
                   "they are, stays: run it on those nodes, or with --force to forget "
                   "them",
                   (long long)left);
}

int command_rm(int argc, char **argv)
{
    const char *path = NULL;
    bool force = false;
    struct opt table[] = {
        COMMAND_CONTAINER(path),
        {OPT_FLAG, "force", .value = &force, .preset = "no",
         .help = "also where partitions on other nodes' disks are not found"}};
    const struct opt_program p = {
        "ldad rm", "CONTAINER",
        "Removes a container: its partitions, also those in node directories, then its "
        "header and its folder. Other files in it are left, and named.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    return command_verdict(remove_container(path, force));
}

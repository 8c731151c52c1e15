/* rm: removes a container's files, by their names and no others. */
#include "base/err.h"
#include "io/lock.h"
#include "ldad/commands.h"
#include <errno.h>

/* Refuses to take a container from a job that writes it, even with --force. */
static int check_writer(const struct container *c, const char *path)
{
    char shared[CONTAINER_PATH];
    int rc = container_file(path, "shared", shared);
    return rc || !lock_is_held(shared) ? rc : container_busy(c, path);
}

static int remove_container(const char *path, bool force)
{
    struct container c;
    int rc = container_read(&c, path);
    if (rc)
        return rc;
    if ((rc = check_writer(&c, path))) {
        container_free(&c);
        return rc;
    }
    int64_t left = force ? 0 : container_away(&c, path, stderr);
    rc = container_remove_parts(&c, path);
    container_free(&c);
    if (rc)
        return rc;
    if (!left)
        return container_remove_common(path);
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
         .help = "remove the container even if partitions on other nodes' disks "
                 "cannot be found"}};
    const struct opt_program p = {
        "ldad rm", "CONTAINER",
        "Removes a container: its partitions, also those in node directories, then its "
        "header and its directory. Other files in it are left, and named.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    return command_verdict(remove_container(path, force));
}

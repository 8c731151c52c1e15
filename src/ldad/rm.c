/* rm: removes a container's files, by their names and no others, and its description,
 * which the run that kept it has written beside it. */
#include "base/err.h"
#include "io/lock.h"
#include "ldad/commands.h"
#include "run/kept.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Refuses to take a container from a job that writes it, even with --force. */
static int check_writer(const struct container *c, const char *path)
{
    char shared[CONTAINER_PATH];
    int rc = container_file(path, "shared", shared);
    return rc || !lock_is_held(shared) ? rc : container_busy(c, path);
}

/* NAME.json beside NAME, if it describes a container of that name. */
static int remove_description(const char *path)
{
    char name[KEPT_PATH], file[KEPT_PATH];
    struct kept k;
    if (kept_find(path, name) || kept_read(&k, name) || kept_file(&k, name, 0, file)) {
        err_clear();
        return 0;
    }
    size_t n = strlen(file);
    if (strcmp(k.filetype, "PARTITIONED") != 0 || strncmp(path, file, n) != 0 ||
        path[n + strspn(path + n, "/")] || !unlink(name))
        return 0;
    return err_set(-errno, name, -1, "the description cannot be removed: %s",
                   strerror(errno));
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
    if (!left && !(rc = container_remove_common(path)))
        rc = remove_description(path);
    if (!left)
        return rc;
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
                 "cannot be found",
         .text = "Also remove the header if partitions on other nodes are not "
                 "found."}};
    const struct opt_program p = {
        "ldad rm", "CONTAINER",
        "Removes a container: its partitions, also those in node directories, then its "
        "header, its directory, and the description beside it (CONTAINER.json). Other "
        "files in it are left, and named.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    return command_verdict(remove_container(path, force));
}

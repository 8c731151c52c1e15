/* relocate: finds partitions that have moved to other folders. */
#include "base/err.h"
#include "base/plain.h"
#include "base/units.h"
#include "io/lock.h"
#include "ldad/commands.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Builds the partition's path in folder `dir` of the list; -1: the container's own. */
static int partition_path(const struct container *c, const char *path, int64_t r,
                          int dir, char out[CONTAINER_PATH])
{
    struct container_part part = c->part[r];
    c->part[r].dir = dir;
    int rc = container_part_path(c, path, r, out);
    c->part[r] = part;
    return rc;
}

/* Finds the folder with partition r: *dir, -2 if there is none. If there are two
 * copies, only the user can choose. */
static int find_partition(const struct container *c, const char *path, int64_t r,
                          int *dir)
{
    char file[CONTAINER_PATH], first[CONTAINER_PATH];
    struct stat st, one = {0};
    *dir = -2;
    for (int i = -1; i < container_dirs(c->dirs); i++) {
        int rc = partition_path(c, path, r, i, file);
        if (rc)
            return rc;
        if (stat(file, &st) ||
            (*dir > -2 && st.st_dev == one.st_dev && st.st_ino == one.st_ino))
            continue;
        if (*dir > -2)
            return err_set(-EEXIST, file, -1,
                           "partition %lld of the container is also in %s: remove the "
                           "one that is not to be used, or give other directories",
                           (long long)r, first);
        *dir = i;
        one = st;
        memcpy(first, file, sizeof first);
    }
    return 0;
}

/* Refuses a partition that is not as long as it was. */
static int check_found(const struct container *c, const char *path, int64_t r)
{
    char file[CONTAINER_PATH];
    int64_t due = c->part[r].bytes, there = parts_bytes(c, path, r);
    bool complete = c->state == CONTAINER_COMPLETE;
    if (there == due || (!complete && there > due))
        return 0;
    int rc = container_part_path(c, path, r, file);
    return rc ? rc
              : err_set(-EIO, file, -1,
                        "partition %lld of the container has %lld bytes, and %lld were "
                        "written: this is not it as it was",
                        (long long)r, (long long)there, (long long)due);
}

/* Finds all partitions. One that is missing keeps its place in the list if it is empty
 * or with `force`; else it is a failure. */
static int find_partitions(struct container *c, const char *path, bool force,
                           int64_t *unseen)
{
    int rc = 0, dirs = container_dirs(c->dirs), dir;
    *unseen = 0;
    for (int64_t r = 0; r < c->parts && !rc; r++) {
        struct container_part *p = &c->part[r];
        rc = find_partition(c, path, r, &dir);
        if (!rc && dir > -2) {
            p->dir = dir;
            rc = check_found(c, path, r);
        } else if (!rc && (force || (!p->bytes && c->state == CONTAINER_OPEN))) {
            p->dir = dirs && p->dir >= 0 ? p->dir % dirs : dirs ? 0 : -1;
            ++*unseen;
        } else if (!rc)
            rc = err_set(
                -ENOENT, path, -1,
                "partition %lld is in none of these directories, as this node sees "
                "them: give them all, or --force where it is on another node",
                (long long)r);
    }
    return rc;
}

static int relocate_locked(struct container *c, const char *path, const char *dirs,
                           bool force)
{
    char shown[PLAIN_PATH];
    int64_t unseen;
    int rc = container_set_dirs(c, dirs);
    rc = rc ? rc : find_partitions(c, path, force, &unseen);
    rc = rc ? rc : container_write(c, path, true);
    if (!rc)
        printf("%s: %lld partition%s found, %lld taken to be where the list says\n",
               plain(shown, sizeof shown, path), (long long)(c->parts - unseen),
               units_s((c->parts - unseen)), (long long)unseen);
    return rc;
}

static int relocate(const char *path, const char *dirs, bool force)
{
    struct container c;
    int lock, rc = command_lock(&c, path, &lock);
    if (rc)
        return rc;
    rc = relocate_locked(&c, path, dirs, force);
    container_free(&c);
    lock_close(&lock);
    return rc;
}

int command_relocate(int argc, char **argv)
{
    const char *path = NULL, *dirs = "";
    bool force = false;
    struct opt table[] = {
        COMMAND_CONTAINER(path),
        {OPT_TEXT, "node-dirs", .value = &dirs, .arg = "DIR,...",
         .help =
             "directories that hold the partitions now, including the container's own; "
             "%n in them is the number of the node, %r that of the rank",
         .text = "The partitions' directories now; by default the container's own. "
                 "Paths are absolute, with *%n* for the number of the node and *%r* "
                 "for the rank."},
        {OPT_FLAG, "force", .value = &force, .preset = "no",
         .help = "partitions that this node does not find are in the directory that "
                 "has their place in the list",
         .text = "Take partitions that this node does not find to be in the directory "
                 "at their place in the list, as those on other nodes are."}};
    const struct opt_program p = {
        "ldad relocate", "CONTAINER",
        "Finds the partitions of a container again after their directories were "
        "renamed or the files were moved: looks for each in these directories and the "
        "container's own, and writes into the header where it is. No partition is "
        "moved or changed.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    return command_verdict(relocate(path, dirs, force));
}

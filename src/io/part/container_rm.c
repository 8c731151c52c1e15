/* Removes a container: its files by their names, and no others. */
#include "base/err.h"
#include "base/plain.h"
#include "io/lock.h"
#include "io/part/container.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t container_away(const struct container *c, const char *path, FILE *out)
{
    char part[CONTAINER_PATH], host[sizeof c->part->host];
    int64_t away = 0;
    for (int64_t r = 0; r < c->parts; r++) {
        if (c->part[r].dir < 0 || container_part_path(c, path, r, part) ||
            !access(part, F_OK))
            continue;
        away++;
        if (out)
            fprintf(out,
                    "partition %lld is not on this node: %s, written on node %d (%s)\n",
                    (long long)r, plain(part, sizeof part, part), c->part[r].node,
                    plain(host, sizeof host, c->part[r].host));
    }
    return away;
}

static int remove_file(const char *path)
{
    if (!unlink(path) || errno == ENOENT)
        return 0;
    return err_set(-errno, path, -1, "it cannot be removed: %s", strerror(errno));
}

int container_remove_parts(const struct container *c, const char *path)
{
    char part[CONTAINER_PATH];
    int rc = 0;
    for (int64_t r = 0; r < c->parts; r++) {
        int failed = container_part_path(c, path, r, part);
        failed = failed ? failed : remove_file(part);
        failed = failed ? failed : container_sums_path(c, path, r, part);
        failed = failed ? failed : remove_file(part);
        rc = rc ? rc : failed;
    }
    return rc;
}

int container_remove_common(const char *path)
{
    static const char *const names[] = {"shared", "shared.map", "shared.map.new",
                                        "header.new", "header"};
    char whole[CONTAINER_PATH];
    int rc = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !rc; i++) {
        rc = container_file(path, names[i], whole);
        rc = rc ? rc : remove_file(whole);
    }
    if (rc || !rmdir(path))
        return rc;
    return err_set(-errno, path, -1, "it cannot be removed: %s", strerror(errno));
}

/* True if it only holds files that are made before the header, without any data. */
static bool is_begun(const char *path)
{
    char shared[CONTAINER_PATH];
    struct stat st;
    bool begun = true;
    DIR *d = opendir(path);
    for (struct dirent *e; d && begun && (e = readdir(d));)
        begun = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
                !strcmp(e->d_name, "header.new") || !strcmp(e->d_name, "shared");
    if (!d || container_file(path, "shared", shared))
        begun = false;
    if (d)
        closedir(d);
    return begun && (stat(shared, &st) || (S_ISREG(st.st_mode) && !st.st_size));
}

bool container_sweep(const char *path)
{
    char shared[CONTAINER_PATH];
    struct err before = *err_get();
    if (!is_begun(path) || container_file(path, "shared", shared) ||
        lock_is_held(shared))
        return false;
    bool gone = !container_remove_common(path);
    err_put(&before);
    return gone;
}

/* recover: brings a container that nobody closed to its last sync. */
#include "base/err.h"
#include "base/plain.h"
#include "io/lock.h"
#include "ldad/commands.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds the lengths to keep: those of the last sync, or of `all` that exists. */
static int recover_lengths(struct container *c, const char *path, bool all)
{
    char shared[CONTAINER_PATH];
    struct stat st;
    if (!all && (!c->saved || !c->generation))
        return err_set(
            -EIO, path, -1,
            "the container was never synced, so there is nothing to bring it "
            "back to: --all keeps what there is");
    for (int64_t r = 0; r < c->parts && all; r++) {
        int64_t there = parts_bytes(c, path, r);
        c->part[r].bytes = there < 0 ? c->part[r].bytes : there;
        int64_t end = there > 0 ? ldad_map_offset(&c->map, r, there - 1) + 1 : 0;
        c->bytes = c->bytes > end ? c->bytes : end;
    }
    int rc = container_file(path, "shared", shared);
    if (!rc && all && !c->parts && !stat(shared, &st))
        c->bytes = st.st_size;
    return rc;
}

/* Refuses a container that lacks a partition, before anything is changed. */
static int refuse_lost(const struct container *c, const char *path)
{
    char part[CONTAINER_PATH];
    for (int64_t r = 0; r < c->parts; r++) {
        int64_t there = parts_bytes(c, path, r);
        bool never_made = errno == ENOENT && !c->part[r].bytes && !c->dirs[0];
        int rc = container_part_path(c, path, r, part);
        if (rc)
            return rc;
        if (there < 0 && never_made) {
            printf("partition %lld is not there, and nothing of it was synced: it is "
                   "taken to be empty\n",
                   (long long)r);
            continue;
        }
        if (there < 0)
            return err_set(
                -EIO, part, -1,
                "partition %lld of the container cannot be opened: it is missing, or "
                "on another node; %lld bytes of it were synced",
                (long long)r, (long long)c->part[r].bytes);
        if (there < c->part[r].bytes)
            return err_set(
                -EIO, part, -1,
                "partition %lld of the container has %lld bytes, and %lld were "
                "synced: it was cut off",
                (long long)r, (long long)there, (long long)c->part[r].bytes);
    }
    return 0;
}

/* Computes checksums of bytes that were overwritten since the sync. */
static int renew_sums(struct container *c, const char *path, int64_t r)
{
    char part[CONTAINER_PATH], file[CONTAINER_PATH];
    struct sums *s = NULL;
    int rc = container_part_path(c, path, r, part);
    rc = rc ? rc : container_sums_path(c, path, r, file);
    rc = rc ? rc : sums_take(&s, part, c->part[r].bytes);
    struct sums_of of = container_sums_of(c, r);
    rc = rc ? rc : sums_store(s, file, &of, part, true, &c->part[r].sums);
    c->part[r].summed = !rc;
    sums_free(s);
    return rc;
}

static int recover_parts(struct container *c, const char *path)
{
    int64_t dropped, all = 0;
    int fd, rc = 0;
    for (int64_t r = 0; r < c->parts && !rc; r++) {
        rc = container_recover_part(c, path, r, &fd, &dropped);
        if (!rc && fd >= 0 && fsync(fd))
            rc = err_set(-errno, path, -1, "partition %lld cannot be synced",
                         (long long)r);
        lock_close(&fd);
        rc = rc ? rc : renew_sums(c, path, r);
        if (!rc && dropped)
            printf(
                "partition %lld: %lld bytes kept, %lld that were not synced dropped\n",
                (long long)r, (long long)c->part[r].bytes, (long long)dropped);
        all += dropped;
    }
    rc = rc ? rc : container_recover_shared(c, path, &dropped);
    all += dropped;
    if (!rc)
        printf("%lld bytes kept, %lld that were not synced dropped\n",
               (long long)c->bytes, (long long)all);
    return rc;
}

static int recover_locked(struct container *c, const char *path, bool all)
{
    struct extents x = {0};
    char shown[PLAIN_PATH];
    int rc = recover_lengths(c, path, all);
    rc = rc ? rc : refuse_lost(c, path);
    rc = rc ? rc : container_map_read(c, path, &x);
    rc = rc ? rc : container_shared_check(c, path, &x);
    rc = rc ? rc : recover_parts(c, path);
    if (!rc) {
        int64_t sync = c->generation;
        c->state = CONTAINER_COMPLETE;
        c->recovered = true;
        rc = container_save(c, path, x.n ? &x : NULL, true);
        if (!rc && all)
            printf("%s is complete, with all that was found\n",
                   plain(shown, sizeof shown, path));
        else if (!rc)
            printf("%s is complete, as at its sync %lld\n",
                   plain(shown, sizeof shown, path), (long long)sync);
    }
    extents_free(&x);
    return rc;
}

static int recover_container(const char *path, bool all)
{
    char shown[PLAIN_PATH];
    struct container c;
    int lock, rc = command_lock(&c, path, &lock);
    if (rc)
        return rc;
    if (c.state == CONTAINER_COMPLETE)
        printf("%s is complete: there is nothing to recover\n",
               plain(shown, sizeof shown, path));
    else
        rc = recover_locked(&c, path, all);
    container_free(&c);
    lock_close(&lock);
    return rc;
}

int command_recover(int argc, char **argv)
{
    const char *path = NULL;
    bool all = false;
    struct opt table[] = {COMMAND_CONTAINER(path),
                          {OPT_FLAG, "all", .value = &all, .preset = "no",
                           .help = "keep all that is there, synced or not"}};
    const struct opt_program p = {
        "ldad recover", "CONTAINER",
        "Brings a container whose writer was ended to its last sync: what was written "
        "after that is dropped, and it is complete. It says what is kept and dropped. "
        "A "
        "container that is being written, or lacks a partition, is left as it is.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    return command_verdict(recover_container(path, all));
}

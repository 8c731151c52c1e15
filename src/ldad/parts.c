/* Finds the parts of a container that exist, and those that are missing. */
#include "base/err.h"
#include "base/plain.h"
#include "io/lock.h"
#include "ldad/commands.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t parts_bytes(const struct container *c, const char *path, int64_t r)
{
    char part[CONTAINER_PATH];
    struct stat st;
    if (container_part_path(c, path, r, part))
        return -1;
    int fd = open(part, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 || fstat(fd, &st);
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return failed ? -1 : st.st_size;
}

/* Checks a partition; returns 1 if it has reported something. */
static int parts_look(const struct container *c, const char *path, int64_t r, FILE *out)
{
    const struct container_part *p = &c->part[r];
    char part[CONTAINER_PATH], host[sizeof p->host];
    int64_t there = parts_bytes(c, path, r);
    int why = errno;
    container_part_path(c, path, r, part);
    plain(part, sizeof part, part);
    if (there < 0) {
        fprintf(out,
                "partition %lld cannot be opened: %s (%s, written on %s, node %d)\n",
                (long long)r, strerror(why), part, plain(host, sizeof host, p->host),
                p->node);
        return 1;
    }
    bool complete = c->state == CONTAINER_COMPLETE;
    int64_t due = complete ? p->bytes : ldad_map_bytes(&c->map, r);
    if (complete && there > due) {
        fprintf(
            out,
            "partition %lld has %lld bytes, and %lld were written: bytes were added "
            "(%s)\n",
            (long long)r, (long long)there, (long long)due, part);
        return 1;
    }
    if (there >= due || (!complete && c->map.plan.end == INT64_MAX))
        return 0; /* a plan without an end lacks nothing either */
    fprintf(out, "partition %lld has %lld bytes, and %lld %s (%s)\n", (long long)r,
            (long long)there, (long long)due,
            complete ? "were written: it was cut off" : "are planned", part);
    return 1;
}

static void say_open(const struct container *c, const char *path, FILE *out)
{
    char shared[CONTAINER_PATH], writer[CONTAINER_WRITER];
    plain(writer, sizeof writer, c->writer);
    if (!container_file(path, "shared", shared) && lock_is_held(shared))
        fprintf(out, "the container was never completed: it is being written (%s)\n",
                writer);
    else if (!c->saved || !c->generation)
        fprintf(out, "the container was never completed nor synced: who wrote it was "
                     "ended (ldad recover --all keeps what there is)\n");
    else
        fprintf(
            out,
            "the container was never completed: who wrote it was ended (ldad recover "
            "brings it to its last sync, number %lld, of %lld bytes)\n",
            (long long)c->generation, (long long)c->bytes);
}

int parts_missing(const struct container *c, const char *path, FILE *out)
{
    struct extents x = {0};
    char shown[sizeof err_get()->text];
    int n = 0;
    if (c->state != CONTAINER_COMPLETE) {
        say_open(c, path, out);
        n++;
    }
    for (int64_t r = 0; r < c->parts; r++)
        n += parts_look(c, path, r, out);
    int rc = container_map_read(c, path, &x);
    if (!rc)
        rc = container_shared_check(c, path, &x);
    if (rc)
        fprintf(out, "%s\n", plain(shown, sizeof shown, err_get()->text));
    extents_free(&x);
    err_clear();
    return n + (rc != 0);
}

int command_lock(struct container *c, const char *path, int *lock)
{
    char shared[CONTAINER_PATH];
    *lock = -1;
    int rc = container_read(c, path);
    if (rc)
        return rc;
    rc = container_file(path, "shared", shared);
    rc = rc ? rc : lock_file(shared, lock);
    if (rc == -EBUSY)
        rc = container_busy(c, path);
    container_free(c);
    /* the lock's last owner may have closed the container */
    rc = rc ? rc : container_read(c, path);
    if (rc)
        lock_close(lock);
    return rc;
}

int parts_open(struct io_file **f, MPI_Comm comm, const char *path, bool incomplete,
               int64_t max_request)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    struct io_open o = {.engine = incomplete ? "part:incomplete=1" : "part",
                        .comm = comm,
                        .path = path,
                        .flags = IO_READ | (ranks > 1 ? IO_COLLECTIVE : 0),
                        .max_request = max_request,
                        .depth = 1,
                        .timeout_s = watchdog_limit_s()};
    return io_file_open(f, &o);
}

#include "pfmload/store/spill.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int spill_open(struct spill *f, const char *prefix, int64_t number,
               const struct told *told)
{
    *f = (struct spill){.write_fd = -1, .read_fd = -1, .told = told};
    snprintf(f->path, sizeof f->path, "%.4060s.%lld", prefix, (long long)number);
    int rc = scratch_create(f->path, &f->write_fd), gone;
    if (rc)
        return rc;
    f->read_fd = open(f->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (f->read_fd < 0)
        rc = err_set(-errno, f->path, -1, "the file cannot be opened again to read: %s",
                     strerror(errno));
    gone = scratch_remove(f->path); /* the space is ours until both are closed */
    return rc ? rc : gone;
}

void spill_close(struct spill *f)
{
    if (f->write_fd >= 0)
        close(f->write_fd);
    if (f->read_fd >= 0)
        close(f->read_fd);
    f->write_fd = f->read_fd = -1;
}

int spill_append(struct spill *f, const void *from, int64_t bytes)
{
    const char *at = from;
    for (ssize_t done = 0; bytes > 0; at += done, bytes -= done) {
        int64_t began = clock_ns();
        done = pwrite(f->write_fd, at, (size_t)bytes, f->bytes);
        if (done < 0 && errno == EINTR) {
            done = 0;
            continue;
        }
        if (done <= 0) {
            int code = done < 0 ? errno : ENOSPC;
            return err_set(-code, f->path, f->bytes,
                           "soundings that do not fit into memory cannot be written: "
                           "%s; allow more memory, or another scratch directory",
                           strerror(code));
        }
        f->bytes += done;
        told_transfer(f->told, true, done, clock_ns() - began);
    }
    return 0;
}

int spill_read(const struct spill *f, void *to, int64_t offset, int64_t bytes)
{
    char *at = to;
    for (ssize_t done = 0; bytes > 0; at += done, offset += done, bytes -= done) {
        int64_t began = clock_ns();
        done = pread(f->read_fd, at, (size_t)bytes, offset);
        if (done < 0 && errno == EINTR) {
            done = 0;
            continue;
        }
        if (done <= 0)
            return err_set(done < 0 ? -errno : -EIO, f->path, offset,
                           "soundings that were written there cannot be read back: %s",
                           done < 0 ? strerror(errno) : "the file ends before");
        told_transfer(f->told, false, done, clock_ns() - began);
    }
    return 0;
}

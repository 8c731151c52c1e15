/* Input files or block devices that others made. */
#include "base/err.h"
#include "io/io.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t io_descriptor_bytes(int fd, const struct stat *st)
{
    if (!S_ISBLK(st->st_mode)) /* for a device, stat has no size */
        return st->st_size;
    off_t end = lseek(fd, 0, SEEK_END);
    return end < 0 ? -errno : end;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "no file";
}

static int input_fail(const char *path, const char *what)
{
    return err_set(-errno, path, -1, "%s: %s", what, strerror(errno));
}

static int input_size(const char *path, struct stat *st, struct io_input *in)
{
    /* Without O_NONBLOCK the open would wait if the path had meanwhile become
     * a FIFO. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, st)) {
        int rc = input_fail(path, "the input cannot be opened to be read");
        if (fd >= 0)
            close(fd);
        return rc;
    }
    in->bytes = io_descriptor_bytes(fd, st);
    in->device = S_ISBLK(st->st_mode);
    in->stored = in->device || (int64_t)st->st_blocks * 512 > in->bytes
                     ? in->bytes
                     : (int64_t)st->st_blocks * 512;
    in->modified_ns =
        (int64_t)st->st_mtim.tv_sec * 1000000000 + (int64_t)st->st_mtim.tv_nsec;
    close(fd);
    if (in->bytes < 0)
        return err_set((int)in->bytes, path, -1,
                       "how large the device is, is not told");
    return 0;
}

int io_input_of(const char *path, struct io_input *in)
{
    struct stat st;
    memset(in, 0, sizeof *in);
    if (stat(path, &st))
        return input_fail(path, "there is no input");
    if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
        return err_set(S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL, path, -1,
                       "the input is %s: a file or a block device can be read",
                       kind_of(st.st_mode));
    return input_size(path, &st, in);
}

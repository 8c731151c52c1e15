/* Helpers for the files of a container: little-endian numbers, and reads. */
#ifndef IO_PART_BYTES_H
#define IO_PART_BYTES_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

static inline void bytes_put(unsigned char *out, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(v >> (8 * i));
}

static inline uint64_t bytes_get(const unsigned char *in, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | in[i];
    return v;
}

/* Reads up to `bytes` at `at` of a file. Returns their number, which is smaller at the
 * end of the file, or -errno. */
static inline int64_t bytes_read(int fd, int64_t at, void *out, int64_t bytes)
{
    int64_t done = 0;
    ssize_t n = 1;
    while (n > 0 && done < bytes) {
        n = pread(fd, (char *)out + done, (size_t)(bytes - done), at + done);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            done += n;
    }
    return n < 0 ? -errno : done;
}

#endif

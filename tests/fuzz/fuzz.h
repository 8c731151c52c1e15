/* The common part of the targets: bytes as a file or a text, and demands on results. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/err.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the path of a file in memory with these bytes, the same one each time. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

/* Makes a folder in the target's directory, which may exist from an earlier run. */
static inline void fuzz_folder(const char *name)
{
    if (mkdir(name, 0700) && errno != EEXIST)
        abort();
}

/* Writes a file of these bytes. */
static inline void fuzz_put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
        abort();
}

/* Copies the bytes to a text of their own, whose end ASan knows; the caller frees
 * it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    return text;
}

static inline void fuzz_demand(bool holds)
{
    if (!holds)
        abort();
}

/* Demands a sentence after a failure, and clears it for the next input. */
static inline void fuzz_ended(int rc)
{
    fuzz_demand(!rc || (rc < 0 && err_get()->code && err_get()->text[0]));
    err_clear();
}

#endif

/* The file system behind a path. */
#include "base/err.h"
#include "io/io.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* Undoes mountinfo's "\040" for a space, in place. */
static void unescape(char *s)
{
    char *out = s;
    for (; *s; s++)
        if (s[0] == '\\' && s[1] && s[2] && s[3]) {
            *out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
            s += 3;
        } else
            *out++ = *s;
    *out = 0;
}

static bool is_under(const char *path, const char *mount)
{
    size_t n = strlen(mount);
    if (!strcmp(mount, "/"))
        return true;
    return !strncmp(path, mount, n) && (path[n] == '/' || !path[n]);
}

/* The last, longest mount point that holds the path wins, as in the kernel. */
static void find_mount(const char *path, struct io_fs *fs)
{
    char *line = NULL;
    size_t size = 0, best = 0;
    FILE *f = fopen("/proc/self/mountinfo", "r");
    while (f && getline(&line, &size, f) > 0) {
        char mount[PATH_MAX], options[256], type[32];
        const char *dash = strstr(line, " - ");
        if (!dash ||
            sscanf(line, "%*s %*s %*s %*s %4095s %255s", mount, options) != 2 ||
            sscanf(dash, " - %31s", type) != 1)
            continue;
        unescape(mount);
        if (!is_under(path, mount) || strlen(mount) < best)
            continue;
        best = strlen(mount);
        memcpy(fs->type, type, sizeof fs->type);
        memcpy(fs->mount, options, sizeof fs->mount);
    }
    free(line);
    if (f)
        fclose(f);
}

int io_fs_of(const char *path, struct io_fs *fs)
{
    struct statvfs v;
    memset(fs, 0, sizeof *fs);
    strcpy(fs->type, "unknown");
    char *whole = realpath(path, NULL);
    if (!whole || statvfs(path, &v)) {
        int rc = -errno;
        free(whole);
        return err_set(rc, path, -1, "the directory cannot be used: %s", strerror(-rc));
    }
    find_mount(whole, fs);
    free(whole);
    fs->block_bytes = (int64_t)v.f_bsize;
    fs->free_bytes = v.f_frsize ? (int64_t)(v.f_bavail * v.f_frsize) : -1;
    fs->in_memory = !strcmp(fs->type, "tmpfs") || !strcmp(fs->type, "ramfs");
    return 0;
}

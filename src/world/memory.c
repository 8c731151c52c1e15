#include "world/world.h"
#include <stdio.h>
#include <string.h>

/* Returns the first number in a file, or after `key` in it; -1: there is none (a cgroup
 * without a limit says "max"). */
static int64_t number_in(const char *path, const char *key)
{
    char line[512];
    long long v = -1;
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    while (v < 0 && fgets(line, sizeof line, f))
        if (!key)
            sscanf(line, "%lld", &v);
        else if (!strncmp(line, key, strlen(key)))
            sscanf(line + strlen(key), "%*[: ]%lld", &v);
    fclose(f);
    return v;
}

static int64_t least(int64_t a, int64_t b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return a < b ? a : b;
}

/* The names that a version of cgroups gives to limits and counters. */
struct group_names {
    const char *root, *limit, *use, *cached;
};

static const struct group_names version1 = {
    "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
    "total_inactive_file"};
static const struct group_names version2 = {"/sys/fs/cgroup", "memory.max",
                                            "memory.current", "inactive_file"};

static int64_t in_group(const char *dir, const char *file, const char *key)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    return number_in(path, key);
}

/* Returns the limit of the cgroup in `dir`; -1: it has none. */
static int64_t limit_in(const struct group_names *names, const char *dir)
{
    int64_t limit = in_group(dir, names->limit, NULL);
    return limit > INT64_C(1) << 60 ? -1 : limit;
}

/* Returns limit - use. Pages of files do not count as use, as the kernel gives them
 * back. */
static int64_t left_in(const struct group_names *names, const char *dir)
{
    int64_t limit = limit_in(names, dir);
    if (limit < 0)
        return -1;
    int64_t use = in_group(dir, names->use, NULL);
    int64_t cached = in_group(dir, "memory.stat", names->cached);
    int64_t left = limit - (use > 0 ? use : 0) + (cached > 0 ? cached : 0);
    return left > 0 ? left : 0;
}

typedef int64_t of_group(const struct group_names *names, const char *dir);

/* Returns the least value of the cgroup and all its ancestors. */
static int64_t least_of_all(const struct group_names *names, char *group, of_group *of)
{
    char dir[1024];
    int64_t found = -1;
    for (;;) {
        snprintf(dir, sizeof dir, "%s%s", names->root, group);
        found = least(found, of(names, dir));
        char *slash = strrchr(group, '/');
        if (!slash)
            return found;
        *slash = 0;
    }
}

static int64_t least_of_groups(of_group *of)
{
    char line[768];
    int64_t found = -1;
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *v1 = strstr(line, ":memory:");
        if (!strncmp(line, "0::", 3))
            found = least(found, least_of_all(&version2, line + 3, of));
        else if (v1)
            found = least(found, least_of_all(&version1, v1 + 8, of));
    }
    fclose(f);
    return found;
}

int64_t world_memory_limit(void)
{
    return least_of_groups(limit_in);
}

/* ---- other limits ---------------------------------------------------------------- */

/* Appends "NAME VALUE" with the first line of DIR/FILE, unless it sets no limit. */
static bool add_line(const char *dir, const char *file, const char *name, char *text,
                     int size)
{
    char path[1200], line[160] = "";
    size_t n = strlen(text);
    snprintf(path, sizeof path, "%s/%s", dir, file);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    if (!fgets(line, sizeof line, f))
        line[0] = 0;
    fclose(f);
    line[strcspn(line, "\n")] = 0;
    if (!line[0] || !strncmp(line, "max", 3) || !strncmp(line, "-1", 2))
        return false;
    snprintf(text + n, (size_t)size - n, "%s%s %s", n ? ", " : "", name, line);
    return true;
}

/* Appends the nearest limit of a kind: of the group, or of one above it. */
static void add_nearest(const char *root, const char *group, const char *file,
                        const char *name, char *text, int size)
{
    char dir[1024];
    int n = snprintf(dir, sizeof dir, "%s%s", root, group);
    while (n < (int)sizeof dir && strlen(dir) >= strlen(root) &&
           !add_line(dir, file, name, text, size)) {
        char *slash = strrchr(dir, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

void world_limits(char *text, int size)
{
    static const struct {
        const char *key, *root, *file, *name;
    } kinds[] = {
        {"0::", "/sys/fs/cgroup", "cpu.max", "cpu"},
        {"0::", "/sys/fs/cgroup", "io.max", "io"},
        {":cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_quota_us", "cpu"},
        {":cpu:", "/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "cpu"},
        {":blkio:", "/sys/fs/cgroup/blkio", "blkio.throttle.read_bps_device", "read"},
        {":blkio:", "/sys/fs/cgroup/blkio", "blkio.throttle.write_bps_device",
         "write"}};
    char line[768];
    int64_t memory = world_memory_limit();
    text[0] = 0;
    if (memory >= 0)
        snprintf(text, (size_t)size, "memory %lld", (long long)memory);
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            const char *at = strstr(line, kinds[i].key);
            if (at && (at == line || kinds[i].key[0] == ':'))
                add_nearest(kinds[i].root, at + strlen(kinds[i].key), kinds[i].file,
                            kinds[i].name, text, size);
        }
    }
    if (f)
        fclose(f);
}

int64_t world_memory_available(void)
{
    int64_t kib = number_in("/proc/meminfo", "MemAvailable");
    return least(kib < 0 ? -1 : kib * 1024, least_of_groups(left_in));
}

#include "world/world.h"
#include <stdio.h>
#include <string.h>

/* The first number in a file, or after `key` in it; -1 where there is none (a
 * cgroup without limit says "max"). */
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

/* What the cgroup in `dir` leaves: limit - use, where pages of files do not count
 * as use, for the kernel gives them back. */
static int64_t left_in(const char *dir, const char *limit_name, const char *use_name,
                       const char *cached_key)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", dir, limit_name);
    int64_t limit = number_in(path, NULL);
    if (limit < 0 || limit > INT64_C(1) << 60)
        return -1;
    snprintf(path, sizeof path, "%s/%s", dir, use_name);
    int64_t use = number_in(path, NULL);
    snprintf(path, sizeof path, "%s/memory.stat", dir);
    int64_t cached = number_in(path, cached_key);
    int64_t left = limit - (use > 0 ? use : 0) + (cached > 0 ? cached : 0);
    return left > 0 ? left : 0;
}

/* The tightest of the cgroup and all its ancestors. */
static int64_t left_in_all(const char *root, char *group, const char *limit_name,
                           const char *use_name, const char *cached_key)
{
    char dir[1024];
    int64_t left = -1;
    for (;;) {
        snprintf(dir, sizeof dir, "%s%s", root, group);
        left = least(left, left_in(dir, limit_name, use_name, cached_key));
        char *slash = strrchr(group, '/');
        if (!slash)
            return left;
        *slash = 0;
    }
}

static int64_t cgroup_left(void)
{
    char line[768];
    int64_t left = -1;
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *v1 = strstr(line, ":memory:");
        if (!strncmp(line, "0::", 3))
            left = least(left, left_in_all("/sys/fs/cgroup", line + 3, "memory.max",
                                           "memory.current", "inactive_file"));
        else if (v1)
            left = least(left,
                         left_in_all("/sys/fs/cgroup/memory", v1 + 8,
                                     "memory.limit_in_bytes", "memory.usage_in_bytes",
                                     "total_inactive_file"));
    }
    fclose(f);
    return left;
}

int64_t world_memory_available(void)
{
    int64_t kib = number_in("/proc/meminfo", "MemAvailable");
    return least(kib < 0 ? -1 : kib * 1024, cgroup_left());
}

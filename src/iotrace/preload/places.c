/* The place of files: their file system, its mount point, its blocks and stripes. It is
 * looked up when a file gets its number, and once for each file system. */
#include "iotrace/format/lustre.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U
#endif
#define MOUNT_BYTES 512

struct mount {
    char type[32], point[MOUNT_BYTES];
};

/* Places that are known; a forked child finds those of its parent. */
enum { FREE, FILLING };
static struct place {
    uint64_t key;
    struct mount mount;
} places[PLACES];

static uint64_t place_key(const struct statx *s, uint64_t mount_id)
{
    uint64_t dev = (uint64_t)s->stx_dev_major << 32 | s->stx_dev_minor;
    uint64_t h = mount_id * UINT64_C(0x9e3779b97f4a7c15) ^ dev;
    h = (h ^ (uint64_t)s->stx_blksize << 20) * UINT64_C(0x9e3779b97f4a7c15);
    return h > FILLING ? h : FILLING + 1;
}

/* ---- the table of mounts ---- */

/* Copies text with escapes: "\040" is a blank. */
static void copy_unescaped(char *to, size_t room, const char *from, size_t n)
{
    for (size_t i = 0; i < n && room > 1; i++, room--) {
        bool octal = from[i] == '\\' && i + 3 < n;
        *to++ = octal ? (char)((from[i + 1] - '0') * 64 + (from[i + 2] - '0') * 8 +
                               (from[i + 3] - '0'))
                      : from[i];
        i += octal ? 3 : 0;
    }
    *to = 0;
}

static const char *word_at(const char *line, int n)
{
    for (; n > 0 && *line; n--)
        line += strcspn(line, " ") + (line[strcspn(line, " ")] == ' ');
    return line;
}

/* Parses a line: ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAGS] - TYPE SOURCE
 * OPTIONS. */
static bool place_is_line(const char *line, const char *id, const char *dev,
                          struct mount *m)
{
    const char *dash = strstr(line, " - "), *point = word_at(line, 4);
    const char *number = *id ? line : word_at(line, 2), *want = *id ? id : dev;
    size_t n = strlen(want);
    if (!dash || strncmp(number, want, n) != 0 || number[n] != ' ')
        return false;
    copy_unescaped(m->point, sizeof m->point, point, strcspn(point, " "));
    copy_unescaped(m->type, sizeof m->type, dash + 3, strcspn(dash + 3, " "));
    return true;
}

/* Finds a mount by its number or, if the kernel does not tell that, by the device. */
static void mount_find(struct mount *m, const struct statx *s, uint64_t mount_id)
{
    char id[24] = "", dev[32];
    size_t kept = 0;
    ROOM(text);
    int fd = text ? sys_open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC, 0) : -1;
    if (mount_id)
        snprintf(id, sizeof id, "%ju", (uintmax_t)mount_id);
    snprintf(dev, sizeof dev, "%u:%u", s->stx_dev_major, s->stx_dev_minor);
    for (bool found = false; fd >= 0 && !found;) {
        long n = sys_read(fd, text + kept, ROOM_BYTES - 1 - kept);
        if (n <= 0)
            break;
        text[kept += (size_t)n] = 0;
        char *line = text;
        for (char *end; !found && (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            found = place_is_line(line, id, dev, m);
        }
        kept -= (size_t)(line - text);
        memmove(text, line, kept + 1);
    }
    if (fd >= 0)
        sys_close(fd);
}

/* ---- a file's place ---- */

static uint32_t place_name(const struct mount *m, int fd, uint32_t block)
{
    char text[MOUNT_BYTES + 96];
    unsigned char layout[4096];
    uint32_t stripe = 0, stripes = 0;
    if (!*m->type)
        return 0;
    if (!strcmp(m->type, "lustre")) {
        long n = sys_call(SYS_fgetxattr, fd, "lustre.lov", layout, sizeof layout);
        lustre_stripes(layout, n > 0 ? (size_t)n : 0, &stripe, &stripes);
    }
    snprintf(text, sizeof text, "%s %u %u %u %s", m->type, block, stripe, stripes,
             m->point);
    uint32_t id = name_of_text(text, TRACE_PLACE, -1);
    return id <= UINT16_MAX ? id : 0;
}

/* Returns the slot of a place, filled; NULL: there is none for it. */
static struct place *place_get(uint64_t key, const struct statx *s, uint64_t mount_id)
{
    for (int i = 0; i < PLACES; i++) {
        struct place *p = &places[i];
        uint64_t is = __atomic_load_n(&p->key, __ATOMIC_ACQUIRE);
        if (is == key)
            return p;
        if (is != FREE ||
            !__atomic_compare_exchange_n(&p->key, &is, FILLING, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        mount_find(&p->mount, s, mount_id);
        __atomic_store_n(&p->key, key, __ATOMIC_RELEASE);
        return p;
    }
    return NULL;
}

uint32_t fd_place(int fd)
{
    struct statx s;
    if (fd < 0 ||
        sys_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MNT_ID, &s) ||
        !S_ISREG(s.stx_mode))
        return 0;
    uint64_t mount_id = 0; /* headers of older systems have no name for it */
    if (s.stx_mask & STATX_MNT_ID)
        memcpy(&mount_id, &s.stx_dev_minor + 1, sizeof mount_id);
    struct place *p = place_get(place_key(&s, mount_id), &s, mount_id);
    if (!p)
        return 0;
    uint32_t *known = &state->place[p - places];
    if (!*known || !strcmp(p->mount.type, "lustre"))
        *known = place_name(&p->mount, fd, s.stx_blksize);
    return *known;
}

#include "base/err.h"
#include "base/format/lustre.h"
#include "base/plain.h"
#include "base/program.h"
#include "base/scratch.h"
#include "base/units.h"
#include "io/engine.h"
#include "io/fs/mounts.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- Lustre's layout ------------------------------------------------------------- */

/* Chooses the component of a layout that decides, and describes it. */

enum {
    PATTERN_RAID0 = 1,
    ANY_SERVER = 0xffff,
    COMPONENT_STALE = 0x1,      /* a mirror that is out of date */
    COMPONENT_EXTENSION = 0x40, /* room into which others can grow */
    COMPONENT_PARITY = 0x80
};

static const uint32_t RELEASED = 0x80000000u;

static void stripe_put(unsigned char *b, int n, uint64_t x)
{
    for (int i = 0; i < n; i++, x >>= 8)
        b[i] = (unsigned char)x;
}

/* Reads a layout without components. */
static int lov_plain(const unsigned char *b, size_t n, struct io_stripes *s)
{
    struct lustre_plain p;
    const char *why = "";
    if (!lustre_plain(b, n, &p))
        return -EINVAL;
    if (p.pattern & LUSTRE_PATTERN_MDT)
        why = ", on the metadata server";
    else if (p.pattern & LUSTRE_PATTERN_FOREIGN)
        why = ", stored outside of Lustre";
    else {
        s->bytes = p.stripe_bytes;
        s->count = p.stripes == LUSTRE_EVERY_SERVER ? 0 : p.stripes;
        if (p.stripes == LUSTRE_EVERY_SERVER)
            why = ", over every server there is";
        else if (!p.stripe_bytes || !p.stripes)
            why = ", what is not told is the file system's default";
        if (p.pattern & RELEASED)
            why = ", released to an archive";
    }
    snprintf(s->about + strlen(s->about), sizeof s->about - strlen(s->about), "%s",
             why);
    return 0;
}

/* The number of the file's first `bytes` that a component holds; for an unknown size,
 * the most that it may hold. */
static uint64_t holds(const struct lustre_component *c, int64_t bytes)
{
    uint64_t end = bytes > 0 ? (uint64_t)bytes : UINT64_MAX;
    uint64_t to = c->to < end ? c->to : end;
    if (c->flags & (COMPONENT_STALE | COMPONENT_EXTENSION | COMPONENT_PARITY))
        return 0;
    return to > c->from ? to - c->from : 0;
}

static bool lov_alike(const struct lustre_component *a,
                      const struct lustre_component *b)
{
    return a->n >= LUSTRE_BYTES && b->n >= LUSTRE_BYTES &&
           !memcmp(a->layout + 4, b->layout + 4, 4) &&
           !memcmp(a->layout + 24, b->layout + 24, 6);
}

static int composite(const unsigned char *b, size_t n, int64_t bytes,
                     struct io_stripes *s)
{
    int count = lustre_components(b, n), best = -1;
    bool differ = false;
    struct lustre_component c, most = {0};
    char from[16], to[16];
    if (!count)
        return -EINVAL;
    int mirrors = lustre_mirrors(b);
    for (int i = 0; i < count; i++) {
        if (!lustre_component(b, n, i, &c) || c.from >= c.to || c.from > INT64_MAX)
            return -EINVAL;
        differ |= i && !lov_alike(&c, &most);
        if (best < 0 || holds(&c, bytes) > holds(&most, bytes)) {
            best = i;
            most = c;
        }
    }
    size_t at = strlen(s->about), room = sizeof s->about - at;
    if (differ)
        snprintf(s->about + at, room,
                 ", component %d of %d, which differ: that from %s to %s, which holds "
                 "most of the file%s",
                 best + 1, count, units_bytes(from, (int64_t)most.from),
                 most.to > INT64_MAX ? "the end" : units_bytes(to, (int64_t)most.to),
                 mirrors > 1 ? ", mirrored" : "");
    else if (mirrors > 1)
        snprintf(s->about + at, room, ", %d mirror%s", mirrors, units_s(mirrors));
    if (lustre_magic(most.layout, most.n) == LUSTRE_FOREIGN) {
        at = strlen(s->about);
        snprintf(s->about + at, sizeof s->about - at, ", stored outside of Lustre");
        return 0;
    }
    return lov_plain(most.layout, most.n, s);
}

int lov_stripes(const unsigned char *b, size_t n, int64_t bytes, struct io_stripes *s)
{
    uint32_t magic = lustre_magic(b, n);
    s->bytes = s->count = 0;
    snprintf(s->about, sizeof s->about, "Lustre's layout");
    if (magic == LUSTRE_COMPOSITE)
        return composite(b, n, bytes, s);
    if (magic == LUSTRE_FOREIGN) {
        snprintf(s->about, sizeof s->about,
                 "Lustre's layout, stored outside of Lustre");
        return 0;
    }
    return lov_plain(b, n, s);
}

/* 0 is the file system's default, also for the choice of servers. */
void lov_make(const struct io_striping *s, unsigned char out[LOV_BYTES])
{
    memset(out, 0, LOV_BYTES);
    stripe_put(out, 4, LUSTRE_V1);
    stripe_put(out + 4, 4, PATTERN_RAID0);
    stripe_put(out + 24, 4, (uint64_t)s->bytes);
    stripe_put(out + 28, 2, s->count < 0 ? LUSTRE_EVERY_SERVER : (uint64_t)s->count);
    stripe_put(out + 30, 2, ANY_SERVER);
}

/* ---- stripes --------------------------------------------------------------------- */

/* Finds how files are striped over servers or disks, by file system. */

#define TOOL_LIMIT_S 5.0
#define ATTRIBUTE_BYTES 65536 /* the largest possible */
#define GPFS_MAGIC 0x47504653

struct asked { /* the file or directory in question */
    const char *path;
    const struct io_fs *fs;
    int64_t bytes; /* 0: not known */
    bool directory;
};

static bool known(struct io_stripes *s, int64_t bytes, int64_t count, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

static bool known(struct io_stripes *s, int64_t bytes, int64_t count, const char *fmt,
                  ...)
{
    va_list ap;
    s->bytes = bytes > 0 ? bytes : 0;
    s->count = count > 0 ? count : 0;
    va_start(ap, fmt);
    vsnprintf(s->about, sizeof s->about, fmt, ap);
    va_end(ap);
    plain(s->about, sizeof s->about, s->about); /* it may come from a tool's output */
    return true;
}

/* The number, or size, after the last `key` in `text`; -1: none. */
static int64_t after(const char *text, const char *key)
{
    int64_t value = -1;
    for (const char *at = text; (at = strstr(at, key));) {
        char word[32];
        at += strlen(key);
        if (sscanf(at, " %31[0-9a-zA-Z]", word) != 1 || units_parse_bytes(word, &value))
            value = -1;
    }
    return value;
}

/* Makes the path an argument that cannot be taken for an option. */
static void as_argument(const char *path, char argument[4096])
{
    snprintf(argument, 4096, "%s%s", path[0] == '-' ? "./" : "", path);
}

/* ---- Lustre --------------------------------------------------------------------- */

static bool lustre_attribute(const char *path, const struct asked *a,
                             struct io_stripes *s)
{
    static const char *const names[] = {"lustre.lov", "trusted.lov"};
    static unsigned char value[ATTRIBUTE_BYTES];
    for (int i = 0; i < 2; i++) {
        ssize_t n = getxattr(path, names[i], value, sizeof value);
        if (n > 0 && !lov_stripes(value, (size_t)n, a->bytes, s))
            return true;
    }
    return false;
}

/* Reads "stripe_count: 4 stripe_size: 1048576" of a directory; for a file they
 * are on lines of their own with lmm_ before them, once per component of a
 * composite layout. */
bool stripes_of_lfs(const char *text, struct io_stripes *s)
{
    int64_t count = after(text, "stripe_count:"), size = after(text, "stripe_size:");
    bool every = strstr(text, "stripe_count:") && count < 0;
    if (size < 0 && count < 0)
        return false;
    const char *more = strstr(text, "lcme_id:")
                           ? strstr(strstr(text, "lcme_id:") + 1, "lcme_id:")
                           : NULL;
    return known(s, size, count, "lfs getstripe%s%s",
                 more ? ", the last one of its components" : "",
                 every ? ", over every server there is" : "");
}

static bool lustre(const struct asked *a, struct io_stripes *s)
{
    char path[4096], text[16384];
    char *file[] = {"lfs", "getstripe", path, NULL};
    char *directory[] = {"lfs", "getstripe", "-d", path, NULL};
    as_argument(a->path, path);
    if (lustre_attribute(a->path, a, s))
        return true;
    /* A directory without its own setting takes that of the root. */
    if (a->directory && a->fs->point[0] && lustre_attribute(a->fs->point, a, s))
        return true;
    int rc = tool_ask(a->directory ? directory : file, TOOL_LIMIT_S, text, sizeof text);
    if (!rc && stripes_of_lfs(text, s))
        return true;
    return known(s, 0, 0, "Lustre's attribute lustre.lov cannot be read, and lfs %s",
                 rc == -ENOENT      ? "is not on PATH"
                 : rc == -ETIMEDOUT ? "does not answer"
                                    : "does not tell");
}

enum { STRIPES_MOST = 2000 };
#define STRIPE_UNIT (INT64_C(64) << 10)
#define STRIPE_MOST (INT64_C(4) << 30)

int io_striping_parse(const char *text, struct io_striping *s)
{
    size_t n = strcspn(text, ",");
    char count[16] = "";
    *s = (struct io_striping){0};
    snprintf(count, sizeof count, "%.*s", (int)n, text);
    bool all = !strcmp(count, "all");
    if (n >= sizeof count || (!all && (units_parse_bytes(count, &s->count) ||
                                       s->count < 1 || s->count > STRIPES_MOST)))
        return err_usage(
            "--stripe: \"%.*s\" is not a number of stripes from 1 to %d, nor "
            "all",
            (int)n, text, STRIPES_MOST);
    if (all)
        s->count = -1;
    if (text[n] && (units_parse_bytes(text + n + 1, &s->bytes) || s->bytes < 1 ||
                    s->bytes % STRIPE_UNIT || s->bytes >= STRIPE_MOST))
        return err_usage("--stripe: \"%s\" is not the size of a stripe: a multiple of "
                         "64 KiB, less than 4 GiB",
                         text + n + 1);
    return 0;
}

int io_striping_check(const struct io_fs *fs)
{
    if (!strcmp(fs->type, "lustre"))
        return 0;
    return err_usage(
        "--stripe sets the stripes of files of Lustre, and --dir is on %s, "
        "where a file's are not to be set: leave it out",
        fs->type);
}

int io_stripe_create(const char *path, const struct io_striping *s, int *fd)
{
    unsigned char value[LOV_BYTES];
    int rc = scratch_create_bare(path, fd);
    if (rc)
        return rc;
    lov_make(s, value);
    if (!fsetxattr(*fd, "lustre.lov", value, sizeof value, 0))
        return 0;
    rc = err_set(-errno, path, -1, "its stripes cannot be set (lustre.lov): %s",
                 strerror(errno));
    close(*fd);
    *fd = -1;
    scratch_remove(path);
    return rc;
}

/* ---- BeeGFS --------------------------------------------------------------------- */

/* Reads "+ Type: RAID0", "+ Chunksize: 512K", "+ Number of storage targets: desired: 4;
 * actual: 4"; the last is there for files only. */
bool stripes_of_beegfs(const char *text, const char *tool, struct io_stripes *s)
{
    char type[32] = "";
    const char *at = strstr(text, "+ Type:");
    int64_t size = after(text, "Chunksize:"), count = after(text, "actual:");
    if (at)
        sscanf(at, "+ Type: %31[^\n]", type);
    if (count < 0)
        count = after(text, "desired:");
    return (size > 0 || count > 0) && known(s, size, count, "%s: %s", tool, type);
}

static bool beegfs(const struct asked *a, struct io_stripes *s)
{
    char path[4096], text[16384];
    char *now[] = {"beegfs", "entry", "info", "--retro", path, NULL};
    char *before[] = {"beegfs-ctl", "--getentryinfo", path, NULL};
    as_argument(a->path, path);
    if ((!tool_ask(now, TOOL_LIMIT_S, text, sizeof text) &&
         stripes_of_beegfs(text, "beegfs entry info", s)) ||
        (!tool_ask(before, TOOL_LIMIT_S, text, sizeof text) &&
         stripes_of_beegfs(text, "beegfs-ctl --getentryinfo", s)))
        return true;
    return known(s, 0, 0, "neither beegfs nor beegfs-ctl tells");
}

/* ---- others --------------------------------------------------------------------- */

static bool gpfs(const struct asked *a, struct io_stripes *s)
{
    struct statfs f;
    if (statfs(a->path, &f) || (unsigned long)f.f_type != GPFS_MAGIC)
        return known(s, 0, 0, "statfs tells of no GPFS");
    return known(s, (int64_t)f.f_bsize, 0,
                 "GPFS's block size; its disks are not known to clients");
}

/* Reads an extended attribute that is text; false: there is none. */
static bool attribute(const char *path, const char *name, char *text, size_t size)
{
    ssize_t n = getxattr(path, name, text, size - 1);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

static int occurrences(const char *text, const char *of)
{
    int n = 0;
    for (; (text = strstr(text, of)); text += strlen(of))
        n++;
    return n;
}

/* Reads a file's tree of translators: (<DISTRIBUTE:v-dht> (<REPLICATE:v-replicate-0>
 * <POSIX(/a):h1:/a/f> <POSIX...>)), and (<STRIPE:v-stripe-0:[131072]> ...) up to
 * GlusterFS 5. */
bool stripes_of_gluster(const char *text, struct io_stripes *s)
{
    const char *stripe = strstr(text, "<STRIPE:"), *size = stripe;
    int bricks = occurrences(text, "<POSIX"), groups = occurrences(text, "<REPLICATE");
    int64_t bytes = 0;
    if (!bricks)
        return false;
    if (stripe && (size = strchr(stripe, '[')))
        bytes = strtoll(size + 1, NULL, 10);
    if (strstr(text, "<EC:"))
        return known(s, 0, bricks, "GlusterFS: dispersed over %d brick%s", bricks,
                     units_s(bricks));
    int replicas = groups && groups <= bricks ? bricks / groups : 1;
    if (!stripe)
        return known(s, 0, 1, "GlusterFS: whole, on %d brick%s", replicas,
                     units_s(replicas));
    return known(s, bytes, bricks / replicas, "GlusterFS: %d cop%s of each stripe",
                 replicas, replicas == 1 ? "y" : "ies");
}

static bool gluster(const struct asked *a, struct io_stripes *s)
{
    static char text[ATTRIBUTE_BYTES];
    bool told = attribute(a->path, "glusterfs.pathinfo", text, sizeof text) ||
                attribute(a->path, "trusted.glusterfs.pathinfo", text, sizeof text);
    if (told && a->directory)
        return known(s, 0, 0, "GlusterFS: files stand on %d brick%s, each by its name",
                     occurrences(text, "<POSIX"), units_s(occurrences(text, "<POSIX")));
    if (told && stripes_of_gluster(text, s))
        return true;
    return known(s, 0, 0, "GlusterFS's attribute glusterfs.pathinfo cannot be read");
}

/* Reads "stripe_unit=4194304 stripe_count=1 object_size=4194304 pool=data". */
static bool ceph(const struct asked *a, struct io_stripes *s)
{
    char text[512];
    const char *name = a->directory ? "ceph.dir.layout" : "ceph.file.layout";
    if (!attribute(a->path, name, text, sizeof text))
        return known(s, 0, 0, "CephFS: %s is not set", name);
    return known(s, after(text, "stripe_unit="), after(text, "stripe_count="),
                 "CephFS: %s", text);
}

static const struct {
    const char *type;
    bool (*find)(const struct asked *, struct io_stripes *);
} systems[] = {{"lustre", lustre},          {"beegfs", beegfs}, {"gpfs", gpfs},
               {"fuse.glusterfs", gluster}, {"ceph", ceph},     {"fuse.ceph", ceph},
               {"fuse.ceph-fuse", ceph}};

void io_stripes_of(const char *path, const struct io_fs *fs, struct io_stripes *s)
{
    struct stat st;
    bool there = !stat(path, &st);
    struct asked a = {path, fs, there && S_ISREG(st.st_mode) ? st.st_size : 0,
                      there && S_ISDIR(st.st_mode)};
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        if (!strcmp(fs->type, systems[i].type)) {
            systems[i].find(&a, s);
            return;
        }
    known(s, 0, 0, "%s tells of no stripes", fs->type);
}

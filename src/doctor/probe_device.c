/* Probes that compare what was written with what the device below was given: by the
 * kernel's counters, where there is a device on this node. */
#include "base/clock.h"
#include "base/units.h"
#include "doctor/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYNCS = 16, SMALL = 4096 };

/* ---- counters of devices --------------------------------------------------------- */

struct counts {
    const char *device; /* the first one's name */
    bool known;
    bool cache;   /* the device tells that it has a volatile cache */
    bool flushes; /* its flushes are counted */
    int64_t bytes, flushed;
};

static bool file_has(const char *device, const char *file, const char *word)
{
    char path[256], text[64] = "";
    snprintf(path, sizeof path, "/sys/class/block/%s/%s", device, file);
    FILE *f = fopen(path, "re");
    bool has = f && fgets(text, sizeof text, f) && strstr(text, word);
    if (f)
        fclose(f);
    return has;
}

static void add_device(const struct io_layer *l, struct counts *c)
{
    char path[256];
    long long v[17] = {0};
    int n = 0;
    snprintf(path, sizeof path, "/sys/class/block/%s/stat", l->name);
    FILE *f = fopen(path, "re");
    while (f && n < 17 && fscanf(f, "%lld", &v[n]) == 1)
        n++;
    if (f)
        fclose(f);
    if (n < 11)
        return;
    c->known = true;
    c->device = c->device ? c->device : l->name;
    c->bytes += v[6] * 512;
    c->flushed += v[15];
    c->flushes |= n >= 16 && strcmp(l->kind, "dm") != 0 && strcmp(l->kind, "md") != 0;
    c->cache |= file_has(l->name, "queue/write_cache", "back") ||
                file_has(l->name, "../queue/write_cache", "back");
}

/* The counters of the devices on the first level below the file system that has any. */
static struct counts count(const struct place *p)
{
    struct counts c = {0};
    int level = 0;
    for (int i = 0; i < p->stack.n; i++) {
        const struct io_layer *l = &p->stack.layer[i];
        if (c.known && l->level != level)
            break;
        if (strcmp(l->kind, "file system") != 0)
            add_device(l, &c);
        level = l->level;
    }
    return c;
}

/* ---- fsync and syncfs ------------------------------------------------------------ */

struct reach {
    int64_t bytes, flushed; /* that the device got, from the write to the sync's end */
    double large_s, empty_s, small_s;
};

static int64_t sync_ns(int fd, int (*call)(int))
{
    int64_t from = clock_ns();
    return call(fd) ? -1 : clock_ns() - from;
}

/* The shortest of syncs; each of a small write, if there is one. Returns -1 if
 * it fails. */
static double shortest_sync(struct place *p, int fd, int (*call)(int), bool writes)
{
    int64_t least = INT64_MAX, end = clock_ns() + INT64_C(400000000);
    for (int i = 0; i < SYNCS && clock_ns() < end; i++) {
        if (writes && pwrite(fd, p->noise, SMALL, (off_t)i * SMALL) != SMALL)
            return -1;
        int64_t ns = sync_ns(fd, call);
        if (ns < 0)
            return -1;
        least = ns < least ? ns : least;
    }
    return (double)least / 1e9;
}

/* Writes and syncs. Returns 0 or -errno. */
static int measure(struct place *p, int (*call)(int), struct reach *r)
{
    place_random(p->noise, PIECE);
    struct counts before = count(p);
    int fd = place_noise(p, "sync", PIECE);
    if (fd < 0)
        return -errno;
    int64_t ns = sync_ns(fd, call);
    int rc = ns < 0 ? -errno : 0;
    struct counts after = count(p);
    r->bytes = after.bytes - before.bytes;
    r->flushed = after.flushed - before.flushed;
    r->large_s = (double)ns / 1e9;
    r->empty_s = rc ? -1 : shortest_sync(p, fd, call, false);
    r->small_s = rc ? -1 : shortest_sync(p, fd, call, true);
    close(fd);
    return rc;
}

/* Without a device on this node: a sync of much that takes no longer than one of
 * nothing has written nothing. */
static void judge_time(const struct place *p, struct doctor_finding *f,
                       const struct reach *r)
{
    char a[16], b[16], size[16];
    bool doubtful = r->large_s < 2 * r->empty_s + 50e-6;
    units_seconds(a, r->large_s);
    units_seconds(b, r->empty_s);
    find(f, doubtful ? "doubtful" : "not known",
         doubtful ? "sync times may be of no storage: a crash may lose what was synced"
                  : "sync times are the file system's word",
         "%s has no device on this node; a sync of %s took %s, one of nothing %s%s",
         p->fs.type, units_bytes(size, PIECE), a, b,
         doubtful ? ": it wrote nothing, or all was stored before" : "");
}

static void judge_reach(const struct place *p, struct doctor_finding *f,
                        const struct reach *r)
{
    char a[16], b[16], t[16];
    struct counts c = count(p);
    units_bytes(a, r->bytes);
    units_bytes(b, PIECE);
    units_seconds(t, r->small_s);
    if (r->bytes < PIECE * 7 / 8)
        find(f, "no", "synced data is lost in a crash, and sync times mean nothing",
             "it returned when %s had got %s of %s", c.device, a, b);
    else if (c.cache && c.flushes && !r->flushed)
        find(f, "without a flush",
             "data may be in the device's volatile cache when a sync ends",
             "%s got %s, but no flush of its cache; 4 KiB take %s", c.device, a, t);
    else
        find(f, "yes", "sync times are those of the device below the file system",
             "%s got %s%s; 4 KiB take %s", c.device, a,
             !c.flushes ? "; its flushes are not counted"
             : c.cache  ? " and was flushed"
                        : "; it has no volatile cache",
             t);
}

static void sync_probe(struct place *p, struct doctor_finding *f, const char *name,
                       int (*call)(int))
{
    struct reach r = {0};
    int rc = measure(p, call, &r);
    if (rc) {
        find_unknown(f, name, -rc);
        return;
    }
    find_value(f, "large_s", r.large_s);
    find_value(f, "small_s", r.small_s);
    find_value(f, "empty_s", r.empty_s);
    if (p->fs.in_memory)
        find(f, "no storage", "no figure here is about a storage device",
             "%s keeps files in memory", p->fs.type);
    else if (!count(p).known)
        judge_time(p, f, &r);
    else {
        find_value(f, "device_bytes", (double)r.bytes);
        find_value(f, "device_flushes", (double)r.flushed);
        judge_reach(p, f, &r);
    }
}

void probe_fsync(struct place *p, struct doctor_finding *f)
{
    sync_probe(p, f, "fsync", fsync);
}

/* Bytes of this node that wait to be written; -1: not known. */
static int64_t dirty_bytes(void)
{
    char line[128];
    long long kib = -1;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && kib < 0 && fgets(line, sizeof line, f))
        sscanf(line, "Dirty: %lld", &kib);
    if (f)
        fclose(f);
    return kib < 0 ? -1 : kib * 1024;
}

void probe_syncfs(struct place *p, struct doctor_finding *f)
{
    enum { MUCH = 256 << 20 };
    char a[16];
    int64_t dirty = dirty_bytes();
    if (!io_syncfs_works(p->dir))
        find(f, "no", "Leadline syncs each file of a directory by itself here",
             "syncfs on %s ends in this node's kernel, or may", p->fs.type);
    else if (dirty > MUCH)
        find(f, "not known", "", "others have %s to write: it would take too long",
             units_bytes(a, dirty));
    else
        sync_probe(p, f, "syncfs", syncfs);
}

/* ---- compression and deduplication ----------------------------------------------- */

/* Finds the physical place of a file's first extent, 0: not told; and its flags. */
static uint64_t first_extent(int fd, unsigned *flags)
{
    struct {
        struct fiemap map;
        struct fiemap_extent extent;
    } m;
    memset(&m, 0, sizeof m);
    m.map.fm_length = FIEMAP_MAX_OFFSET;
    m.map.fm_flags = FIEMAP_FLAG_SYNC;
    m.map.fm_extent_count = 1;
    *flags = 0;
    if (ioctl(fd, FS_IOC_FIEMAP, &m) || !m.map.fm_mapped_extents)
        return 0;
    *flags = m.extent.fe_flags;
    return m.extent.fe_physical;
}

struct stored { /* what a written file takes */
    int error;
    double blocks, device; /* shares of the bytes written; device < 0: not known */
    bool encoded;
    uint64_t place;
};

/* Writes p->noise to a file and syncs it. */
static struct stored store(struct place *p, const char *name)
{
    struct stored s = {.device = -1};
    struct stat st;
    unsigned flags;
    struct counts before = count(p);
    int fd = place_noise(p, name, PIECE);
    if (fd < 0 || fsync(fd) || fstat(fd, &st)) {
        s.error = errno;
    } else {
        struct counts after = count(p);
        s.blocks = (double)st.st_blocks * 512 / PIECE;
        if (after.known)
            s.device = (double)(after.bytes - before.bytes) / PIECE;
        s.place = first_extent(fd, &flags);
        s.encoded = flags & FIEMAP_EXTENT_ENCODED;
    }
    if (fd >= 0)
        close(fd);
    return s;
}

/* Makes `percent` of each 4 KiB of the data noise, and the rest zero. */
static void set_entropy(struct place *p, int percent)
{
    size_t part = SMALL * (size_t)percent / 100;
    place_random(p->noise, PIECE);
    for (size_t i = 0; i < PIECE; i += SMALL)
        memset(p->noise + i + part, 0, SMALL - part);
}

static bool is_smaller(const struct stored *s)
{
    return s->encoded || s->blocks < 0.9 || (s->device >= 0 && s->device < 0.9);
}

static void judge_compression(struct doctor_finding *f, const struct stored s[3])
{
    char device[100] = "there is no device on this node to look at";
    if (s[0].device >= 0)
        snprintf(device, sizeof device, "the device got %.0f, %.0f and %.0f %%",
                 1e2 * s[0].device, 1e2 * s[1].device, 1e2 * s[2].device);
    bool half = is_smaller(&s[1]), zero = is_smaller(&s[0]);
    find(
        f,
        half               ? "yes"
        : zero             ? "zeros only"
        : s[0].device >= 0 ? "no"
                           : "not seen",
        half   ? "rates depend on the data; Leadline's stamped blocks hardly compress"
        : zero ? "blocks of zeros are not stored; Leadline writes none"
               : "rates do not depend on the data, as far as is seen from here",
        "of data with 0, 50 and 100 %% noise %.0f, %.0f and %.0f %% are in its blocks; "
        "%s%s",
        1e2 * s[0].blocks, 1e2 * s[1].blocks, 1e2 * s[2].blocks, device,
        s[1].encoded ? "; its extents are encoded" : "");
}

void probe_compression(struct place *p, struct doctor_finding *f)
{
    static const char *const names[3][3] = {{"e0", "blocks_0", "device_0"},
                                            {"e50", "blocks_50", "device_50"},
                                            {"e100", "blocks_100", "device_100"}};
    struct stored s[3];
    int error = 0;
    for (int i = 0; i < 3; i++) {
        set_entropy(p, 50 * i);
        s[i] = store(p, names[i][0]);
        error = error ? error : s[i].error;
        find_value(f, names[i][1], s[i].blocks);
        if (s[i].device >= 0)
            find_value(f, names[i][2], s[i].device);
    }
    place_random(p->noise, PIECE);
    if (error)
        find_unknown(f, "storing a file", error);
    else
        judge_compression(f, s);
}

void probe_deduplication(struct place *p, struct doctor_finding *f)
{
    place_random(p->noise, PIECE);
    struct stored a = store(p, "first"), b = store(p, "second");
    bool same = a.place && a.place == b.place;
    bool less = b.device >= 0 && b.device < 0.25 && a.device >= 0.9;
    find_value(f, "device_second", b.device);
    if (a.error || b.error)
        find_unknown(f, "storing a file", a.error ? a.error : b.error);
    else if (same || less)
        find(f, "yes", "data that repeats is not stored: let --seed differ",
             "the second of two equal files is %s",
             same ? "in the place of the first" : "not written to the device");
    else if (b.device < 0)
        find(f, "not known", "", "there is no device on this node to look at");
    else
        find(f, "no", "each copy is stored, unless something deduplicates later",
             "the device got %.0f %% of the second of two equal files", 1e2 * b.device);
}

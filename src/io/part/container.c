/* A container's files: names, header, records, map. doc/container.md has the bytes. */
#include "io/part/container.h"
#include "base/err.h"
#include "base/format/crc.h"
#include "base/mem.h"
#include "base/units.h"
#include "io/part/bytes.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC "ldadcont"
#define MAP_MAGIC "ldadmaps"
#define MAP_HEAD 24
#define MAP "shared.map"
#define MAP_NEXT "shared.map.new"

/* Offsets in the header. */
enum {
    AT_VERSION = 8,
    AT_STATE = 12,
    AT_ID = 16,
    AT_PARTS = 24,
    AT_BYTES = 32,
    AT_MISFITS = 40,
    AT_MISFIT_BYTES = 48,
    AT_FLAGS = 56,
    AT_PLAN = 64,
    PLAN_ROOM = 1024,
    AT_DIRS = AT_PLAN + PLAN_ROOM,
    AT_GENERATION = AT_DIRS + CONTAINER_DIRS,
    AT_MAP_RANGES = AT_GENERATION + 8,
    AT_MAP_SUM = AT_MAP_RANGES + 8,
    AT_WRITER = AT_MAP_SUM + 8,
    AT_SUM = CONTAINER_HEAD - 4
};

enum {
    FLAG_STARTS = 1, /* the records have the plan's table of starts */
    FLAG_SAVED = 2,  /* members from AT_GENERATION on are there */
    FLAG_RECOVERED = 4
};

/* Offsets in a record. */
enum {
    IN_BYTES = 0,
    IN_START = 8,
    IN_MISFITS = 16,
    IN_NODE = 24,
    IN_DIR = 28,
    IN_HOST = 32,
    IN_SUMS = 52,
    IN_SUMMED = 56,
    IN_SUM = CONTAINER_RECORD - 4
};

static int64_t get64(const unsigned char *in)
{
    return (int64_t)bytes_get(in, 8);
}

/* ---- directories of partitions ------------------------------------------------- */

int container_dirs(const char *dirs)
{
    int n = dirs[0] != 0;
    for (const char *c = dirs; *c; c++)
        n += *c == ',';
    return n;
}

/* Finds item `i` of the list, modulo their number; returns its length. */
static size_t dir_item(const char *dirs, int i, const char **item)
{
    *item = dirs;
    for (i %= container_dirs(dirs); i; i--)
        *item = strchr(*item, ',') + 1;
    return strcspn(*item, ",");
}

static int check_dirs(const char *dirs)
{
    if (strlen(dirs) >= CONTAINER_DIRS)
        return err_usage("the list of node directories exceeds %d characters",
                         CONTAINER_DIRS - 1);
    for (const char *c = dirs; *c; c++) {
        if ((c == dirs || c[-1] == ',') && *c != '/')
            return err_usage("node directory \"%.*s\": the path must be absolute, as "
                             "other nodes and later readers look for it",
                             (int)strcspn(c, ","), c);
        if (*c == '%' && !strchr("nr", c[1] ? c[1] : '?'))
            return err_usage("node directories \"%s\": after %% stands n (number of "
                             "the node) or r (of the rank)",
                             dirs);
    }
    return 0;
}

int container_set_dirs(struct container *c, const char *dirs)
{
    int rc = dirs[0] ? check_dirs(dirs) : 0;
    if (!rc)
        snprintf(c->dirs, sizeof c->dirs, "%s", dirs);
    return rc;
}

int container_file(const char *path, const char *name, char out[CONTAINER_PATH])
{
    int n = snprintf(out, CONTAINER_PATH, "%s/%s", path, name);
    if (n >= CONTAINER_PATH)
        return err_set(-ENAMETOOLONG, path, -1, "the path is too long");
    return 0;
}

void container_dir(const char *dirs, int turn, int node, int64_t rank,
                   char out[CONTAINER_PATH])
{
    const char *item;
    size_t n = dir_item(dirs, turn, &item), at = 0;
    for (size_t i = 0; i < n && at < CONTAINER_PATH - 24; i++)
        if (item[i] == '%' && i + 1 < n) {
            long long v = item[++i] == 'n' ? node : (long long)rank;
            at += (size_t)snprintf(out + at, CONTAINER_PATH - at, "%lld", v);
        } else
            out[at++] = item[i];
    out[at] = 0;
}

/* The path of partition r, or of its checksums: they are in the same directory. */
static int file_of_part(const struct container *c, const char *path, int64_t r,
                        const char *what, char out[CONTAINER_PATH])
{
    char name[64], dir[CONTAINER_PATH];
    snprintf(name, sizeof name, "%s-%016llx-%06lld", what, (unsigned long long)c->id,
             (long long)r);
    if (c->part[r].dir < 0)
        return container_file(path, name, out);
    container_dir(c->dirs, c->part[r].dir, c->part[r].node, r, dir);
    return container_file(dir, name, out);
}

int container_part_path(const struct container *c, const char *path, int64_t r,
                        char out[CONTAINER_PATH])
{
    return file_of_part(c, path, r, "part", out);
}

int container_sums_path(const struct container *c, const char *path, int64_t r,
                        char out[CONTAINER_PATH])
{
    return file_of_part(c, path, r, "sums", out);
}

struct sums_of container_sums_of(const struct container *c, int64_t r)
{
    return (struct sums_of){c->id, r, c->part[r].bytes};
}

/* ---- making -------------------------------------------------------------------- */

static uint64_t make_id(void)
{
    struct timespec t;
    uint64_t id = 0;
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &id, sizeof id) != (ssize_t)sizeof id) {
        clock_gettime(CLOCK_REALTIME, &t);
        id = (uint64_t)t.tv_sec * 1000000007 ^ (uint64_t)t.tv_nsec << 20 ^
             (uint64_t)getpid() << 40;
    }
    if (fd >= 0)
        close(fd);
    return id;
}

/* Allocates the parts of c->map.plan; there may be none. */
static int container_allocate(struct container *c)
{
    c->part = mem_new(c->parts + 1, sizeof *c->part, "partitions");
    for (int64_t r = 0; c->part && r < c->parts; r++)
        c->part[r].dir = -1;
    return c->part ? 0 : -ENOMEM;
}

static int copy_starts(struct container *c, const struct ldad_plan *plan)
{
    if (!plan->starts)
        return 0;
    c->starts = mem_new(c->parts, sizeof *c->starts, "a table of starts");
    if (!c->starts)
        return -ENOMEM;
    memcpy(c->starts, plan->starts, (size_t)c->parts * sizeof *c->starts);
    c->map.plan.starts = c->starts;
    return 0;
}

/* Makes the map. A plan from which no container can be made is no failure, and its
 * error is not recorded; an earlier error stays. */
static bool has_map(struct container *c, const struct ldad_plan *plan)
{
    struct err before = *err_get();
    int rc = ldad_map_make(&c->map, plan);
    if (rc)
        err_put(&before);
    return !rc;
}

int container_make(struct container *c, const struct ldad_plan *plan, const char *dirs)
{
    *c = (struct container){.state = CONTAINER_OPEN, .saved = true, .id = make_id()};
    int rc = container_set_dirs(c, dirs ? dirs : "");
    if (rc)
        return rc;
    c->parts = plan && has_map(c, plan) ? plan->ranks : 0;
    rc = container_allocate(c);
    if (!rc && c->parts)
        rc = copy_starts(c, plan);
    if (rc)
        container_free(c);
    return rc;
}

int container_plan_check(const struct container *c, const char *path,
                         const struct ldad_plan *plan)
{
    struct container other = {0};
    char text[LDAD_TEXT] = "none";
    if (!plan || !has_map(&other, plan) ||
        (c->parts && ldad_map_same(&c->map, &other.map)))
        return 0;
    if (c->parts)
        ldad_plan_print(text, sizeof text, &c->map.plan);
    return err_set(-EEXIST, path, -1,
                   "the container was made with another plan than the one given now, "
                   "and keeps it (%.300s): remove the container before, or open it "
                   "without a plan",
                   text);
}

void container_free(struct container *c)
{
    free(c->part);
    free(c->starts);
    c->part = NULL;
    c->starts = NULL;
}

int64_t container_part_full(const struct container *c, int64_t r)
{
    struct ldad d = ldad_plan_rank(&c->map.plan, r);
    int64_t end = c->map.plan.end < c->bytes ? c->map.plan.end : c->bytes;
    return ldad_before(&d, end);
}

/* ---- the header as bytes --------------------------------------------------------- */

int64_t container_size(const struct container *c)
{
    return CONTAINER_HEAD + c->parts * CONTAINER_RECORD;
}

/* Formats the plan without its table, which the records have: as if all partitions
 * began at the same byte. */
static void put_plan(const struct container *c, char out[PLAN_ROOM])
{
    struct ldad_plan p = c->map.plan;
    if (p.starts) {
        p.starts = NULL;
        p.digits = 1;
        p.digit[0] = (struct ldad_digit){p.ranks, 0};
    }
    ldad_plan_print(out, PLAN_ROOM, &p);
}

void container_record_encode(const struct container *c, int64_t r,
                             unsigned char out[CONTAINER_RECORD])
{
    const struct container_part *p = &c->part[r];
    memset(out, 0, CONTAINER_RECORD);
    bytes_put(out + IN_BYTES, (uint64_t)p->bytes, 8);
    bytes_put(out + IN_START, c->starts ? (uint64_t)c->starts[r] : 0, 8);
    bytes_put(out + IN_MISFITS, (uint64_t)p->misfits, 8);
    bytes_put(out + IN_NODE, (uint32_t)p->node, 4);
    bytes_put(out + IN_DIR, (uint32_t)p->dir, 4);
    memcpy(out + IN_HOST, p->host, strnlen(p->host, sizeof p->host));
    bytes_put(out + IN_SUMS, p->sums, 4);
    bytes_put(out + IN_SUMMED, p->summed, 4);
    bytes_put(out + IN_SUM, crc_of(out, IN_SUM), 4);
}

void container_encode(const struct container *c, unsigned char *out)
{
    memset(out, 0, CONTAINER_HEAD);
    memcpy(out, MAGIC, 8);
    bytes_put(out + AT_VERSION, CONTAINER_VERSION, 4);
    bytes_put(out + AT_STATE, c->state, 4);
    bytes_put(out + AT_ID, c->id, 8);
    bytes_put(out + AT_PARTS, (uint64_t)c->parts, 8);
    bytes_put(out + AT_BYTES, (uint64_t)c->bytes, 8);
    bytes_put(out + AT_MISFITS, (uint64_t)c->misfits, 8);
    bytes_put(out + AT_MISFIT_BYTES, (uint64_t)c->misfit_bytes, 8);
    bytes_put(out + AT_FLAGS,
              (uint64_t)((c->starts ? FLAG_STARTS : 0) | (c->saved ? FLAG_SAVED : 0) |
                         (c->recovered ? FLAG_RECOVERED : 0)),
              4);
    if (c->saved) {
        bytes_put(out + AT_GENERATION, (uint64_t)c->generation, 8);
        bytes_put(out + AT_MAP_RANGES, (uint64_t)c->map_ranges, 8);
        bytes_put(out + AT_MAP_SUM, c->map_sum, 4);
        memcpy(out + AT_WRITER, c->writer, strnlen(c->writer, sizeof c->writer - 1));
    }
    if (c->parts)
        put_plan(c, (char *)out + AT_PLAN);
    memcpy(out + AT_DIRS, c->dirs, strlen(c->dirs));
    bytes_put(out + AT_SUM, crc_of(out, AT_SUM), 4);
    for (int64_t r = 0; r < c->parts; r++)
        container_record_encode(c, r, out + CONTAINER_HEAD + r * CONTAINER_RECORD);
}

int container_record_decode(struct container *c, int64_t r,
                            const unsigned char in[CONTAINER_RECORD])
{
    struct container_part *p = &c->part[r];
    if (bytes_get(in + IN_SUM, 4) != crc_of(in, IN_SUM))
        return -EIO;
    p->bytes = get64(in + IN_BYTES);
    p->misfits = get64(in + IN_MISFITS);
    p->node = (int32_t)(uint32_t)bytes_get(in + IN_NODE, 4);
    p->dir = (int32_t)(uint32_t)bytes_get(in + IN_DIR, 4);
    memcpy(p->host, in + IN_HOST, sizeof p->host - 1);
    p->sums = (uint32_t)bytes_get(in + IN_SUMS, 4);
    p->summed = bytes_get(in + IN_SUMMED, 4) & 1;
    if (c->starts)
        c->starts[r] = get64(in + IN_START);
    return p->bytes >= 0 && p->dir >= -1 && (p->dir < 0 || c->dirs[0]) ? 0 : -EIO;
}

/* Checks the first CONTAINER_HEAD bytes before any is used. */
static int check_head(const char *path, const unsigned char *raw, int64_t size)
{
    if (size < CONTAINER_HEAD || memcmp(raw, MAGIC, 8))
        return err_set(-EINVAL, path, -1,
                       "this is no partitioned container: its header does not begin "
                       "as one");
    uint32_t version = (uint32_t)bytes_get(raw + AT_VERSION, 4);
    if (version != CONTAINER_VERSION)
        return err_set(-EINVAL, path, -1,
                       "the container's header is of version %u and this program reads "
                       "version %d: take the one that wrote it",
                       version, CONTAINER_VERSION);
    if (bytes_get(raw + AT_SUM, 4) != crc_of(raw, AT_SUM))
        return err_set(-EIO, path, -1,
                       "the container's header is damaged: its checksum differs");
    int64_t parts = get64(raw + AT_PARTS);
    if (parts < 0 || parts != (size - CONTAINER_HEAD) / CONTAINER_RECORD ||
        (size - CONTAINER_HEAD) % CONTAINER_RECORD)
        return err_set(-EIO, path, -1,
                       "the container's header is damaged: of %lld partition%s it has "
                       "%lld bytes",
                       (long long)parts, units_s(parts), (long long)size);
    return 0;
}

static int decode_parts(struct container *c, const char *path, const unsigned char *raw)
{
    int rc = container_allocate(c);
    if (!rc && bytes_get(raw + AT_FLAGS, 4) & FLAG_STARTS) {
        c->starts = mem_of(path, c->parts + 1, sizeof *c->starts, "a plan");
        rc = c->starts ? 0 : -ENOMEM;
    }
    for (int64_t r = 0; r < c->parts && !rc; r++)
        if (container_record_decode(c, r, raw + CONTAINER_HEAD + r * CONTAINER_RECORD))
            rc = err_set(-EIO, path, -1,
                         "the container's header is damaged: the checksum of "
                         "partition %lld differs",
                         (long long)r);
    return rc;
}

static int damaged_plan(const char *path, const char *why)
{
    return err_set(-EIO, path, -1, "the container's header is damaged: its plan %s",
                   why);
}

static int decode_plan(struct container *c, const char *path, const char *text)
{
    struct ldad_plan p;
    if (!c->parts)
        return 0;
    if (!memchr(text, 0, PLAN_ROOM))
        return damaged_plan(path, "has no end");
    int rc = ldad_plan_parse(text, &p);
    if (rc)
        return rc;
    if (p.starts) { /* only records have them */
        ldad_plan_free(&p);
        return damaged_plan(path, "has a table of starts");
    }
    if (c->starts) {
        p.digits = 0;
        p.starts = c->starts;
    }
    if (p.ranks == c->parts)
        return ldad_map_make(&c->map, &p);
    return err_set(-EIO, path, -1, "the plan is of %lld ranks and there are %lld parts",
                   (long long)p.ranks, (long long)c->parts);
}

static void decode_saved(struct container *c, const unsigned char *raw)
{
    uint64_t flags = bytes_get(raw + AT_FLAGS, 4);
    c->saved = flags & FLAG_SAVED;
    c->recovered = flags & FLAG_RECOVERED;
    if (!c->saved)
        return;
    c->generation = get64(raw + AT_GENERATION);
    c->map_ranges = get64(raw + AT_MAP_RANGES);
    c->map_sum = (uint32_t)bytes_get(raw + AT_MAP_SUM, 4);
    memcpy(c->writer, raw + AT_WRITER, sizeof c->writer - 1);
}

/* Decodes the first CONTAINER_HEAD bytes, except the plan. `size`: of the
 * whole header. */
static int decode_head(struct container *c, const char *path, const unsigned char *raw,
                       int64_t size)
{
    *c = (struct container){0};
    int rc = check_head(path, raw, size);
    if (rc)
        return rc;
    c->state = (enum container_state)bytes_get(raw + AT_STATE, 4);
    c->id = bytes_get(raw + AT_ID, 8);
    c->parts = get64(raw + AT_PARTS);
    c->bytes = get64(raw + AT_BYTES);
    c->misfits = get64(raw + AT_MISFITS);
    c->misfit_bytes = get64(raw + AT_MISFIT_BYTES);
    memcpy(c->dirs, raw + AT_DIRS, sizeof c->dirs - 1);
    decode_saved(c, raw);
    if (c->generation < 0 || c->map_ranges < 0 || c->map_ranges > EXTENTS_MOST)
        return err_set(-EIO, path, -1,
                       "the container's header is damaged: it has had %lld sync%s, and "
                       "%lld ranges in its shared part",
                       (long long)c->generation, units_s(c->generation),
                       (long long)c->map_ranges);
    if (c->bytes < 0 || c->misfits < 0 || c->misfit_bytes < 0)
        return err_set(-EIO, path, -1,
                       "the container's header is damaged: it counts less than 0 "
                       "bytes or misfits");
    return c->dirs[0] ? check_dirs(c->dirs) : 0;
}

int container_decode(struct container *c, const char *path, const unsigned char *raw,
                     int64_t size)
{
    int rc = decode_head(c, path, raw, size);
    if (!rc)
        rc = decode_parts(c, path, raw);
    if (!rc)
        rc = decode_plan(c, path, (const char *)raw + AT_PLAN);
    if (rc)
        container_free(c);
    return rc;
}

/* ---- files ----------------------------------------------------------------------- */

/* Reads all of a small file. `what` names it in sentences about `path`. */
static int load(const char *path, const char *name, const char *what,
                unsigned char **raw, int64_t *size)
{
    char whole[CONTAINER_PATH];
    struct stat st;
    *raw = NULL;
    int rc = container_file(path, name, whole);
    if (rc)
        return rc;
    int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st))
        rc = err_set(-errno, path, -1, "the container's %s cannot be opened: %s", what,
                     strerror(errno));
    else if (!S_ISREG(st.st_mode)) /* a read would wait for a pipe */
        rc = err_set(-EINVAL, path, -1, "the container's %s is no regular file", what);
    if (!rc && !(*raw = mem_of(path, st.st_size + 1, 1, what)))
        rc = -ENOMEM;
    if (!rc && read(fd, *raw, (size_t)st.st_size) != st.st_size)
        rc = err_set(-EIO, path, -1, "the container's %s cannot be read", what);
    *size = rc ? 0 : st.st_size;
    if (fd >= 0)
        close(fd);
    if (rc) {
        free(*raw);
        *raw = NULL;
    }
    return rc;
}

int container_load(const char *path, unsigned char **raw, int64_t *size)
{
    struct stat st;
    *raw = NULL;
    if (!stat(path, &st) && !S_ISDIR(st.st_mode))
        return err_set(-EINVAL, path, -1,
                       "this is not a partitioned container, which is a directory");
    return load(path, "header", "header", raw, size);
}

int container_read(struct container *c, const char *path)
{
    unsigned char *raw;
    int64_t size;
    *c = (struct container){0};
    int rc = container_load(path, &raw, &size);
    if (!rc)
        rc = container_decode(c, path, raw, size);
    free(raw);
    return rc;
}

/* Reads the head and the plan, and touches no memory of the records. */
static int peek(struct container *c, const char *path, int fd)
{
    unsigned char raw[CONTAINER_HEAD];
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
        pread(fd, raw, sizeof raw, 0) != (ssize_t)sizeof raw)
        return err_set(-EIO, path, -1, "the container's header cannot be read");
    int rc = decode_head(c, path, raw, st.st_size);
    if (rc || bytes_get(raw + AT_FLAGS, 4) & FLAG_STARTS)
        return rc ? rc : container_read(c, path);
    c->part = mem_of(path, c->parts + 1, sizeof *c->part, "a container's header");
    if (!c->part)
        return -ENOMEM;
    return decode_plan(c, path, (const char *)raw + AT_PLAN);
}

int container_peek(struct container *c, const char *path, int *fd)
{
    char whole[CONTAINER_PATH];
    *c = (struct container){0};
    *fd = -1;
    int rc = container_file(path, "header", whole);
    if (rc)
        return rc;
    *fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return err_set(-errno, path, -1, "the container's header cannot be opened: %s",
                       strerror(errno));
    rc = peek(c, path, *fd);
    if (rc || c->starts) {
        close(*fd);
        *fd = -1;
    }
    if (rc)
        container_free(c);
    return rc;
}

int container_peek_record(struct container *c, const char *path, int fd, int64_t r)
{
    unsigned char raw[CONTAINER_RECORD];
    if (fd < 0)
        return 0;
    if (pread(fd, raw, sizeof raw, CONTAINER_HEAD + r * CONTAINER_RECORD) ==
            (ssize_t)sizeof raw &&
        !container_record_decode(c, r, raw))
        return 0;
    return err_set(-EIO, path, -1,
                   "the container's header is damaged: the record of partition %lld "
                   "cannot be read",
                   (long long)r);
}

bool container_is(const char *path)
{
    char header[CONTAINER_PATH];
    struct stat st;
    return snprintf(header, sizeof header, "%s/header", path) < (int)sizeof header &&
           !stat(header, &st) && S_ISREG(st.st_mode);
}

static int container_write_all(int fd, const unsigned char *raw, int64_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, raw, (size_t)size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        raw += n;
        size -= n;
    }
    return 0;
}

static int sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) ? -1 : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

static int fail_write(const char *path, const char *name, int rc)
{
    return err_set(rc, path, -1, "the container's %s cannot be written: %s", name,
                   strerror(-rc));
}

/* Makes its file `name` new, whatever was there: a leftover of a killed process, or a
 * link laid as a trap. */
static int write_fresh(const char *path, const char *name, const unsigned char *raw,
                       int64_t size, bool durable)
{
    char whole[CONTAINER_PATH];
    int rc = container_file(path, name, whole);
    if (rc)
        return rc;
    unlink(whole);
    int fd = open(whole, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || container_write_all(fd, raw, size) || (durable && fsync(fd)))
        rc = -errno;
    if (fd >= 0 && close(fd) && !rc)
        rc = -errno;
    if (!rc)
        return 0;
    unlink(whole);
    return fail_write(path, name, rc);
}

/* Renames its file `fresh` to `name`: at any time the old or the new one is there. */
static int put_in_place(const char *path, const char *fresh, const char *name)
{
    char from[CONTAINER_PATH], to[CONTAINER_PATH];
    int rc = container_file(path, fresh, from);
    rc = rc ? rc : container_file(path, name, to);
    if (rc || !rename(from, to))
        return rc;
    return fail_write(path, name, -errno);
}

int container_write(const struct container *c, const char *path, bool durable)
{
    int64_t size = container_size(c);
    unsigned char *raw = mem_of(path, size, 1, "a header");
    if (!raw)
        return -ENOMEM;
    container_encode(c, raw);
    int rc = write_fresh(path, "header.new", raw, size, durable);
    free(raw);
    rc = rc ? rc : put_in_place(path, "header.new", "header");
    if (rc || !durable || !sync_folder(path))
        return rc;
    return fail_write(path, "header", -errno);
}

/* ---- the map of the shared part -------------------------------------------------- */

/* Writes the new map beside the old one, which stays valid until the header
 * is replaced. */
static int map_prepare(struct container *c, const char *path, const struct extents *x,
                       bool durable)
{
    int64_t size = MAP_HEAD + 16 * x->n;
    unsigned char *raw = mem_of(path, size, 1, "a map");
    if (!raw)
        return -ENOMEM;
    memcpy(raw, MAP_MAGIC, 8);
    bytes_put(raw + 8, (uint64_t)x->n, 8);
    for (int64_t i = 0; i < x->n; i++) {
        bytes_put(raw + MAP_HEAD + 16 * i, (uint64_t)x->range[i].begin, 8);
        bytes_put(raw + MAP_HEAD + 16 * i + 8, (uint64_t)x->range[i].end, 8);
    }
    c->map_ranges = x->n;
    c->map_sum = crc_of(raw + MAP_HEAD, size - MAP_HEAD);
    bytes_put(raw + 16, c->map_sum, 4);
    int rc = write_fresh(path, MAP_NEXT, raw, size, durable);
    free(raw);
    return rc;
}

int container_save(struct container *c, const char *path, const struct extents *moved,
                   bool durable)
{
    int rc = moved ? map_prepare(c, path, moved, durable) : 0;
    c->saved = true;
    c->generation++;
    rc = rc ? rc : container_write(c, path, durable);
    return rc || !moved ? rc : put_in_place(path, MAP_NEXT, MAP);
}

static int map_decode(const char *path, struct extents *x, const unsigned char *raw,
                      int64_t size)
{
    int64_t n = size < MAP_HEAD ? -1 : get64(raw + 8);
    if (n < 0 || n > EXTENTS_MOST || size != MAP_HEAD + 16 * n ||
        memcmp(raw, MAP_MAGIC, 8) ||
        bytes_get(raw + 16, 4) != crc_of(raw + MAP_HEAD, size - MAP_HEAD))
        return err_set(-EIO, path, -1,
                       "the container's shared.map is damaged: it cannot be told "
                       "which bytes are in its shared part");
    int64_t past = -1; /* end of the previous range, which this one must not touch */
    for (int64_t i = 0; i < n; i++) {
        int64_t begin = get64(raw + MAP_HEAD + 16 * i);
        int64_t end = get64(raw + MAP_HEAD + 16 * i + 8);
        if (begin <= past || end <= begin)
            return err_set(-EIO, path, -1,
                           "the container's shared.map is damaged: range %lld of it is "
                           "empty, or out of order",
                           (long long)i);
        int rc = extents_add(x, begin, end);
        if (rc)
            return mem_none(path, 0, "a map");
        past = end;
    }
    return 0;
}

/* True if this is the map that belongs to the header. */
static bool is_this_map(const struct container *c, const unsigned char *raw,
                        int64_t size)
{
    return !c->saved || (size == MAP_HEAD + 16 * c->map_ranges &&
                         bytes_get(raw + 16, 4) == c->map_sum);
}

static int map_try(const struct container *c, const char *path, const char *name,
                   struct extents *x, bool *found)
{
    char whole[CONTAINER_PATH];
    unsigned char *raw;
    int64_t size;
    int rc = container_file(path, name, whole);
    if (rc || access(whole, F_OK))
        return rc;
    rc = load(path, name, MAP, &raw, &size);
    *found = !rc && is_this_map(c, raw, size);
    if (*found)
        rc = map_decode(path, x, raw, size);
    else if (!rc)
        rc =
            err_set(-EIO, path, -1,
                    "the container's shared.map is damaged, or not that of its header: "
                    "it cannot be told which bytes are in its shared part");
    free(raw);
    return rc;
}

/* Reads the map. A process that was killed after it replaced the header has left the
 * map under its first name. */
int container_map_read(const struct container *c, const char *path, struct extents *x)
{
    struct err before = *err_get();
    bool found = false;
    *x = (struct extents){0};
    if (c->saved && !c->map_ranges)
        return 0;
    int rc = c->saved ? map_try(c, path, MAP_NEXT, x, &found) : 0;
    if (!found) {
        err_put(&before);
        rc = map_try(c, path, MAP, x, &found);
    }
    if (rc)
        extents_free(x);
    return rc;
}

int container_shared_check(const struct container *c, const char *path,
                           const struct extents *x)
{
    char shared[CONTAINER_PATH];
    struct stat st;
    int rc = container_file(path, "shared", shared);
    int64_t end = x->n ? x->range[x->n - 1].end : c->parts ? 0 : c->bytes;
    if (rc)
        return rc;
    if (stat(shared, &st))
        return err_set(-EIO, path, -1, "the container's shared part is missing: %s",
                       strerror(errno));
    if (c->parts && c->misfits && !x->n)
        return err_set(-EIO, path, -1,
                       "shared.map is missing, and %lld write%s did not fit the "
                       "plan: it cannot be told which bytes are in the container's "
                       "shared part",
                       (long long)c->misfits, units_s(c->misfits));
    if (c->map_ranges && !x->n)
        return err_set(
            -EIO, path, -1,
            "shared.map is missing: it cannot be told which bytes are in the "
            "container's shared part");
    if ((c->saved || c->state == CONTAINER_COMPLETE) && st.st_size < end)
        return err_set(-EIO, path, st.st_size,
                       "the container's shared part has %lld bytes, and reaches to "
                       "%lld: it was cut off",
                       (long long)st.st_size, (long long)end);
    return 0;
}

int container_busy(const struct container *c, const char *path)
{
    return err_set(-EBUSY, path, -1,
                   "another job has the container open and writes it (%s): wait until "
                   "it has closed it, or end it",
                   c->writer[0] ? c->writer : "unknown which");
}

/* Checksums of a partition: for each block of 64 KiB the remainder of its bytes, padded
 * with zeros, by CRC-32C's polynomial (base/format/crc.h). A block that was never
 * written is all zeros and has 0. They are updated with each write, in any order;
 * blocks that were partly overwritten are read again at the end. doc/container.md
 * describes the file. */
#include "base/err.h"
#include "base/format/crc.h"
#include "base/mem.h"
#include "io/part/bytes.h"
#include "io/part/container.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "ldadsums"
#define UNIT (SUMS_BLOCK / 64) /* bytes of a block for one bit in `written` */

enum {
    HEAD = 64,
    BLOCKS = 4096, /* blocks in a page: 256 MiB */
    AT_BLOCK = 8,
    AT_ID = 16,
    AT_PART = 24,
    AT_BYTES = 32,
    AT_SUM = HEAD - 4
};

struct page {
    uint32_t sum[BLOCKS];
    uint64_t stale[BLOCKS / 64]; /* a bit for each block that must be read again */
    uint64_t written[BLOCKS];    /* for each block, a bit for each unit with data */
};

struct sums {
    struct page **page; /* NULL: all its blocks are zeros */
    int64_t pages;
    int64_t tail; /* end of the last write, within a unit; -1: at a unit's end */
    bool lost;    /* memory ran out: there will be no checksums */
};

struct sums *sums_make(void)
{
    struct sums *s = mem_new(1, sizeof *s, "checksums");
    if (s)
        s->tail = -1;
    return s;
}

void sums_free(struct sums *s)
{
    for (int64_t i = 0; s && i < s->pages; i++)
        free(s->page[i]);
    if (s)
        free(s->page);
    free(s);
}

/* ---- pages ----------------------------------------------------------------------- */

static int64_t blocks_of(int64_t bytes)
{
    return (bytes + SUMS_BLOCK - 1) / SUMS_BLOCK;
}

static int64_t in_block(int64_t block, int64_t bytes)
{
    int64_t left = bytes - block * SUMS_BLOCK;
    return left < SUMS_BLOCK ? left : SUMS_BLOCK;
}

/* The page of a block. NULL: no memory, and there will be no checksums. */
static struct page *page_of(struct sums *s, int64_t block)
{
    int64_t i = block / BLOCKS;
    if (i >= s->pages && !s->lost) {
        int64_t pages = i + 1 > 2 * s->pages ? i + 1 : 2 * s->pages;
        struct page **more = realloc(s->page, (size_t)pages * sizeof *more);
        s->lost = !more;
        if (more) {
            memset(more + s->pages, 0, (size_t)(pages - s->pages) * sizeof *more);
            s->page = more;
            s->pages = pages;
        }
    }
    if (!s->lost && !s->page[i])
        s->lost = !(s->page[i] = calloc(1, sizeof *s->page[i]));
    return s->lost ? NULL : s->page[i];
}

static const struct page *page_if(const struct sums *s, int64_t block)
{
    return block / BLOCKS < s->pages ? s->page[block / BLOCKS] : NULL;
}

static uint32_t sum_of(const struct sums *s, int64_t block)
{
    const struct page *p = page_if(s, block);
    return p ? p->sum[block % BLOCKS] : 0;
}

static bool is_stale(const struct page *p, int64_t block)
{
    int64_t i = block % BLOCKS;
    return p->stale[i / 64] >> i % 64 & 1;
}

static void set_stale(struct page *p, int64_t block, bool stale)
{
    int64_t i = block % BLOCKS;
    uint64_t bit = UINT64_C(1) << i % 64;
    p->stale[i / 64] = stale ? p->stale[i / 64] | bit : p->stale[i / 64] & ~bit;
}

/* The bits of units that overlap the bytes [from, to) of a block. */
static uint64_t units(int64_t from, int64_t to)
{
    int64_t first = from / UNIT, past = (to + UNIT - 1) / UNIT;
    if (from >= to)
        return 0;
    return ~UINT64_C(0) >> (64 - (past - first)) << first;
}

/* ---- writing --------------------------------------------------------------------- */

/* Updates the checksum for bytes [from, to) of a block. If none of them were written
 * before, their remainder is added; a unit that the last write has begun is continued
 * where that ended. */
static void write_block(struct sums *s, int64_t block, int64_t from, int64_t to,
                        const char *data)
{
    struct page *p = page_of(s, block);
    if (!p)
        return;
    int64_t i = block % BLOCKS, tail = s->tail - block * SUMS_BLOCK;
    bool whole = from == 0 && to == SUMS_BLOCK;
    uint64_t mine = units(from, to), other = p->written[i];
    if (from == tail)
        other &= ~units(from, from + 1);
    if (whole || !(mine & other)) {
        uint32_t sum = crc32c_zeros(crc32c_more(0, data, to - from), SUMS_BLOCK - to);
        p->sum[i] = whole ? sum : p->sum[i] ^ sum;
    }
    if (whole)
        set_stale(p, block, false);
    else if (mine & other)
        set_stale(p, block, true);
    p->written[i] |= mine;
    s->tail = to % UNIT ? block * SUMS_BLOCK + to : -1;
}

void sums_write(struct sums *s, int64_t at, const void *data, int64_t bytes)
{
    const char *from = data;
    while (bytes > 0) {
        int64_t block = at / SUMS_BLOCK, begin = at % SUMS_BLOCK;
        int64_t n = SUMS_BLOCK - begin < bytes ? SUMS_BLOCK - begin : bytes;
        write_block(s, block, begin, begin + n, from);
        at += n;
        from += n;
        bytes -= n;
    }
}

void sums_cut(struct sums *s, int64_t bytes)
{
    int64_t block = bytes / SUMS_BLOCK, first = blocks_of(bytes);
    s->tail = -1;
    for (int64_t b = first; b < s->pages * BLOCKS; b++) {
        struct page *p = s->page[b / BLOCKS];
        if (!p || b % BLOCKS == 0) {
            free(p);
            s->page[b / BLOCKS] = NULL;
            b += BLOCKS - 1 - b % BLOCKS;
            continue;
        }
        p->sum[b % BLOCKS] = 0;
        p->written[b % BLOCKS] = 0;
        set_stale(p, b, false);
    }
    struct page *p = (struct page *)page_if(s, block);
    if (p && bytes % SUMS_BLOCK && p->written[block % BLOCKS])
        set_stale(p, block, true);
}

/* ---- reading a partition --------------------------------------------------------- */

/* Computes the remainder of a block of an open partition. Returns 0 or -errno. */
static int sums_read_block(int fd, int64_t block, int64_t bytes, uint32_t *sum)
{
    static char buf[SUMS_BLOCK];
    int64_t n = in_block(block, bytes);
    int64_t got = bytes_read(fd, block * SUMS_BLOCK, buf, n);
    if (got < n)
        return got < 0 ? (int)got : -EIO;
    *sum = crc32c_zeros(crc32c_more(0, buf, n), SUMS_BLOCK - n);
    return 0;
}

static int fail_read(const char *part, int64_t block, int rc)
{
    return err_set(rc, part, block * SUMS_BLOCK,
                   "the partition cannot be read for its checksums: %s", strerror(-rc));
}

/* The first block from `block` on that is not all in a hole, or one past the last. */
static int64_t next_data(int fd, int64_t block, int64_t bytes)
{
    off_t at = lseek(fd, block * SUMS_BLOCK, SEEK_DATA);
    if (at < 0)
        return errno == ENXIO ? blocks_of(bytes) : block;
    return at / SUMS_BLOCK > block ? at / SUMS_BLOCK : block;
}

/* Reads blocks again that were partly overwritten. */
static int reread(struct sums *s, const char *part, int64_t bytes)
{
    int fd = -1, rc = 0;
    int64_t blocks = blocks_of(bytes);
    for (int64_t b = 0; b < blocks && b < s->pages * BLOCKS && !rc; b++) {
        struct page *p = s->page[b / BLOCKS];
        if (!p) {
            b += BLOCKS - 1 - b % BLOCKS;
            continue;
        }
        if (!is_stale(p, b))
            continue;
        if (fd < 0 && (fd = open(part, O_RDONLY | O_CLOEXEC)) < 0)
            rc = fail_read(part, b, -errno);
        else if ((rc = sums_read_block(fd, b, bytes, &p->sum[b % BLOCKS])))
            fail_read(part, b, rc);
        set_stale(p, b, false);
    }
    if (fd >= 0)
        close(fd);
    return rc;
}

int sums_check(const struct sums *s, const char *part, int64_t bytes,
               struct sums_found *found)
{
    int rc = 0, fd = open(part, O_RDONLY | O_CLOEXEC);
    *found = (struct sums_found){.first = -1};
    if (fd < 0)
        return fail_read(part, 0, -errno);
    int64_t blocks = blocks_of(bytes), data = 0;
    for (int64_t b = 0; b < blocks && !rc; b++) {
        uint32_t sum = 0;
        data = data < b ? next_data(fd, b, bytes) : data;
        if (b < data && !page_if(s, b)) { /* zeros, as expected */
            int64_t page = (b / BLOCKS + 1) * BLOCKS;
            b = (data < page ? data : page) - 1;
            continue;
        }
        if (b >= data)
            rc = sums_read_block(fd, b, bytes, &sum);
        if (rc)
            fail_read(part, b, rc);
        else if (sum != sum_of(s, b)) {
            found->bad++;
            found->first = found->first < 0 ? b : found->first;
        }
    }
    close(fd);
    return rc;
}

int sums_take(struct sums **out, const char *part, int64_t bytes)
{
    struct sums *s = sums_make();
    int rc = 0, fd = open(part, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        rc = fail_read(part, 0, -errno);
    for (int64_t b = 0; s && !rc && (b = next_data(fd, b, bytes)) < blocks_of(bytes);
         b++) {
        struct page *p = page_of(s, b);
        if (!p)
            break;
        p->written[b % BLOCKS] = ~UINT64_C(0);
        if ((rc = sums_read_block(fd, b, bytes, &p->sum[b % BLOCKS])))
            fail_read(part, b, rc);
    }
    if (!rc && (!s || s->lost))
        rc = mem_none(part, 0, "checksums");
    if (fd >= 0)
        close(fd);
    *out = s;
    if (rc) {
        sums_free(s);
        *out = NULL;
    }
    return rc;
}

/* ---- the file -------------------------------------------------------------------- */

static void encode_head(const struct sums_of *of, unsigned char out[HEAD])
{
    memset(out, 0, HEAD);
    memcpy(out, MAGIC, 8);
    bytes_put(out + AT_BLOCK, SUMS_BLOCK, 4);
    bytes_put(out + AT_ID, of->id, 8);
    bytes_put(out + AT_PART, (uint64_t)of->part, 8);
    bytes_put(out + AT_BYTES, (uint64_t)of->bytes, 8);
    bytes_put(out + AT_SUM, crc_of(out, AT_SUM), 4);
}

static int fail_file(const char *path, int rc)
{
    return err_set(rc, path, -1, "the checksums of a partition cannot be written: %s",
                   strerror(-rc));
}

/* Writes the pages; pages of zeros become holes of the file. */
static int write_pages(const struct sums *s, int fd, int64_t blocks, uint32_t *all)
{
    unsigned char raw[4 * BLOCKS];
    for (int64_t b = 0; b < blocks; b += BLOCKS) {
        int64_t n = blocks - b < BLOCKS ? blocks - b : BLOCKS;
        for (int64_t i = 0; i < n; i++)
            bytes_put(raw + 4 * i, sum_of(s, b + i), 4);
        *all = crc_more(*all, raw, 4 * n);
        if (page_if(s, b) &&
            pwrite(fd, raw, (size_t)(4 * n), HEAD + 4 * b) != (ssize_t)(4 * n))
            return -EIO;
    }
    return 0;
}

int sums_store(struct sums *s, const char *path, const struct sums_of *of,
               const char *part, bool durable, uint32_t *all)
{
    unsigned char head[HEAD];
    int64_t blocks = blocks_of(of->bytes);
    if (s->lost)
        return mem_none(path, 0, "checksums");
    int rc = reread(s, part, of->bytes);
    if (rc)
        return rc;
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return fail_file(path, -errno);
    encode_head(of, head);
    *all = crc_of(head, HEAD);
    if (pwrite(fd, head, HEAD, 0) != HEAD || ftruncate(fd, HEAD + 4 * blocks) ||
        write_pages(s, fd, blocks, all) || (durable && fsync(fd)))
        rc = errno ? -errno : -EIO;
    if (close(fd) && !rc)
        rc = -errno;
    return rc ? fail_file(path, rc) : 0;
}

static int fail_load(const char *path, const char *why)
{
    return err_set(-EIO, path, -1, "the checksums of a partition %s", why);
}

static void load_block(struct sums *s, int64_t block, uint32_t sum, int64_t bytes)
{
    struct page *p = page_of(s, block);
    if (!p)
        return;
    p->sum[block % BLOCKS] = sum;
    p->written[block % BLOCKS] = units(0, in_block(block, bytes));
}

static int load_pages(struct sums *s, int fd, const char *path,
                      const struct sums_of *of, uint32_t *all)
{
    static const unsigned char zeros[4 * BLOCKS];
    unsigned char raw[4 * BLOCKS];
    int64_t blocks = blocks_of(of->bytes);
    for (int64_t b = 0; b < blocks && !s->lost; b += BLOCKS) {
        int64_t n = blocks - b < BLOCKS ? blocks - b : BLOCKS;
        if (pread(fd, raw, (size_t)(4 * n), HEAD + 4 * b) != (ssize_t)(4 * n))
            return fail_load(path, "were cut off");
        *all = crc_more(*all, raw, 4 * n);
        for (int64_t i = 0; memcmp(raw, zeros, (size_t)(4 * n)) && i < n; i++)
            load_block(s, b + i, (uint32_t)bytes_get(raw + 4 * i, 4), of->bytes);
    }
    return s->lost ? mem_none(path, 0, "checksums") : 0;
}

int sums_load(struct sums **out, const char *path, const struct sums_of *of,
              uint32_t all)
{
    unsigned char head[HEAD], due[HEAD];
    struct sums *s = sums_make();
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
    uint32_t found = 0;
    encode_head(of, due);
    if (!s)
        rc = -ENOMEM;
    else if (fd < 0)
        rc = err_set(-errno, path, -1,
                     "the checksums of a partition cannot be opened: %s",
                     strerror(errno));
    else if (pread(fd, head, HEAD, 0) != HEAD || memcmp(head, due, HEAD))
        rc = fail_load(path, "are damaged, or of another partition or length");
    found = crc_of(due, HEAD);
    rc = rc ? rc : load_pages(s, fd, path, of, &found);
    if (!rc && found != all)
        rc = fail_load(path, "are damaged, or not those that the header knows");
    if (fd >= 0)
        close(fd);
    if (!rc && of->bytes % UNIT)
        s->tail = of->bytes;
    *out = s;
    if (rc) {
        sums_free(s);
        *out = NULL;
    }
    return rc;
}

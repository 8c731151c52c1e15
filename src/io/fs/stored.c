/* The bytes that a file system has stored of a file, beside its data: fewer with
 * compression, more with space allocated ahead or several copies. */
#include "io/io.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Appends `text` to a list, in as many bytes as there are. */
static void add_word(char *list, size_t size, const char *name, const char *text)
{
    size_t n = strlen(list);
    snprintf(list + n, size - n, "%s%s%s", n ? ", " : "", name, text);
}

/* Lists what makes the file, or the files in the directory, compressed. */
static void list_attributes(int fd, char *list, size_t size)
{
    char value[32];
    int flags = 0;
    if (!ioctl(fd, FS_IOC_GETFLAGS, &flags) && flags & FS_COMPR_FL)
        add_word(list, size, "attribute ", "c");
    ssize_t n = fgetxattr(fd, "btrfs.compression", value, sizeof value - 1);
    if (n <= 0)
        return;
    value[n] = 0;
    if (strcmp(value, "no") && strcmp(value, "none"))
        add_word(list, size, "property compression=", value);
}

bool io_file_compresses(const char *path)
{
    char list[64] = "";
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    list_attributes(fd, list, sizeof list);
    close(fd);
    return list[0];
}

static void list_options(const char *mount, char *list, size_t size)
{
    for (const char *o = mount; *o;) {
        char option[64];
        int n = (int)strcspn(o, ",");
        snprintf(option, sizeof option, "%.*s", n, o);
        if (!strncmp(option, "compress", 8))
            add_word(list, size, "mount option ", option);
        o += n + (o[n] == ',');
    }
}

/* The bytes that are no holes; -1: there are too many holes. */
static int64_t data_in(int fd, int64_t size)
{
    enum { MOST = 4096 };
    int64_t data = 0;
    off_t at = 0;
    for (int i = 0; i < MOST; i++) {
        off_t from = lseek(fd, at, SEEK_DATA);
        if (from < 0)
            return errno == ENXIO ? data : size; /* EINVAL: holes are not known */
        at = lseek(fd, from, SEEK_HOLE);
        if (at < 0)
            return size;
        data += at - from;
    }
    return -1;
}

/* ---- compressed extents ---------------------------------------------------------- */

/* btrfs counts in st_blocks what the data has before it is compressed, and its extents
 * have that length, too; but the next one begins where the last ends on the disk. */

enum { EXTENTS = 128, BATCHES = 64 };

struct extents {
    int64_t plain;    /* bytes of extents that are not compressed */
    int64_t gaps, of; /* bytes to the next extent, of so many before */
    int64_t open;     /* bytes before, of extents without a next one */
    struct fiemap_extent last;
    bool encoded;
};

/* Adds the last extent, which another one follows on the disk or not. */
static void add_last(struct extents *all, int64_t gap)
{
    int64_t length = (int64_t)all->last.fe_length;
    if (!(all->last.fe_flags & FIEMAP_EXTENT_ENCODED)) {
        all->plain += length;
        return;
    }
    all->encoded = true;
    if (gap > 0 && gap <= length) {
        all->gaps += gap;
        all->of += length;
    } else
        all->open += length;
}

static void add_extent(struct extents *all, const struct fiemap_extent *e)
{
    add_last(all, (int64_t)(e->fe_physical - all->last.fe_physical));
    all->last = *e;
}

/* An extent without a next one is as small as the others on average. */
static int64_t encoded_bytes(struct extents *all)
{
    add_last(all, 0);
    double share = all->of ? (double)all->gaps / (double)all->of : 1;
    return all->plain + all->gaps + (int64_t)(share * (double)all->open);
}

/* The bytes of compressed extents on the disk; -1: there are none, or too many. */
static int64_t compressed_bytes(int fd)
{
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent)];
    } u;
    struct extents all = {0};
    uint64_t at = 0;
    for (int i = 0;; i++) {
        memset(&u, 0, sizeof u);
        u.map.fm_start = at;
        u.map.fm_length = FIEMAP_MAX_OFFSET - at;
        u.map.fm_extent_count = EXTENTS;
        if (i == BATCHES || ioctl(fd, FS_IOC_FIEMAP, &u.map))
            return -1;
        for (uint32_t k = 0; k < u.map.fm_mapped_extents; k++)
            add_extent(&all, &u.map.fm_extents[k]);
        at = all.last.fe_logical + all.last.fe_length;
        if (u.map.fm_mapped_extents < EXTENTS)
            break;
    }
    int64_t bytes = encoded_bytes(&all);
    return all.encoded ? bytes : -1;
}

bool io_stored_of(const char *path, const char *mount, struct io_stored *s)
{
    struct stat st;
    memset(s, 0, sizeof *s);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    bool known = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
    if (known) {
        s->data = data_in(fd, st.st_size);
        s->stored = compressed_bytes(fd);
        if (s->stored < 0)
            s->stored = (int64_t)st.st_blocks * 512;
        list_attributes(fd, s->about, sizeof s->about);
        list_options(mount, s->about, sizeof s->about);
        known = s->data > 0;
    }
    if (fd >= 0)
        close(fd);
    return known;
}

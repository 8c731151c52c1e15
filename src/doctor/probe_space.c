/* Probes of space: what a file system says that it has, and what files take. */
#include "base/clock.h"
#include "base/units.h"
#include "doctor/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- statfs ---------------------------------------------------------------------- */

/* The free bytes; -1: they are not told. */
static int64_t free_bytes(const struct place *p)
{
    struct statvfs v;
    if (fstatvfs(p->fd, &v) || !v.f_blocks)
        return -1;
    return (int64_t)(v.f_bfree * v.f_frsize);
}

/* Waits a second at most for free bytes of at most `most` and at least `least`. Returns
 * those last seen. */
static int64_t await_free(const struct place *p, int64_t least, int64_t most)
{
    int64_t end = clock_ns() + INT64_C(1000000000), bytes;
    while ((bytes = free_bytes(p)) >= 0 && (bytes < least || bytes > most) &&
           clock_ns() < end)
        usleep(20000);
    return bytes;
}

static void judge_statfs(struct doctor_finding *f, int64_t taken, int64_t back)
{
    char a[16], b[16], c[16];
    units_bytes(a, PIECE);
    units_bytes(b, taken < 0 ? 0 : taken);
    units_bytes(c, back < 0 ? 0 : back);
    find_value(f, "taken_bytes", (double)taken);
    find_value(f, "returned_bytes", (double)back);
    if (taken < PIECE / 2)
        find(f, "no", "the check for free space may be wrong: see --no-space-check",
             "writing %s took %s of the free space", a, b);
    else if (back < PIECE / 2)
        find(f, "late", "space of removed files comes back later than in 1 s",
             "writing %s took %s, removing it gave %s back in 1 s", a, b, c);
    else
        find(f, "yes", "the check for free space can be relied on",
             "writing %s took %s, removing it gave %s back", a, b, c);
}

void probe_statfs(struct place *p, struct doctor_finding *f)
{
    int64_t before = free_bytes(p);
    if (before < 0) {
        find(f, "not told", "nothing checks that the files of a run have room",
             "it says that it has 0 blocks");
        return;
    }
    int fd = place_noise(p, "space", PIECE);
    if (fd < 0 || fsync(fd)) {
        find_unknown(f, "writing a file", errno);
        if (fd >= 0)
            close(fd);
        return;
    }
    int64_t full = await_free(p, 0, before - PIECE / 2);
    close(fd);
    unlinkat(p->fd, "space", 0);
    judge_statfs(f, before - full, await_free(p, full + PIECE / 2, INT64_MAX) - full);
}

/* ---- files ----------------------------------------------------------------------- */

/* The bytes that a file takes; -1: not told. */
static int64_t taken_bytes(int fd)
{
    struct stat st;
    return fstat(fd, &st) ? -1 : (int64_t)st.st_blocks * 512;
}

void probe_preallocation(struct place *p, struct doctor_finding *f)
{
    char a[16], b[16];
    int fd = place_new(p, "allocated", 0);
    if (fd < 0)
        find_unknown(f, "creating a file", errno);
    else if (fallocate(fd, 0, 0, PIECE))
        find(f, "no", "a full disk shows in the middle of a write phase only",
             "fallocate: %s", strerror(errno));
    else {
        int64_t bytes = taken_bytes(fd);
        bool enough = bytes >= PIECE;
        find_value(f, "allocated_bytes", (double)bytes);
        find(f, enough ? "yes" : "in name only",
             enough ? "space can be reserved before a write phase"
                    : "fallocate reserves nothing: a full disk shows later",
             "fallocate of %s took %s", units_bytes(a, PIECE), units_bytes(b, bytes));
    }
    if (fd >= 0)
        close(fd);
}

void probe_tmpfile(struct place *p, struct doctor_finding *f)
{
    int fd = openat(p->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        find(f, "no", "scratch files have a name for a moment", "O_TMPFILE: %s",
             strerror(errno));
    else if (write(fd, "x", 1) != 1)
        find(f, "no", "scratch files have a name for a moment",
             "O_TMPFILE is accepted, but a write fails: %s", strerror(errno));
    else
        find(f, "yes", "scratch files never have a name: nothing of them can stay",
             "O_TMPFILE works");
    if (fd >= 0)
        close(fd);
}

/* ---- holes ----------------------------------------------------------------------- */

enum { HOLE = 8 << 20, SMALL = 4096 };

static void judge_sparse(struct doctor_finding *f, int fd)
{
    char a[16], b[16];
    int64_t bytes = taken_bytes(fd);
    off_t data = lseek(fd, 0, SEEK_DATA);
    bool told = data > 0 && data <= HOLE;
    bool punched =
        !fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, HOLE, SMALL);
    bool sparse = bytes < HOLE / 2;
    find_value(f, "taken_bytes", (double)bytes);
    find(f, sparse ? "yes" : "no",
         sparse ? "a file that was only made long has nothing to read from a device"
                : "making a file long writes it, or says so",
         "a file of %s with 4 KiB in its middle takes %s; SEEK_DATA %s holes; they %s "
         "be punched",
         units_bytes(a, 2 * HOLE), units_bytes(b, bytes),
         told ? "tells its" : "does not tell", punched ? "can" : "cannot");
}

void probe_sparse(struct place *p, struct doctor_finding *f)
{
    int fd = place_new(p, "sparse", 0);
    if (fd < 0)
        find_unknown(f, "creating a file", errno);
    else if (ftruncate(fd, 2 * HOLE))
        find(f, "no", "files cannot be made long at once", "ftruncate: %s",
             strerror(errno));
    else if (pwrite(fd, p->noise, SMALL, HOLE) != SMALL || fsync(fd))
        find_unknown(f, "writing behind a hole", errno);
    else
        judge_sparse(f, fd);
    if (fd >= 0)
        close(fd);
}

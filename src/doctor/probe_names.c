/* Probes of one process with names and files: the file system itself, unlink, names,
 * times, limits. */
#include "base/clock.h"
#include "base/units.h"
#include "doctor/inside.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

void probe_file_system(struct place *p, struct doctor_finding *f)
{
    static const char *const means[] = {
        [IO_READS_BELOW] = "",
        [IO_READS_DEVICE] = "reads below the page cache are a device's",
        [IO_READS_UNKNOWN] =
            "what serves reads below the page cache is not seen from here",
        [IO_READS_CACHE] = "a cache below the page cache may serve reads",
        [IO_READS_MEMORY] = "no figure here is about a storage device"};
    char text[300];
    find(f, p->fs.type, means[p->stack.reads], "%s (%.80s)",
         io_stack_text(&p->stack, text, sizeof text), p->fs.mount);
}

/* ---- unlink ---------------------------------------------------------------------- */

/* Finds a name in the place that a removed file has got, such as .nfs0001. */
static bool find_hidden(const struct place *p, char name[64])
{
    DIR *d = opendir(p->path);
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d));)
        if ((found = strcmp(e->d_name, ".") && strcmp(e->d_name, "..")))
            snprintf(name, 64, "%.63s", e->d_name);
    if (d)
        closedir(d);
    return found;
}

/* Tries an open file whose name is removed. Returns the call that fails; NULL: none. */
static const char *fails_unlinked(const struct place *p, int fd)
{
    char byte[8];
    struct stat st;
    if (pwrite(fd, p->noise, 8, 100) != 8)
        return "write";
    if (pread(fd, byte, 8, 100) != 8)
        return "read";
    if (memcmp(byte, p->noise, 8) != 0)
        return "read (other bytes than were written)";
    if (fstat(fd, &st))
        return "fstat";
    return fsync(fd) ? "fsync" : NULL;
}

/* Closes the file, and waits a second at most for its other name to go. */
static bool stays_hidden(const struct place *p, int fd)
{
    char name[64];
    int64_t end = clock_ns() + INT64_C(1000000000);
    close(fd);
    while (find_hidden(p, name) && clock_ns() < end)
        usleep(10000);
    return find_hidden(p, name);
}

/* Looks at an open file without a name, and closes it. */
static void judge_unlinked(const struct place *p, struct doctor_finding *f, int fd)
{
    static const char stays[] = "removed files stay, and take space";
    char hidden[64];
    struct stat st;
    errno = 0;
    const char *what = fails_unlinked(p, fd);
    int error = errno;
    bool there = !fstatat(p->fd, "unlinked", &st, 0);
    bool renamed = !there && find_hidden(p, hidden);
    bool left = stays_hidden(p, fd);
    if (there)
        find(f, "no", stays, "unlink reports success, and the name is still there");
    else if (what)
        find(f, "in part", "scratch files keep their name, or go without a sync",
             "afterwards %s fails: %s", what, strerror(error));
    else if (renamed && left)
        find(f, "no", stays, "the open file was called %s, and stays when it is closed",
             hidden);
    else if (renamed)
        find(f, "by another name",
             "a killed run may leave a file of such a name behind",
             "the open file was called %s until it was closed", hidden);
    else
        find(f, "yes", "scratch files without a name leave nothing behind",
             "read, write and fsync work afterwards, and no name is left");
}

void probe_unlink(struct place *p, struct doctor_finding *f)
{
    int fd = place_noise(p, "unlinked", 4096);
    if (fd < 0)
        find_unknown(f, "writing a file", errno);
    else if (unlinkat(p->fd, "unlinked", 0)) {
        find(f, "no", "files without a name are not possible", "unlink: %s",
             strerror(errno));
        close(fd);
    } else
        judge_unlinked(p, f, fd);
}

/* ---- names ----------------------------------------------------------------------- */

static bool can_name(const struct place *p, const char *name)
{
    int fd = place_new(p, name, O_EXCL);
    bool made = fd >= 0 && !faccessat(p->fd, name, F_OK, 0);
    if (fd >= 0)
        close(fd);
    unlinkat(p->fd, name, 0);
    return made;
}

void probe_names(struct place *p, struct doctor_finding *f)
{
    char name[256];
    int longest = 255, fd = place_new(p, "Case", O_EXCL);
    bool same = !faccessat(p->fd, "cASE", F_OK, 0);
    memset(name, 'n', sizeof name);
    for (name[longest] = 0; longest && !can_name(p, name); name[longest] = 0)
        longest--;
    bool bytes = can_name(p, "\xff\xfe\x80"), marks = can_name(p, "a:b\\c?*\"<>|\n");
    if (fd >= 0)
        close(fd);
    find_value(f, "longest", longest);
    char answer[80];
    snprintf(answer, sizeof answer, "%s, %d bytes, %s",
             same ? "case is ignored" : "case counts", longest,
             bytes && marks ? "any byte" : "not any byte");
    find(f, answer,
         same || longest < 255 || !bytes || !marks
             ? "inputs of other file systems may not fit in here"
             : "any name of Linux can be made",
         "bytes that are no UTF-8 %s, : \\ ? * and line ends %s",
         bytes ? "work" : "fail", marks ? "work" : "fail");
}

/* ---- times ----------------------------------------------------------------------- */

void probe_times(struct place *p, struct doctor_finding *f)
{
    enum { MS = 1000000, MOST_MS = 50 };
    const int64_t SECOND = 1000000000;
    struct timespec now;
    struct stat st;
    int fd = place_noise(p, "time", 4096);
    clock_gettime(CLOCK_REALTIME, &now);
    if (fd < 0 || fsync(fd) || fstat(fd, &st)) {
        find_unknown(f, "writing a file", errno);
    } else {
        int64_t ns = (int64_t)(st.st_mtim.tv_sec - now.tv_sec) * 1000000000 +
                     st.st_mtim.tv_nsec - now.tv_nsec;
        bool whole = !st.st_mtim.tv_nsec && ns > -2 * SECOND && ns < 2 * SECOND;
        bool agree = ns > -MOST_MS * MS && ns < MOST_MS * MS;
        find_value(f, "ahead_s", (double)ns / 1e9);
        find(f,
             whole   ? "whole seconds"
             : agree ? "as this node's clock"
                     : "by another clock",
             whole   ? "changes within a second or two cannot be told apart by times"
             : agree ? "times of files and of this node can be compared"
                     : "times of files and of logs on this node do not match",
             "a file written now is dated %.3f s %s", (double)(ns < 0 ? -ns : ns) / 1e9,
             ns < 0 ? "earlier" : "later");
    }
    if (fd >= 0)
        close(fd);
}

/* ---- limits ---------------------------------------------------------------------- */

/* The largest length, of 2^n - 1, that a file can be given; 0: not known. */
static int64_t largest_file(struct place *p)
{
    enum { SURE = 16 << 20 };
    struct stat st;
    int64_t most = 0;
    int fd = place_new(p, "large", 0);
    /* without holes the file system would write zeros */
    if (fd >= 0 &&
        (ftruncate(fd, SURE) || fstat(fd, &st) || st.st_blocks > SURE / 1024)) {
        close(fd);
        return 0;
    }
    for (int bits = 63; fd >= 0 && bits >= 10 && !most; bits--) {
        int64_t bytes = (int64_t)(((uint64_t)1 << bits) - 1);
        if (!ftruncate(fd, bytes))
            most = bytes;
    }
    if (fd >= 0)
        close(fd);
    return most;
}

static int count_links(struct place *p)
{
    enum { TRIED = 100 };
    char name[32];
    int n = 0, fd = place_new(p, "link", 0);
    if (fd >= 0)
        close(fd);
    for (; n < TRIED; n++) {
        snprintf(name, sizeof name, "link%d", n);
        if (linkat(p->fd, "link", p->fd, name, 0))
            break;
    }
    return n;
}

/* The bytes of the largest extended attribute of those tried; 0: there are none. */
static int largest_attribute(struct place *p)
{
    static const int sizes[] = {65536, 32768, 4000, 2000, 64};
    int most = 0, fd = place_new(p, "attribute", 0);
    for (int i = 0; i < 5 && fd >= 0 && !most; i++)
        if (!fsetxattr(fd, "user.leadline", p->noise, (size_t)sizes[i], 0))
            most = sizes[i];
    if (fd >= 0)
        close(fd);
    return most;
}

void probe_limits(struct place *p, struct doctor_finding *f)
{
    char answer[96], size[16];
    int64_t bytes = largest_file(p);
    int links = count_links(p), attribute = largest_attribute(p);
    long path = fpathconf(p->fd, _PC_PATH_MAX);
    find_value(f, "file_bytes", (double)bytes);
    find_value(f, "links", links);
    find_value(f, "attribute_bytes", attribute);
    find_value(f, "path_bytes", (double)path);
    units_bytes(size, bytes);
    snprintf(answer, sizeof answer, "files of %s%s%s", bytes ? size : "unknown length",
             links ? ", links" : ", no links",
             attribute ? ", attributes" : ", no attributes");
    find(
        f, answer, "a single file is not much longer than that",
        "of up to 100 hard links to a file %d were made; the largest user attribute of "
        "those tried has %d bytes; paths have %ld",
        links, attribute, path);
}

/* Probes with a second party that works on the same file: rename, append, locks. */
#include "base/clock.h"
#include "base/units.h"
#include "doctor/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t ask_name(struct place *p, enum ask what, const char *name, int how)
{
    struct question q = {.what = what, .how = how};
    strncpy(q.name, name, sizeof q.name - 1);
    return other_ask(p->other, &q).rc;
}

/* ---- rename ---------------------------------------------------------------------- */

enum { WATCH_MS = 200 };

static int write_version(struct place *p, const char *name, int version)
{
    unsigned char buf[RECORD];
    memset(buf, 'a' + version % 26, sizeof buf);
    int fd = place_new(p, name, O_TRUNC);
    ssize_t n = fd < 0 ? -1 : write(fd, buf, sizeof buf);
    if (fd >= 0 && close(fd))
        n = -1;
    return n == RECORD ? 0 : -1;
}

/* The first byte of a file; -1: it cannot be read. */
static int version_read(struct place *p, const char *name)
{
    unsigned char byte;
    int fd = openat(p->fd, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, &byte, 1);
    if (fd >= 0)
        close(fd);
    return n == 1 ? byte : -1;
}

/* Renames versions of a file over each other while it is watched. Returns their
 * number. */
static int rename_watched(struct place *p, struct answer *seen)
{
    struct question q = {.what = ASK_WATCH, .bytes = WATCH_MS, .name = "name"};
    int64_t end = clock_ns() + WATCH_MS * INT64_C(1000000);
    int n = 1;
    other_send(p->other, &q);
    for (; clock_ns() < end; n++)
        if (write_version(p, "next", n) || renameat(p->fd, "next", p->fd, "name"))
            break;
    *seen = other_receive(p->other);
    return n - 1;
}

/* Tries a single rename. Returns the fault found; NULL: none. `old`: the replaced
 * file. */
static const char *wrong_rename(struct place *p, int old)
{
    unsigned char byte;
    struct stat st;
    if (version_read(p, "name") != 'b')
        return "it reports success, and the old content is still there";
    if (!fstatat(p->fd, "next", &st, 0))
        return "it reports success, and the old name is still there";
    if (pread(old, &byte, 1, 0) != 1 || byte != 'a')
        return "the replaced file, still open, does not have its content any more";
    return NULL;
}

static void judge_rename(struct place *p, struct doctor_finding *f, int old)
{
    struct answer seen;
    const char *wrong = wrong_rename(p, old);
    int n = rename_watched(p, &seen);
    find_value(f, "renames", n);
    find_value(f, "looks", (double)seen.value);
    find_value(f, "wrong_looks", (double)seen.rc);
    if (wrong)
        find(f, "no", "do not trust what is replaced here: reports, checkpoints", "%s",
             wrong);
    else if (seen.rc)
        find(
            f, "not atomic", "a reader may find a file gone, or half of it",
            "in %lld of %lld looks during %d renames another process found no file, or "
            "not all of it",
            (long long)seen.rc, (long long)seen.value, n);
    else
        find(f, "atomic", "files that are replaced by a rename are whole at any time",
             "another process looked %lld times during %d renames and always found the "
             "old or the new file; the old one stays readable while open",
             (long long)seen.value, n);
}

void probe_rename(struct place *p, struct doctor_finding *f)
{
    if (write_version(p, "name", 0) || write_version(p, "next", 1)) {
        find_unknown(f, "writing a file", errno);
        return;
    }
    int old = openat(p->fd, "name", O_RDONLY | O_CLOEXEC);
    if (renameat(p->fd, "next", p->fd, "name"))
        find(f, "no", "reports cannot be replaced in one step", "rename: %s",
             strerror(errno));
    else
        judge_rename(p, f, old);
    if (old >= 0)
        close(old);
}

/* ---- append ---------------------------------------------------------------------- */

enum { RECORDS = 500 };

/* Counts the whole records of both writers, each once. */
static int count_records(int fd)
{
    static char seen[2][RECORDS];
    char record[RECORD + 1] = "";
    int n = 0;
    memset(seen, 0, sizeof seen);
    for (off_t at = 0; pread(fd, record, RECORD, at) == RECORD; at += RECORD) {
        int writer = record[0] - 'a', i = atoi(record + 1);
        if (writer < 0 || writer > 1 || i < 0 || i >= RECORDS ||
            record[RECORD - 1] != '\n')
            continue;
        n += !seen[writer][i];
        seen[writer][i] = 1;
    }
    return n;
}

static void judge_append(struct doctor_finding *f, int whole, int64_t bytes)
{
    find_value(f, "records", 2 * RECORDS);
    find_value(f, "whole", whole);
    if (whole == 2 * RECORDS && bytes == (int64_t)2 * RECORDS * RECORD)
        find(f, "yes", "logs that several processes append to are whole",
             "all of %d records that two processes appended at once are there",
             2 * RECORDS);
    else
        find(f, "loses records", "no file may be appended to by several processes",
             "of %d records that two processes appended at once %d are whole, in %lld "
             "bytes",
             2 * RECORDS, whole, (long long)bytes);
}

void probe_append(struct place *p, struct doctor_finding *f)
{
    struct question q = {.what = ASK_APPEND, .how = 1, .bytes = RECORDS};
    struct stat st = {0};
    int fd = place_new(p, "append", O_APPEND);
    int64_t rc = fd < 0 ? -errno : ask_name(p, ASK_OPEN, "append", O_RDWR | O_APPEND);
    if (!rc) {
        other_send(p->other, &q);
        rc = other_append(fd, 0, RECORDS);
        int64_t theirs = other_receive(p->other).rc;
        rc = rc ? rc : theirs;
        ask_name(p, ASK_CLOSE, "", 0);
        close(fd);
        fd = openat(p->fd, "append", O_RDONLY | O_CLOEXEC);
    }
    if (rc || fd < 0 || fstat(fd, &st))
        find_unknown(f, "appending", rc ? (int)-rc : errno);
    else
        judge_append(f, count_records(fd), st.st_size);
    if (fd >= 0)
        close(fd);
}

/* ---- locks ----------------------------------------------------------------------- */

static const char *const kinds[LOCK_KINDS] = {"fcntl", "OFD", "flock"};

static int64_t their_lock(struct place *p, enum lock_kind kind, bool lock)
{
    struct question q = {.what = lock ? ASK_LOCK : ASK_UNLOCK, .how = (int)kind};
    return other_ask(p->other, &q).rc;
}

/* Tries a kind of lock. Returns 1 if it excludes, 0 if it does not, -errno if there
 * is none. */
static int try_kind(struct place *p, int fd, enum lock_kind kind)
{
    int rc = other_lock(fd, kind, true);
    if (rc)
        return rc;
    int64_t theirs = their_lock(p, kind, true);
    other_lock(fd, kind, false);
    if (theirs == 0)
        their_lock(p, kind, false);
    if (theirs != -EAGAIN && theirs != -EACCES)
        return theirs ? (int)theirs : 0;
    theirs = their_lock(p, kind, true);
    their_lock(p, kind, false);
    return theirs ? (int)theirs : 1;
}

/* The seconds for which an OFD lock goes on after its close; -1: more than two. */
static double outlives(struct place *p)
{
    int fd = place_new(p, "lock", 0);
    if (fd < 0 || other_lock(fd, LOCK_OFD, true))
        return 0;
    close(fd);
    int64_t from = clock_ns(), rc;
    while ((rc = their_lock(p, LOCK_OFD, true)) && clock_ns() - from < 2000000000)
        usleep(1000);
    double s = (double)(clock_ns() - from) / 1e9;
    their_lock(p, LOCK_OFD, false);
    return rc ? -1 : s;
}

static void say_locks(struct place *p, struct doctor_finding *f, const int got[])
{
    char text[200] = "", answer[64] = "", after[80] = "", s[16];
    double late = got[LOCK_OFD] == 1 ? outlives(p) : 0;
    size_t n = 0, m = 0;
    for (int k = 0; k < LOCK_KINDS; k++) {
        if (got[k] == 1)
            m += (size_t)snprintf(answer + m, sizeof answer - m, "%s%s", m ? ", " : "",
                                  kinds[k]);
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s: %s", n ? ", " : "",
                                  kinds[k],
                                  got[k] ? strerror(-got[k]) : "does not exclude");
    }
    if (late < 0)
        snprintf(after, sizeof after, "an OFD lock outlives close by more than 2 s");
    else if (late > 0.005)
        snprintf(after, sizeof after, "an OFD lock outlives close by %s",
                 units_seconds(s, late));
    find_value(f, "ofd_after_close_s", late);
    find(f, m ? answer : "none",
         got[LOCK_OFD] == 1 ? "a container is protected from a second writer"
                            : "nothing protects a container from a second writer",
         "%s%s%s", n ? text : "each excludes the other process, and ends with unlock",
         after[0] ? "; " : "", after);
}

void probe_locks(struct place *p, struct doctor_finding *f)
{
    int got[LOCK_KINDS], fd = place_new(p, "lock", 0);
    int64_t rc = fd < 0 ? -errno : ask_name(p, ASK_OPEN, "lock", O_RDWR);
    for (int k = 0; !rc && k < LOCK_KINDS; k++)
        got[k] = try_kind(p, fd, (enum lock_kind)k);
    if (fd >= 0)
        close(fd);
    if (rc)
        find_unknown(f, "opening a file", (int)-rc);
    else
        say_locks(p, f, got);
    ask_name(p, ASK_CLOSE, "", 0);
}

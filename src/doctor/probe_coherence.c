/* Probes of what a second party sees of the first one's work, and when. */
#include "base/clock.h"
#include "base/units.h"
#include "doctor/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SMALL = 4096, ROUNDS = 10 };

/* Waits at most this long for a thing to be seen. */
#define PATIENCE_NS INT64_C(2000000000)

static struct answer ask_other(struct place *p, enum ask what, const char *name,
                               int how, int64_t bytes)
{
    struct question q = {.what = what, .how = how, .bytes = bytes};
    strncpy(q.name, name, sizeof q.name - 1);
    return other_ask(p->other, &q);
}

/* ---- reading what was written ---------------------------------------------------- */

enum seen { AT_ONCE, AFTER_SYNC, AFTER_CLOSE, LATE, NEVER, WRONG, LEVELS };

static const struct {
    const char *answer, *means;
} levels[LEVELS] = {
    {"strict", "what is read is what was written last, without any care"},
    {"after fsync", "a reader sees what was written when the writer has synced"},
    {"close-to-open",
     "a reader sees what was written when the writer has closed and the "
     "reader opens again: shared files need care"},
    {"late", "even a new open may read old bytes: verification may fail, and rates may "
             "be of old data"},
    {"stale", "do not measure shared files here: readers get old bytes"},
    {"wrong bytes", "do not measure here: readers get bytes that nobody wrote"},
};

/* True if the other party reads this letter; *wrong if it reads neither it nor the
 * one before. */
static bool reads(struct place *p, int letter, bool *wrong)
{
    struct answer a = ask_other(p, ASK_READ, "", 0, SMALL);
    *wrong |= a.rc != SMALL || (a.value != letter && a.value != letter - 1);
    return a.rc == SMALL && a.value == letter;
}

static bool reads_anew(struct place *p, int letter, bool *wrong)
{
    return !ask_other(p, ASK_OPEN, "read", O_RDONLY, 0).rc && reads(p, letter, wrong);
}

/* Finds when the other party, which has read the letter before, sees this one. */
static enum seen read_round(struct place *p, int letter, double *late_s)
{
    unsigned char buf[SMALL];
    bool wrong = false, seen = false;
    enum seen level = AT_ONCE;
    int fd = place_new(p, "read", 0);
    memset(buf, letter, sizeof buf);
    if (fd < 0 || pwrite(fd, buf, sizeof buf, 0) != SMALL)
        seen = wrong = true;
    seen = seen || reads(p, letter, &wrong);
    if (!seen) {
        level = AFTER_SYNC;
        fsync(fd);
        seen = reads(p, letter, &wrong);
    }
    if (fd >= 0)
        close(fd);
    if (!seen) {
        level = AFTER_CLOSE;
        seen = reads_anew(p, letter, &wrong);
    }
    for (int64_t from = clock_ns(); !seen && clock_ns() - from < PATIENCE_NS;) {
        level = LATE;
        usleep(10000);
        seen = reads_anew(p, letter, &wrong);
        *late_s = (double)(clock_ns() - from) / 1e9;
    }
    return wrong ? WRONG : seen ? level : NEVER;
}

void probe_read(struct place *p, struct doctor_finding *f)
{
    enum seen worst = AT_ONCE;
    int at_worst = 0;
    double late_s = 0;
    unsigned char buf[SMALL];
    int fd = place_new(p, "read", 0);
    memset(buf, 'a', sizeof buf);
    bool wrong = fd < 0 || pwrite(fd, buf, sizeof buf, 0) != SMALL;
    if (fd >= 0)
        close(fd);
    wrong |= ask_other(p, ASK_OPEN, "read", O_RDONLY, 0).rc != 0;
    for (int i = 1; i <= ROUNDS && !wrong && worst < NEVER; i++) {
        bool unlike = false;
        reads(p, 'a' + i - 1, &unlike);
        enum seen s = unlike ? WRONG : read_round(p, 'a' + i, &late_s);
        at_worst = s > worst ? 1 : at_worst + (s == worst);
        worst = s > worst ? s : worst;
    }
    ask_other(p, ASK_CLOSE, "", 0, 0);
    find_value(f, "late_s", late_s);
    if (wrong)
        find_unknown(f, "writing and opening a file", errno);
    else
        find(f, levels[worst].answer, levels[worst].means,
             "in %d of %d rounds; an open file, and then one opened again, was read "
             "after each write%s",
             at_worst, ROUNDS, worst == LATE ? ", until the new bytes came" : "");
}

/* ---- mapped files ---------------------------------------------------------------- */

/* The bytes that the two parties see of each other, both ways, by maps and by calls. */
struct mapped {
    bool write_in_map, map_in_read, map_in_map, synced;
};

static bool their_byte(struct place *p, int letter)
{
    return ask_other(p, ASK_PEEK, "", 0, 0).value == letter;
}

static bool their_read(struct place *p, int letter)
{
    struct answer a = ask_other(p, ASK_READ, "", 0, 1);
    return a.rc == 1 && a.value == letter;
}

static void look_mapped(struct place *p, volatile unsigned char *map, struct mapped *m)
{
    m->map_in_map = their_byte(p, 'a') && map[0] == 'a';
    map[0] = 'b';
    m->map_in_map &= their_byte(p, 'b');
    m->map_in_read = their_read(p, 'b');
    ask_other(p, ASK_POKE, "", 'c', 0);
    m->map_in_map &= map[0] == 'c';
    ask_other(p, ASK_WRITE, "", 'd', SMALL);
    m->write_in_map = map[0] == 'd';
    map[0] = 'e';
    m->synced = !msync((void *)map, SMALL, MS_SYNC);
    ask_other(p, ASK_OPEN, "map", O_RDWR, 0);
    m->synced &= their_read(p, 'e');
}

static void judge_mapped(struct doctor_finding *f, const struct mapped *m)
{
    bool all = m->write_in_map && m->map_in_read && m->map_in_map;
    find(f,
         all         ? "coherent"
         : m->synced ? "after msync"
                     : "no",
         all         ? "I/O engine mmap may share files here"
         : m->synced ? "files that are mapped by several need msync and a new open"
                     : "do not map files that others write",
         "another process sees a stored byte in its map: %s, by read: %s, after msync "
         "and a new open: %s; its write is seen in the map: %s",
         m->map_in_map ? "yes" : "no", m->map_in_read ? "yes" : "no",
         m->synced ? "yes" : "no", m->write_in_map ? "yes" : "no");
}

void probe_mmap(struct place *p, struct doctor_finding *f)
{
    unsigned char buf[SMALL];
    struct mapped m;
    int fd = place_new(p, "map", 0);
    memset(buf, 'a', sizeof buf);
    if (fd < 0 || pwrite(fd, buf, sizeof buf, 0) != SMALL || fsync(fd)) {
        find_unknown(f, "writing a file", errno);
        if (fd >= 0)
            close(fd);
        return;
    }
    void *map = mmap(NULL, SMALL, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int error = map == MAP_FAILED ? errno : 0;
    int64_t rc = ask_other(p, ASK_OPEN, "map", O_RDWR, 0).rc;
    if (!error && !rc)
        rc = ask_other(p, ASK_MAP, "", 0, 0).rc;
    if (error || rc)
        find(f, "cannot be mapped", "I/O engine mmap fails here", "mmap: %s",
             strerror(error ? error : (int)-rc));
    else {
        look_mapped(p, map, &m);
        judge_mapped(f, &m);
    }
    ask_other(p, ASK_CLOSE, "", 0, 0);
    if (!error)
        munmap(map, SMALL);
    close(fd);
}

/* ---- directories ----------------------------------------------------------------- */

/* The seconds until the other party's stat of a name returns `wanted`; 0: at once; -1:
 * it does not. */
static double until_seen(struct place *p, const char *name, int wanted)
{
    int64_t from = clock_ns();
    bool seen = ask_other(p, ASK_STAT, name, 0, 0).rc == wanted;
    if (seen)
        return 0;
    while (!seen && clock_ns() - from < PATIENCE_NS) {
        usleep(5000);
        seen = ask_other(p, ASK_STAT, name, 0, 0).rc == wanted;
    }
    return seen ? (double)(clock_ns() - from) / 1e9 : -1;
}

static double worse(double a, double b)
{
    return a < 0 || b < 0 ? -1 : a > b ? a : b;
}

static void say_until(char text[24], double s)
{
    char t[16];
    snprintf(text, 24, "%s%s",
             s > 0   ? "after up to "
             : s < 0 ? "never"
                     : "at once",
             s > 0 ? units_seconds(t, s) : "");
}

static void judge_directory(struct doctor_finding *f, double made, double gone,
                            int64_t listed)
{
    char a[24], b[24];
    say_until(a, made);
    say_until(b, gone);
    bool lists = listed == ROUNDS;
    find_value(f, "made_s", made);
    find_value(f, "gone_s", gone);
    find_value(f, "listed", (double)listed);
    find(f,
         made < 0 || gone < 0   ? "stale"
         : !lists               ? "lists differ"
         : made > 0 || gone > 0 ? "late"
                                : "at once",
         made == 0 && gone == 0 && lists
             ? "a file made or removed by one process is so for all"
             : "a file of one process may be missing, or still there, for another one",
         "new names were seen %s, removed ones were gone %s; of %d names %lld were "
         "listed",
         a, b, ROUNDS, (long long)listed);
}

void probe_directory(struct place *p, struct doctor_finding *f)
{
    char name[32];
    double made = 0, gone = 0;
    for (int i = 0; i < ROUNDS && made >= 0; i++) {
        snprintf(name, sizeof name, "seen%d", i);
        ask_other(p, ASK_STAT, name, 0, 0); /* that it is not there may be remembered */
        int fd = place_new(p, name, O_EXCL);
        if (fd < 0) {
            find_unknown(f, "creating a file", errno);
            return;
        }
        close(fd);
        made = worse(made, until_seen(p, name, 0));
    }
    int64_t listed = ask_other(p, ASK_LIST, "seen", 0, 0).value;
    for (int i = 0; i < ROUNDS && gone >= 0; i++) {
        snprintf(name, sizeof name, "seen%d", i);
        unlinkat(p->fd, name, 0);
        gone = worse(gone, until_seen(p, name, -ENOENT));
    }
    judge_directory(f, made, gone, listed);
}

/* ---- clocks ---------------------------------------------------------------------- */

/* Another node's clock, against this one's. */
struct ahead {
    int64_t ns, error_ns;
};

static struct ahead compare_clock(struct other *o)
{
    struct ahead a = {0, INT64_MAX};
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec t;
        int64_t from = clock_ns();
        clock_gettime(CLOCK_REALTIME, &t);
        int64_t theirs = other_ask(o, &(struct question){.what = ASK_CLOCK}).value;
        int64_t half = (clock_ns() - from) / 2;
        if (half < a.error_ns)
            a = (struct ahead){
                theirs - ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec) - half, half};
    }
    return a;
}

void probe_clock(struct place *p, struct doctor_finding *f)
{
    struct ahead most = {0, 0};
    char a[16], b[16];
    for (int i = 0; i < p->nodes; i++) {
        struct ahead one = compare_clock(p->node[i]);
        if (i == 0 || llabs(one.ns) > llabs(most.ns))
            most = one;
    }
    double apart = (double)llabs(most.ns) / 1e9, error = (double)most.error_ns / 1e9;
    bool agree = apart < error + 0.001;
    find_value(f, "apart_s", apart);
    find_value(f, "error_s", error);
    find(
        f, agree ? "agree" : "differ",
        agree ? "times of events on nodes can be compared"
              : "logs and traces of nodes cannot be put in one order by their times",
        "of %d other node%s, the clock that is furthest away is %s %s, give or take %s",
        p->nodes, units_s(p->nodes), units_seconds(a, apart),
        most.ns < 0 ? "behind" : "ahead", units_seconds(b, error));
}

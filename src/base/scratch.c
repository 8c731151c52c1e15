#include "base/scratch.h"
#include "base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define OTHERS_NS 300000000 /* what other ranks get to do the same */
#define REMOVAL_S 10        /* what a file system gets that may hang */

/* A list that only ever grows, and whose places are used again: a signal handler may
 * walk it at any time. `used` is set after the rest and cleared before it, so that a
 * signal between sees a whole path or none. */
struct place {
    struct place *next;
    volatile sig_atomic_t used;
    struct place *folder; /* what it belongs to; NULL: nothing */
    bool known;           /* dev and ino are */
    dev_t dev;
    ino_t ino;
    char path[PATH_MAX];
};
static _Atomic(struct place *) places;

static pid_t owner; /* a forked child must not remove its parent's files */

int scratch_absolute(char out[PATH_MAX], const char *path)
{
    char cwd[PATH_MAX];
    int n;
    if (path[0] == '/')
        n = snprintf(out, PATH_MAX, "%s", path);
    else if (getcwd(cwd, sizeof cwd))
        n = snprintf(out, PATH_MAX, "%s/%s", cwd, path);
    else
        return -errno;
    return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* The place of an absolute path; NULL: it has none. */
static struct place *find(const char *path)
{
    for (struct place *p = places; p; p = p->next)
        if (p->used && !strcmp(p->path, path))
            return p;
    return NULL;
}

static struct place *find_free(void)
{
    for (struct place *p = places; p; p = p->next)
        if (!p->used)
            return p;
    struct place *p = calloc(1, sizeof *p);
    if (p) {
        p->next = places;
        places = p;
    }
    return p;
}

static void forget_all(void)
{
    for (struct place *p = places; p; p = p->next)
        p->used = 0;
}

int scratch_add(const char *path)
{
    char whole[PATH_MAX];
    int rc = scratch_absolute(whole, path);
    if (rc)
        return err_set(rc, path, -1, "the file's path is too long");
    if (find(whole))
        return 0;
    if (owner != getpid()) /* a forked child owes its parent's files nothing */
        forget_all();
    owner = getpid();
    struct place *p = find_free();
    if (!p)
        return err_set(-ENOMEM, path, -1, "no memory to remember the file");
    memcpy(p->path, whole, strlen(whole) + 1);
    p->folder = NULL;
    p->known = false;
    p->used = 1;
    return 0;
}

static int fail_create(const char *path, const char *what)
{
    if (errno == EEXIST)
        return err_set(-EEXIST, path, -1,
                       "the %s exists already and is left as it is: remove it, or "
                       "choose another --dir",
                       what);
    return err_set(-errno, path, -1, "the %s cannot be created: %s", what,
                   strerror(errno));
}

int scratch_create_folder(const char *path)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = 0;
    if (mkdir(path, 0777))
        rc = fail_create(path, "folder");
    else if ((rc = scratch_add(path)))
        rmdir(path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int scratch_create(const char *path, int *fd)
{
    sigset_t all, before;
    struct stat st;
    int rc = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (*fd < 0)
        rc = fail_create(path, "file");
    else if ((rc = scratch_add(path)) ||
             (rc = fstat(*fd, &st) ? fail_create(path, "file") : 0) ||
             (rc = scratch_check(path, &st))) {
        unlink(path);
        close(*fd);
        *fd = -1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

static struct place *place_of(const char *path)
{
    char whole[PATH_MAX];
    return scratch_absolute(whole, path) ? NULL : find(whole);
}

void scratch_belongs(const char *path, const char *folder)
{
    struct place *p = place_of(path), *of = place_of(folder);
    if (p && of)
        p->folder = of;
}

static bool belongs(const struct place *p, const struct place *of)
{
    return p->used && of && p->folder == of;
}

void scratch_forget(const char *path)
{
    struct place *of = place_of(path);
    for (struct place *p = places; p; p = p->next)
        if (belongs(p, of))
            p->used = 0;
    if (of)
        of->used = 0;
}

static int remove_place(struct place *p)
{
    const char *path = p->path;
    int rc = 0;
    if (unlink(path) && errno != ENOENT && (errno != EISDIR || rmdir(path)))
        rc = err_set(-errno, path, -1, "the file cannot be removed: %s",
                     strerror(errno));
    p->used = 0;
    return rc;
}

int scratch_empty(const char *folder)
{
    struct place *of = place_of(folder);
    int rc = 0;
    for (struct place *p = places; p; p = p->next)
        if (belongs(p, of)) {
            int removed = remove_place(p);
            rc = rc ? rc : removed;
        }
    return rc;
}

int scratch_remove(const char *path)
{
    int rc = scratch_empty(path);
    struct place *p = place_of(path);
    int removed = p ? remove_place(p) : 0;
    return rc ? rc : removed;
}

void scratch_unlink_all(void)
{
    if (owner != getpid())
        return;
    for (struct place *p = places; p; p = p->next)
        if (p->used)
            unlink(p->path);
    for (int more = 1; more;) { /* folders, empty by now or when those in them went */
        more = 0;
        for (struct place *p = places; p; p = p->next)
            if (p->used && !rmdir(p->path))
                more = !(p->used = 0);
    }
    forget_all();
}

/* ---- that it is still the same file ---------------------------------------------- */

/* Where a file's number lasts no longer than the kernel remembers the file, only the
 * device is compared. Asked once for a device: some file systems ask their servers. */
static bool number_lasts(const char *path, dev_t dev)
{
    static const unsigned fleeting[] = {0x65735546 /* FUSE */, 0x4d44 /* FAT */,
                                        0x2011bab0 /* exFAT */, 0xff534d42 /* CIFS */,
                                        0xfe534d42 /* SMB2 */};
    static dev_t asked;
    static bool lasts;
    struct statfs fs;
    if (asked == dev)
        return lasts;
    lasts = !statfs(path, &fs);
    for (size_t i = 0; i < sizeof fleeting / sizeof fleeting[0] && lasts; i++)
        lasts = (unsigned)fs.f_type != fleeting[i];
    asked = dev;
    return lasts;
}

bool scratch_made(const char *path)
{
    return place_of(path);
}

int scratch_check(const char *path, const struct stat *st)
{
    struct place *p = place_of(path);
    struct stat now;
    if (!p)
        return 0;
    if (!st && lstat(path, &now))
        return err_set(-errno, path, -1, "what this run made is not there any more: %s",
                       strerror(errno));
    st = st ? st : &now;
    if (S_ISLNK(st->st_mode) ||
        (p->known && (st->st_dev != p->dev || (p->ino && st->st_ino != p->ino))))
        return err_set(-ESTALE, path, -1,
                       "something else, maybe a link, was put in the place of what "
                       "this run made, and is left as it is: use a --dir that nobody "
                       "else may write to");
    if (!p->known) {
        p->dev = st->st_dev;
        p->ino = number_lasts(path, st->st_dev) ? st->st_ino : 0;
        p->known = true;
    }
    return 0;
}

void scratch_bound(bool on)
{
    signal(SIGALRM, SIG_DFL);
    alarm(on ? REMOVAL_S : 0);
}

/* ---- signals --------------------------------------------------------------------- */

/* What ends a run, and why. Those of crashes are not among them: such a process cannot
 * be trusted with files. SIGUSR1 is MPICH's. */
static const struct {
    int sig;
    const char *why;
} caught[] = {{SIGINT, "SIGINT"},
              {SIGTERM, "SIGTERM"},
              {SIGHUP, "SIGHUP"},
              {SIGXCPU, "SIGXCPU"},
              {SIGUSR2, "SIGUSR2"},
              {SIGQUIT, "SIGQUIT"},
              {SIGPIPE, "SIGPIPE, as nobody reads what it writes"}};
enum { CAUGHT = sizeof caught / sizeof caught[0] };

static char signal_text[CAUGHT][160];
static volatile sig_atomic_t ending; /* a signal that ends the process has come */
static pthread_t catcher; /* who handles signals, and blocks them to make a file */

static void say(int sig)
{
    ssize_t said = 0;
    for (int i = 0; i < CAUGHT; i++)
        if (caught[i].sig == sig && signal_text[i][0])
            said = write(STDERR_FILENO, signal_text[i], strlen(signal_text[i]));
    (void)said; /* there is nobody else to tell */
}

static void on_signal(int sig)
{
    int saved = errno;
    ending = 1;
    scratch_bound(true);
    /* Any thread may be chosen, the watchdog or one of MPI's. */
    if (!pthread_equal(pthread_self(), catcher)) {
        pthread_kill(catcher, sig);
        errno = saved;
        return;
    }
    scratch_unlink_all();
    say(sig);
    /* MPICH's launcher kills, for good, the ranks that are left as soon as one has
     * ended: let the others, which have the signal too, remove theirs first. */
    nanosleep(&(struct timespec){.tv_nsec = OTHERS_NS}, NULL);
    /* End as the signal would. It was not reset on entry: a second one, which another
     * thread gets, must not end the process before the files are gone. */
    signal(sig, SIG_DFL);
    raise(sig);
    errno = saved;
}

bool scratch_ending(void)
{
    return ending;
}

/* nohup's wish, or that of who started us without a reader; MPI libraries ignore
 * SIGPIPE, too. Its write then fails, and that is said. */
static bool stays_ignored(int sig)
{
    struct sigaction now;
    return (sig == SIGHUP || sig == SIGPIPE) && !sigaction(sig, NULL, &now) &&
           now.sa_handler == SIG_IGN;
}

void scratch_catch_signals(const char *program)
{
    catcher = pthread_self();
    for (int i = 0; i < CAUGHT; i++) {
        struct sigaction sa = {.sa_handler = on_signal};
        signal_text[i][0] = 0;
        if (program)
            snprintf(signal_text[i], sizeof signal_text[i],
                     "%s: ended by a signal; its files are removed (%s)\n", program,
                     caught[i].why);
        sigfillset(&sa.sa_mask);
        sigdelset(&sa.sa_mask, caught[i].sig);
        sigdelset(&sa.sa_mask, SIGALRM);
        if (!stays_ignored(caught[i].sig))
            sigaction(caught[i].sig, &sa, NULL);
    }
}

/* The write itself fails, with EFBIG, once the signal does not end the process. A
 * handler, and not SIG_IGN, as programs that we start get their default back. */
static void go_on(int sig)
{
    (void)sig;
}

void scratch_outlive_limit(void)
{
    struct sigaction sa = {.sa_handler = go_on, .sa_flags = SA_RESTART}, now;
    if (!sigaction(SIGXFSZ, NULL, &now) && now.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &sa, NULL);
}

#include "base/scratch.h"
#include "base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SLOTS 64
#define OTHERS_NS 300000000 /* what other ranks get to do the same */
#define REMOVAL_S 10        /* what a file system gets that may hang */

/* `used` is set after the path and cleared before it, so that a signal between
 * sees a whole path or none. */
static struct {
    volatile sig_atomic_t used;
    int folder; /* slot of what it belongs to, and 1; 0: nothing */
    char path[PATH_MAX];
} table[SLOTS];

static pid_t owner; /* a forked child must not remove its parent's files */
static char signal_text[128];
static size_t signal_text_length;

/* The path as an absolute one, so that a chdir cannot misdirect an unlink. */
static int absolute(char out[PATH_MAX], const char *path)
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

static int find(const char *path)
{
    for (int i = 0; i < SLOTS; i++)
        if (table[i].used && !strcmp(table[i].path, path))
            return i;
    return -1;
}

int scratch_add(const char *path)
{
    char whole[PATH_MAX];
    int rc = absolute(whole, path);
    if (rc)
        return err_set(rc, path, -1, "the file's path is too long");
    if (find(whole) >= 0)
        return 0;
    if (owner != getpid()) /* a forked child owes its parent's files nothing */
        for (int i = 0; i < SLOTS; i++)
            table[i].used = 0;
    owner = getpid();
    for (int i = 0; i < SLOTS; i++)
        if (!table[i].used) {
            memcpy(table[i].path, whole, strlen(whole) + 1);
            table[i].folder = 0;
            table[i].used = 1;
            return 0;
        }
    return err_set(-ENOSPC, path, -1, "more than %d files at once", SLOTS);
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
    int rc = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (*fd < 0)
        rc = fail_create(path, "file");
    else if ((rc = scratch_add(path))) {
        unlink(path);
        close(*fd);
        *fd = -1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* Its slot, or -1. */
static int slot_of(const char *path)
{
    char whole[PATH_MAX];
    return absolute(whole, path) ? -1 : find(whole);
}

void scratch_belongs(const char *path, const char *folder)
{
    int i = slot_of(path), of = slot_of(folder);
    if (i >= 0 && of >= 0)
        table[i].folder = of + 1;
}

/* Slot i is one of those that belong to slot `of`. */
static bool belongs(int i, int of)
{
    return table[i].used && of >= 0 && table[i].folder == of + 1;
}

void scratch_forget(const char *path)
{
    int of = slot_of(path);
    for (int i = 0; i < SLOTS; i++)
        if (belongs(i, of))
            table[i].used = 0;
    if (of >= 0)
        table[of].used = 0;
}

static int remove_slot(int i)
{
    const char *path = table[i].path;
    int rc = 0;
    if (unlink(path) && errno != ENOENT && (errno != EISDIR || rmdir(path)))
        rc = err_set(-errno, path, -1, "the file cannot be removed: %s",
                     strerror(errno));
    table[i].used = 0;
    return rc;
}

int scratch_empty(const char *folder)
{
    int of = slot_of(folder), rc = 0;
    for (int i = 0; i < SLOTS; i++)
        if (belongs(i, of)) {
            int removed = remove_slot(i);
            rc = rc ? rc : removed;
        }
    return rc;
}

int scratch_remove(const char *path)
{
    int rc = scratch_empty(path), i = slot_of(path);
    int removed = i < 0 ? 0 : remove_slot(i);
    return rc ? rc : removed;
}

void scratch_unlink_all(void)
{
    if (owner != getpid())
        return;
    for (int i = 0; i < SLOTS; i++)
        if (table[i].used)
            unlink(table[i].path);
    for (int more = 1; more;) { /* folders, empty by now or when those in them went */
        more = 0;
        for (int i = 0; i < SLOTS; i++)
            if (table[i].used && !rmdir(table[i].path))
                more = !(table[i].used = 0);
    }
    for (int i = 0; i < SLOTS; i++)
        table[i].used = 0;
}

void scratch_bound(bool on)
{
    signal(SIGALRM, SIG_DFL);
    alarm(on ? REMOVAL_S : 0);
}

static volatile sig_atomic_t ending; /* a signal that ends the process has come */
static pthread_t catcher; /* who handles signals, and blocks them to make a file */

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
    if (signal_text_length && write(STDERR_FILENO, signal_text, signal_text_length) < 0)
        errno = saved;
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

void scratch_catch_signals(const char *program)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR2};
    int n = 0;
    if (program)
        n = snprintf(signal_text, sizeof signal_text,
                     "%s: ended by a signal; its files are removed\n", program);
    catcher = pthread_self();
    signal_text_length = n < (int)sizeof signal_text ? (size_t)n : sizeof signal_text;
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        struct sigaction sa = {.sa_handler = on_signal};
        sigfillset(&sa.sa_mask);
        sigdelset(&sa.sa_mask, caught[i]);
        sigdelset(&sa.sa_mask, SIGALRM);
        sigaction(caught[i], &sa, NULL);
    }
}

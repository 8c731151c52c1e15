#include "base/scratch.h"
#include "base/err.h"
#include "base/mem.h"
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

/* interval of looking whether other ranks are still removing */
#define OTHERS_NS 50000000
enum {
    OTHERS_QUIET = 6,  /* looks without any busy rank: enough for other nodes, too */
    OTHERS_FINER = 50, /* finer looks per interval */
    OTHERS_LOOKS = 100 /* limit: a disk that hangs must not keep the others waiting */
};
#define REMOVAL_S 10      /* limit of removal on a file system that may hang */
#define MAKERS_NS 5000000 /* interval of looking whether threads still make files */
enum { MAKERS_LOOKS = 20 };

/* A place in a list that only grows, and whose places are reused: a signal handler and
 * the watchdog walk it without the lock, which threads take to find and reserve places.
 * `used` is set after the other members and cleared before them, so that a walker sees
 * a whole path or none; while the process ends no place is reserved, so a path that was
 * seen stays valid. */
struct place {
    struct place *next;
    atomic_bool used;
    struct place *folder; /* directory that it belongs to; NULL: none */
    atomic_int tree;      /* descriptor of a directory remembered with its content; -1:
                           * another path */
    bool known;           /* dev and ino are known */
    dev_t dev;
    ino_t ino;
    char path[PATH_MAX];
};
static _Atomic(struct place *) places;
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;

static pid_t owner;       /* pid: a forked child must not remove its parent's files */
static atomic_int makers; /* threads between making a file and its place */
static atomic_bool shut;  /* the process ends: nothing is made any more */
static bool catching;     /* signals that end the process remove its files */
static bool alone;        /* the program has no other ranks */

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

/* ---- the list -------------------------------------------------------------------- */

/* The place of an absolute path; NULL: none. */
static struct place *scratch_find(const char *path)
{
    for (struct place *p = places; p; p = p->next)
        if (p->used && !strcmp(p->path, path))
            return p;
    return NULL;
}

/* The directory remembered with its content that has the absolute path as a
 * direct member. */
static struct place *find_tree(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = (size_t)(slash - path);
    if (!strcmp(slash, "/") || !strcmp(slash, "/.") || !strcmp(slash, "/.."))
        return NULL;
    for (struct place *p = places; p; p = p->next)
        if (p->used && p->tree >= 0 && !strncmp(p->path, path, n) && !p->path[n])
            return p;
    return NULL;
}

static struct place *find_free(const char *path)
{
    for (struct place *p = places; p; p = p->next)
        if (!p->used)
            return p;
    struct place *p = mem_of(path, 1, sizeof *p, "remembering the file");
    if (p) {
        p->tree = -1;
        p->next = places;
        places = p;
    }
    return p;
}

static void forget(struct place *p)
{
    int tree = p->tree;
    p->tree = -1;
    p->used = false; /* from here on another path may get it */
    if (tree >= 0)
        close(tree);
}

static void forget_all(void)
{
    for (struct place *p = places; p; p = p->next)
        if (p->used)
            forget(p);
}

static struct place *place_by(const char *path, struct place *(*of)(const char *))
{
    char whole[PATH_MAX];
    if (scratch_absolute(whole, path))
        return NULL;
    pthread_mutex_lock(&listing);
    struct place *p = of(whole);
    pthread_mutex_unlock(&listing);
    return p;
}

static struct place *scratch_place_of(const char *path)
{
    return place_by(path, scratch_find);
}

static struct place *tree_of(const char *path)
{
    return place_by(path, find_tree);
}

static int scratch_take(const char *path, const char *whole, int tree)
{
    if (scratch_find(whole))
        return 0;
    if (owner != getpid()) /* a forked child does not remove its parent's files */
        forget_all();
    owner = getpid();
    struct place *p = find_free(path);
    if (!p)
        return -ENOMEM;
    memcpy(p->path, whole, strlen(whole) + 1);
    p->folder = NULL;
    p->tree = tree;
    p->known = false;
    p->used = true;
    return 0;
}

/* ---- making ---------------------------------------------------------------------- */

int scratch_begin(const char *path)
{
    makers++;
    if (!shut)
        return 0;
    makers--;
    return err_set(-EINTR, path, -1, "nothing is made any more: the run is ended");
}

void scratch_end(void)
{
    makers--;
}

/* Waits for threads that make files, for some time: one that hangs cannot be
 * waited for. */
static void let_makers_end(void)
{
    struct timespec look = {.tv_nsec = MAKERS_NS};
    for (int i = 0; i < MAKERS_LOOKS && makers > 0; i++)
        nanosleep(&look, NULL);
}

static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static void unblock_signals(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static int scratch_record(const char *path, int tree)
{
    char whole[PATH_MAX];
    int rc = scratch_absolute(whole, path);
    if (rc)
        return err_set(rc, path, -1, "the file's path is too long");
    pthread_mutex_lock(&listing);
    rc = scratch_take(path, whole, tree);
    pthread_mutex_unlock(&listing);
    return rc;
}

int scratch_add(const char *path)
{
    sigset_t before;
    block_signals(&before);
    int rc = scratch_begin(path);
    if (!rc) {
        rc = scratch_record(path, -1);
        scratch_end();
    }
    unblock_signals(&before);
    return rc;
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

static int scratch_make_folder(const char *path, int *unused)
{
    (void)unused;
    if (mkdir(path, 0777))
        return fail_create(path, "directory");
    int rc = scratch_record(path, -1);
    if (rc)
        rmdir(path);
    return rc;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int make_tree(const char *path, int *fd)
{
    if (mkdir(path, 0777))
        return fail_create(path, "directory");
    *fd = open_folder(path);
    int rc = *fd < 0 ? fail_create(path, "directory") : scratch_record(path, *fd);
    if (rc && *fd >= 0)
        close(*fd);
    if (rc)
        rmdir(path);
    return rc;
}

static int open_new(int folder, const char *name, bool bare)
{
    if (!bare)
        return openat(folder, name,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (mknodat(folder, name, S_IFREG | 0644, 0))
        return -1;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        int why = errno;
        unlinkat(folder, name, 0);
        errno = why;
    }
    return fd;
}

static int make_how(const char *path, int *fd, bool bare)
{
    struct place *tree = tree_of(path);
    struct stat st;
    int rc;
    *fd = tree ? open_new(tree->tree, strrchr(path, '/') + 1, bare)
               : open_new(AT_FDCWD, path, bare);
    if (*fd < 0)
        return fail_create(path, "file");
    if (tree)
        return 0;
    if ((rc = scratch_record(path, -1)) ||
        (rc = fstat(*fd, &st) ? fail_create(path, "file") : 0) ||
        (rc = scratch_check(path, &st))) {
        unlink(path);
        close(*fd);
        *fd = -1;
    }
    return rc;
}

static int make_file(const char *path, int *fd)
{
    return make_how(path, fd, false);
}

static int make_bare(const char *path, int *fd)
{
    return make_how(path, fd, true);
}

/* Makes a file and remembers it. No signal comes between the two, and a walker of the
 * list waits for other threads that are between them. */
static int scratch_make(const char *path, int *fd, int (*how)(const char *, int *))
{
    sigset_t before;
    block_signals(&before);
    int rc = scratch_begin(path);
    *fd = -1;
    if (!rc) {
        rc = how(path, fd);
        scratch_end();
    }
    unblock_signals(&before);
    return rc;
}

/* ---- under a temporary name ------------------------------------------------------ */

enum { BESIDE_NAMES = 10000 };

static int make_beside(const char *path, int *fd)
{
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (*fd < 0)
        return -errno;
    int rc = scratch_record(path, -1);
    if (rc)
        unlink(path);
    return rc;
}

int scratch_create_beside(const char *path, char beside[PATH_MAX], int *fd)
{
    const char *slash = strrchr(path, '/');
    int rc = -EEXIST, folder = slash ? (int)(slash + 1 - path) : 0;
    if (!catching) {
        alone = true;
        scratch_catch_signals(NULL);
    }
    for (int i = 0; i < BESIDE_NAMES && rc == -EEXIST; i++) {
        int n = snprintf(beside, PATH_MAX, "%.*s.leadline-%ld-%d.tmp", folder, path,
                         (long)getpid(), i);
        rc = n < PATH_MAX ? scratch_make(beside, fd, make_beside) : -ENAMETOOLONG;
    }
    if (rc)
        beside[0] = 0;
    return rc;
}

static int make_nameless(const char *dir, int *fd)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/leadline-probe-XXXXXX", dir);
    *fd = mkostemp(path, O_CLOEXEC);
    if (*fd < 0 || !unlink(path))
        return *fd < 0 ? -errno : 0;
    int rc = -errno;
    close(*fd); /* some file systems keep the name of an open file */
    unlink(path);
    return rc;
}

int scratch_nameless(const char *dir)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int rc = fd < 0 ? scratch_make(dir, &fd, make_nameless) : 0;
    return rc ? rc : fd;
}

int scratch_create_folder(const char *path)
{
    int none;
    return scratch_make(path, &none, scratch_make_folder);
}

int scratch_create_tree(const char *path, int *fd)
{
    return scratch_make(path, fd, make_tree);
}

int scratch_create(const char *path, int *fd)
{
    return scratch_make(path, fd, make_file);
}

int scratch_create_bare(const char *path, int *fd)
{
    return scratch_make(path, fd, make_bare);
}

int scratch_sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || (fsync(fd) && errno != EINVAL) ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

int scratch_add_tree(const char *path, int *fd)
{
    struct place *p = scratch_place_of(path);
    *fd = p ? p->tree : open_folder(path);
    if (p)
        return 0;
    if (*fd < 0)
        return err_set(
            -errno, path, -1,
            "the directory that another rank of this run made cannot be opened: %s",
            strerror(errno));
    int rc = scratch_record(path, *fd);
    if (rc)
        close(*fd);
    return rc;
}

int scratch_tree(const char *path)
{
    const struct place *p = scratch_place_of(path);
    return p ? p->tree : -1;
}

int scratch_open(const char *path, int how)
{
    struct place *tree = tree_of(path);
    if (tree)
        return openat(tree->tree, strrchr(path, '/') + 1, how | O_NOFOLLOW | O_CLOEXEC);
    return open(path, how | (scratch_place_of(path) ? O_NOFOLLOW : 0) | O_CLOEXEC);
}

void scratch_belongs(const char *path, const char *folder)
{
    struct place *p = scratch_place_of(path), *of = scratch_place_of(folder);
    if (p && of)
        p->folder = of;
}

static bool belongs(const struct place *p, const struct place *of)
{
    return p->used && of && p->folder == of;
}

/* A place that belongs to `of`; NULL: none. */
static struct place *next_of(const struct place *of)
{
    pthread_mutex_lock(&listing);
    struct place *p = places;
    while (p && !belongs(p, of))
        p = p->next;
    pthread_mutex_unlock(&listing);
    return p;
}

void scratch_forget(const char *path)
{
    struct place *of = scratch_place_of(path), *p;
    while ((p = next_of(of)))
        forget(p);
    if (of)
        forget(of);
}

/* ---- removing -------------------------------------------------------------------- */

/* True if the path still leads to the directory that was made. Async-signal-safe. */
static bool is_there(const struct place *p)
{
    struct stat made, now;
    return !fstat(p->tree, &made) && !lstat(p->path, &now) &&
           made.st_dev == now.st_dev && made.st_ino == now.st_ino;
}

/* Removes the content by the directory's descriptor, wherever its name leads by now. */
static int remove_tree(struct place *p)
{
    const char *path = p->path;
    int rc = empty_folder(p->tree);
    if (rc)
        rc =
            err_set(rc, path, -1, "the contents of the directory cannot be removed: %s",
                    strerror(-rc));
    else if (access(path, F_OK) && errno == ENOENT)
        rc = 0;
    else if (!is_there(p))
        rc = err_set(-ESTALE, path, -1,
                     "something else, maybe a link, was put in the place of the "
                     "directory that this run made, and is left as it is");
    else if (rmdir(path))
        rc = err_set(-errno, path, -1, "the directory cannot be removed: %s",
                     strerror(errno));
    forget(p);
    return rc;
}

static int remove_place(struct place *p)
{
    const char *path = p->path;
    int rc = 0;
    if (p->tree >= 0)
        return remove_tree(p);
    if (unlink(path) && errno != ENOENT && (errno != EISDIR || rmdir(path)))
        rc = err_set(-errno, path, -1, "the file cannot be removed: %s",
                     strerror(errno));
    forget(p);
    return rc;
}

int scratch_empty(const char *folder)
{
    struct place *of = scratch_place_of(folder), *p;
    int rc = 0;
    while ((p = next_of(of))) {
        int removed = remove_place(p);
        rc = rc ? rc : removed;
    }
    return rc;
}

static int remove_in_tree(const struct place *tree, const char *path)
{
    if (!unlinkat(tree->tree, strrchr(path, '/') + 1, 0) || errno == ENOENT)
        return 0;
    return err_set(-errno, path, -1, "the file cannot be removed: %s", strerror(errno));
}

int scratch_remove(const char *path)
{
    int rc = scratch_empty(path);
    struct place *p = scratch_place_of(path), *tree = p ? NULL : tree_of(path);
    int removed = p ? remove_place(p) : tree ? remove_in_tree(tree, path) : 0;
    return rc ? rc : removed;
}

static bool is_not_empty(int error)
{
    return error == ENOTEMPTY || error == EEXIST;
}

/* Removes directories with their content. Returns true if some are left because they
 * have filled again. */
static bool sweep_trees(void)
{
    bool left = false;
    for (struct place *p = places; p; p = p->next)
        if (p->used && p->tree >= 0) {
            empty_folder(p->tree);
            if (!is_there(p))
                continue;
            if (rmdir(p->path))
                left |= is_not_empty(errno);
            else
                forget(p);
        }
    return left;
}

/* Removes remembered directories that are empty, or become so when those in them are
 * removed. Returns true if some are left. */
static bool sweep_folders(void)
{
    bool left = false;
    for (bool more = true; more;) {
        more = left = false;
        for (struct place *p = places; p; p = p->next)
            if (p->used && p->tree < 0) {
                if (!rmdir(p->path)) {
                    forget(p);
                    more = true;
                } else
                    left |= is_not_empty(errno);
            }
    }
    return left;
}

/* Removes everything. Async-signal-safe, as all functions that it calls. Ranks that the
 * signal reaches later may still have files in a directory: it is tried again for a
 * while, and stays in the list. */
static void sweep(void)
{
    struct timespec look = {.tv_nsec = MAKERS_NS};
    if (shut)
        let_makers_end();
    for (struct place *p = places; p; p = p->next)
        if (p->used && p->tree < 0)
            unlink(p->path);
    for (int i = 0; i < MAKERS_LOOKS; i++) {
        bool trees = sweep_trees(), folders = sweep_folders();
        if (!shut || (!trees && !folders))
            break;
        nanosleep(&look, NULL);
    }
}

void scratch_unlink_all(void)
{
    if (owner != getpid())
        return;
    sweep();
    forget_all();
}

/* ---- identity of files ----------------------------------------------------------- */

/* True if a file's number is permanent. On other file systems it lasts only as long as
 * the kernel remembers the file, so only the device is compared. Asked once per device,
 * as some file systems ask their servers. */
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
    return scratch_place_of(path) || tree_of(path);
}

/* True if it is the file of the first look, and no link. */
static bool is_same(struct place *p, const struct stat *st)
{
    pthread_mutex_lock(&listing);
    if (!p->known) {
        p->dev = st->st_dev;
        p->ino = number_lasts(p->path, st->st_dev) ? st->st_ino : 0;
        p->known = true;
    }
    bool same = st->st_dev == p->dev && (!p->ino || st->st_ino == p->ino);
    pthread_mutex_unlock(&listing);
    return same;
}

int scratch_check(const char *path, const struct stat *st)
{
    struct place *p = scratch_place_of(path), *tree = p ? NULL : tree_of(path);
    struct stat now;
    if (!p && !tree)
        return 0;
    if (!st && lstat(path, &now))
        return err_set(-errno, path, -1, "what this run made is not there any more: %s",
                       strerror(errno));
    bool by_name = !st;
    st = st ? st : &now;
    if (!S_ISLNK(st->st_mode) && (p ? is_same(p, st) : !by_name || is_there(tree)))
        return 0;
    return err_set(-ESTALE, path, -1,
                   "something else, maybe a link, was put in the place of what this "
                   "run made, and is left as it is: use a --dir that nobody else may "
                   "write to");
}

void scratch_bound(bool on)
{
    shut = on;
    signal(SIGALRM, SIG_DFL);
    alarm(on ? REMOVAL_S : 0);
}

/* ---- signals --------------------------------------------------------------------- */

/* Signals that end a run, with their names. Signals of crashes are not among them: such
 * a process cannot be trusted with files. SIGUSR1 is MPICH's. */
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
static pthread_t catcher; /* thread that handles signals, and blocks them to make
                           * a file */
static const struct scratch_others *others;

void scratch_wait_for(const struct scratch_others *all)
{
    others = all;
}

static volatile sig_atomic_t asks_first, was_asked;
static char asked_text[160];

void scratch_ask_first(bool on)
{
    asks_first = on;
    was_asked = 0;
}

bool scratch_asked(void)
{
    return was_asked;
}

/* True for a signal that only asks: a first one, but for those of other ranks, which
 * end themselves. */
static bool only_asks(int sig, const siginfo_t *info)
{
    ssize_t said = 0;
    bool from_rank = info->si_code == SI_TKILL && info->si_pid != getpid();
    if (!asks_first || was_asked || ending || from_rank || sig == SIGPIPE ||
        sig == SIGQUIT)
        return false;
    was_asked = 1;
    if (asked_text[0])
        said = write(STDERR_FILENO, asked_text, strlen(asked_text));
    (void)said;
    return true;
}

static void say(int sig)
{
    ssize_t said = 0;
    for (int i = 0; i < CAUGHT; i++)
        if (caught[i].sig == sig && signal_text[i][0])
            said = write(STDERR_FILENO, signal_text[i], strlen(signal_text[i]));
    (void)said; /* a failure cannot be reported */
}

/* Waits for the other ranks. MPICH's launcher kills, with SIGKILL, the remaining ranks
 * as soon as one has ended: so the others, which have the signal, too, remove their
 * files first. A rank that waits for a disk gets the signal only when the disk answers.
 * In a run that failed, all ranks end in the same millisecond, before the launcher can
 * kill one, whose status would count. */
static void let_others_end(bool failed)
{
    struct timespec look = {.tv_nsec = failed ? OTHERS_NS / OTHERS_FINER : OTHERS_NS};
    int most = failed ? OTHERS_LOOKS * OTHERS_FINER : OTHERS_LOOKS;
    if (alone)
        return;
    for (int i = 0, quiet = 0; i < most && quiet < (failed ? 1 : OTHERS_QUIET); i++) {
        quiet = others && others->busy(true) ? 0 : quiet + 1;
        nanosleep(&look, NULL);
    }
}

static void on_signal(int sig, siginfo_t *info, void *unused)
{
    int saved = errno;
    (void)unused;
    if (only_asks(sig, info)) {
        errno = saved;
        return;
    }
    bool first = !ending, failed = others && others->failed();
    ending = 1;
    scratch_bound(true);
    if (others)
        others->busy(false);
    if (others && first)
        others->warn(sig);
    /* The kernel may choose any thread, also the watchdog or one of MPI's. */
    if (!pthread_equal(pthread_self(), catcher)) {
        pthread_kill(catcher, sig);
        errno = saved;
        return;
    }
    bool mine = owner == getpid();
    if (mine)
        sweep();
    if (!failed)
        say(sig);
    let_others_end(failed);
    if (mine) /* files that others made meanwhile */
        sweep_trees();
    if (failed)
        _exit(EXIT_FAILED);
    /* Ends as the signal would. SA_RESETHAND is not used: a second signal, on another
     * thread, must not end the process before the files are removed. */
    signal(sig, SIG_DFL);
    raise(sig);
    errno = saved;
}

bool scratch_ending(void)
{
    return ending;
}

/* True for an ignored SIGHUP or SIGPIPE: nohup ignores the one, and a parent without a
 * reader or an MPI library the other. The write then fails, which is reported. */
static bool stays_ignored(int sig)
{
    struct sigaction now;
    return (sig == SIGHUP || sig == SIGPIPE) && !sigaction(sig, NULL, &now) &&
           now.sa_handler == SIG_IGN;
}

void scratch_catch_signals(const char *program)
{
    catcher = pthread_self();
    catching = true;
    asked_text[0] = 0;
    if (program)
        snprintf(asked_text, sizeof asked_text,
                 "%s: asked to end by a signal: ends after this repetition; another "
                 "signal ends it at once\n",
                 program);
    for (int i = 0; i < CAUGHT; i++) {
        struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
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

/* Ignores a signal. The write itself then fails, with EFBIG. This is a handler, and not
 * SIG_IGN, as programs that we start inherit SIG_IGN. */
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

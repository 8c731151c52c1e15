/* Files of a run that ends early are removed: by hand, and by each signal. */
#include "tap.h"

#include "base/scratch.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char one[TAP_PATH], two[TAP_PATH], kept[TAP_PATH];

static void make(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);

    if (fd >= 0)
        close(fd);
}

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void make_all(void)
{
    make(one);
    make(two);
    make(kept);
}

static int add_all(void)
{
    int rc = scratch_add(one) || scratch_add(two) || scratch_add(kept);

    scratch_forget(kept);
    return rc;
}

static void expect_removed(const char *when)
{
    tap_ok(!exists(one) && !exists(two), "%s: the files are removed", when);
    tap_ok(exists(kept), "%s: a forgotten file is not", when);
    unlink(one);
    unlink(two);
    unlink(kept);
}

static void test_by_hand(void)
{
    tap_ok(scratch_add(one) == 0, "a path can be added before the file is there");
    scratch_unlink_all();
    tap_ok(1, "a file that is not there is no trouble");
    make_all();
    tap_ok(add_all() == 0, "adding again after all were removed");
    scratch_unlink_all();
    expect_removed("by hand");
    make(one);
    scratch_unlink_all();
    tap_ok(exists(one), "what was removed once is forgotten");
    unlink(one);
}

/* It holds for any order of adding. */
static void test_folders(void)
{
    char path[4][TAP_PATH];

    tap_path(path[0], "folder");
    tap_path(path[1], "folder/inner");
    tap_path(path[2], "folder/inner/innermost");
    tap_path(path[3], "folder/inner/file");
    for (int first = 0; first < 3; first++) {
        for (int i = 0; i < 3; i++)
            scratch_add(path[(first + i) % 3]);
        scratch_add(path[3]);
        for (int i = 0; i < 3; i++)
            mkdir(path[i], 0700);
        make(path[3]);
        scratch_unlink_all();
        tap_ok(!exists(path[0]),
               "folders in folders are removed, number %d was added "
               "first",
               first);
    }
    scratch_add(path[0]);
    mkdir(path[0], 0700);
    tap_path(path[1], "folder/mine");
    make(path[1]);
    scratch_unlink_all();
    tap_ok(exists(path[1]), "a folder with files of others stays");
    unlink(path[1]);
    rmdir(path[0]);
}

/* A relative path must be removed even if the process has changed its directory. */
static int chdir_and_unlink(void *dir)
{
    if (chdir(dir) || scratch_add("one"))
        return 3;
    make("one");
    if (chdir("/"))
        return 4;
    scratch_unlink_all();
    return exists(one) ? 5 : 0;
}

static void test_relative(void)
{
    char dir[TAP_PATH], out[256];

    tap_path(dir, ".");
    tap_ok(tap_child(chdir_and_unlink, dir, out, sizeof out) == 0,
           "a relative path stays where it was added");
}

static int only_unlink(void *unused)
{
    (void)unused;
    scratch_unlink_all();
    return 0;
}

static void test_fork(void)
{
    char out[256];

    make_all();
    add_all();
    tap_child(only_unlink, NULL, out, sizeof out);
    tap_ok(exists(one), "a forked child leaves its parent's files alone");
    scratch_unlink_all();
    expect_removed("after the child");
}

static int end_by_signal(void *sig)
{
    signal(*(int *)sig, SIG_DFL); /* the test's parent may have ignored it */
    scratch_catch_signals("prog");
    if (add_all())
        return 3;
    make_all();
    kill(getpid(), *(int *)sig);
    for (;;)
        pause();
}

static void test_signal(int sig, const char *name)
{
    char out[512];
    int status = tap_child(end_by_signal, &sig, out, sizeof out);

    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == sig, "%s: ended by it", name);
    tap_ok(!strncmp(out, "prog: ", 6) && out[strlen(out) - 1] == '\n' &&
               strchr(out, '\n') == out + strlen(out) - 1,
           "%s: one sentence, with the program's name", name);
    expect_removed(name);
}

static int quiet_end_by_signal(void *unused)
{
    (void)unused;
    scratch_catch_signals(NULL);
    raise(SIGTERM);
    return 3;
}

static void test_quiet(void)
{
    char out[512];
    int status = tap_child(quiet_end_by_signal, NULL, out, sizeof out);

    tap_ok(WIFSIGNALED(status) && out[0] == 0,
           "without a program's name: ended by the signal, and no sentence");
}

/* Each call writes a letter: "r" while our own files exist, "w" when the others are
 * warned, "b" while another rank is busy for some looks, "." from then on. */
static bool busy_for_some_looks(bool gone)
{
    static int looks;
    bool busy = gone && looks++ < 9;
    const char *letter = !gone ? "r" : exists(one) ? "?" : busy ? "b" : ".";
    return write(STDERR_FILENO, letter, 1) == 1 && busy;
}

static void warn_others(int sig)
{
    if (write(STDERR_FILENO, sig == SIGTERM && exists(one) ? "w" : "?", 1) != 1)
        _exit(5);
}

static bool none_failed(void)
{
    return false;
}

static int end_after_others(void *unused)
{
    static const struct scratch_others others = {
        .busy = busy_for_some_looks, .warn = warn_others, .failed = none_failed};
    (void)unused;
    scratch_catch_signals(NULL);
    scratch_wait_for(&others);
    if (add_all())
        return 3;
    make_all();
    raise(SIGTERM);
    return 4;
}

static void test_others(void)
{
    char out[512];
    int status = tap_child(end_after_others, NULL, out, sizeof out);

    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM &&
               !strncmp(out, "rwbbbbbbbbb.", 12) && strspn(out + 11, ".") > 1,
           "who has removed its files waits for ranks that are busy (%s)", out);
    expect_removed("after the others");
}

/* An existing file of others stays, also a link to nothing. */
static void test_not_ours(void)
{
    struct stat before, after;
    int fd = -2;
    err_clear();
    make(one);
    stat(one, &before);
    tap_ok(scratch_create(one, &fd) == -EEXIST && fd < 0,
           "a file that is there is not created");
    err_clear();
    if (symlink(kept, two))
        tap_diag("no links here: %s", strerror(errno));
    tap_ok(scratch_create(two, &fd) == -EEXIST && fd < 0 && !exists(kept),
           "nor is what a link points to");
    err_clear();
    scratch_unlink_all();
    tap_ok(!stat(one, &after) && after.st_ino == before.st_ino,
           "and is not removed, either");
    unlink(one);
    unlink(two);
}

/* Returns the mapped memory, resident or not. */
static long memory_kB(void)
{
    long pages = -1;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f) {
        if (fscanf(f, "%ld", &pages) != 1)
            pages = -1;
        fclose(f);
    }
    return pages * (sysconf(_SC_PAGE_SIZE) / 1024);
}

static int end_by_pipe(void *unused)
{
    int end[2];

    (void)unused;
    signal(SIGPIPE, SIG_DFL);
    scratch_catch_signals("prog");
    if (add_all() || pipe(end))
        return 3;
    make_all();
    close(end[0]);
    return write(end[1], "x", 1) < 0 ? 4 : 5;
}

static int end_ignored(void *sig)
{
    signal(*(int *)sig, SIG_IGN);
    scratch_catch_signals("prog");
    raise(*(int *)sig);
    return 7;
}

static void test_pipe(void)
{
    char out[512];
    int sig = SIGPIPE, status = tap_child(end_by_pipe, NULL, out, sizeof out);

    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE &&
               strstr(out, "prog: ended by a signal") == out,
           "SIGPIPE of a write: ended by it, with a sentence");
    expect_removed("SIGPIPE");
    status = tap_child(end_ignored, &sig, out, sizeof out);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "SIGPIPE stays ignored");
    sig = SIGHUP;
    status = tap_child(end_ignored, &sig, out, sizeof out);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "so does nohup's SIGHUP");
}

static void test_limits(void)
{
    char path[9000], name[32];
    int rc = 0, n;

    err_clear();
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    path[sizeof path - 1] = 0;
    tap_ok(scratch_add(path) == -ENAMETOOLONG && err_get()->code == -ENAMETOOLONG,
           "a path too long is refused with a sentence");
    err_clear();
    for (n = 0; n < 1000 && rc == 0; n++) {
        snprintf(name, sizeof name, "many%d", n);
        tap_path(path, name);
        rc = scratch_add(path);
        make(path);
    }
    tap_ok(rc == 0 && !err_get()->code, "there are as many files as one likes");
    scratch_unlink_all();
    for (n = 0; n < 1000; n++) {
        snprintf(name, sizeof name, "many%d", n);
        tap_path(path, name);
        rc |= exists(path);
    }
    tap_ok(rc == 0, "and all of them are removed");
}

/* Forgotten entries make room, however many files a process has in its life. */
static void test_reuse(void)
{
    char path[32];
    long before, after;

    before = memory_kB();
    for (int i = 0; i < 20000; i++) {
        snprintf(path, sizeof path, "/nowhere/%d", i);
        scratch_add(path);
        scratch_forget(path);
    }
    after = memory_kB();
    tap_ok(after - before < 10000, "forgotten paths take no memory (%ld kB)",
           after - before);
}

/* A signal may come at any moment of adding and forgetting: it always finds whole
 * entries. */
static int add_for_ever(void *unused)
{
    char path[TAP_PATH], name[32];

    (void)unused;
    scratch_catch_signals(NULL);
    if (fork() == 0) {
        usleep(100000);
        kill(getppid(), SIGTERM);
        _exit(0);
    }
    for (int i = 0;; i++) {
        int fd;

        snprintf(name, sizeof name, "storm%d", i % 300);
        tap_path(path, name);
        if (scratch_create(path, &fd) == 0)
            close(fd);
        if (i > 200) {
            snprintf(name, sizeof name, "storm%d", (i - 200) % 300);
            tap_path(path, name);
            scratch_remove(path);
        }
    }
}

static void test_storm(void)
{
    char out[512], path[TAP_PATH], name[32];
    int status = tap_child(add_for_ever, NULL, out, sizeof out), left = 0;

    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "storm%d", i);
        tap_path(path, name);
        left += exists(path);
        unlink(path);
    }
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && !left,
           "a signal while files come and go leaves none (%d)", left);
}

/* ---- checks that it is the same file ----------------------------------------- */

static void swap(const char *for_what)
{
    unlink(one);
    if (for_what)
        tap_ok(symlink(for_what, one) == 0, "a link is laid");
    else
        make(one);
}

static void test_check(void)
{
    int fd;

    err_clear();
    tap_ok(scratch_check(one, NULL) == 0, "what is not remembered is not judged");
    tap_ok(scratch_create(one, &fd) == 0 && scratch_made(one) && !scratch_made(two),
           "what was made is known");
    close(fd);
    tap_ok(scratch_check(one, NULL) == 0, "it is itself");
    make(kept);
    swap(kept);
    tap_ok(scratch_check(one, NULL) < 0 && err_get()->code < 0,
           "a link in its place is refused with a sentence");
    err_clear();
    rename(kept, one);
    tap_ok(scratch_check(one, NULL) < 0, "so is another file");
    err_clear();
    scratch_unlink_all();
    tap_ok(scratch_add(one) == 0 && (swap(two), scratch_check(one, NULL)) < 0,
           "a link is refused also at the first look");
    err_clear();
    scratch_remove(one);
    tap_ok(scratch_create(one, &fd) == 0, "the next file of the name");
    close(fd);
    tap_ok(scratch_check(one, NULL) == 0, "is a file of its own");
    scratch_unlink_all();
}

/* ---- folders that are removed with their contents -------------------------------- */

static char tree[TAP_PATH];

static void in_tree(char *path, const char *name)
{
    snprintf(path, TAP_PATH, "%.500s/%.500s", tree, name);
}

/* Makes files, a folder with a file, a link to a file, and one to a folder of
 * others. */
static void fill_tree(void)
{
    char path[TAP_PATH], name[32];

    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "%d", i);
        in_tree(path, name);
        make(path);
    }
    in_tree(path, "inner");
    mkdir(path, 0700);
    in_tree(path, "inner/file");
    make(path);
    in_tree(path, "link");
    tap_ok(symlink(kept, path) == 0, "a link to a file of others");
    in_tree(path, "folder");
    tap_ok(symlink(two, path) == 0, "a link to a folder of others");
}

static void make_others(void)
{
    char path[TAP_PATH];

    make(kept);
    mkdir(two, 0700);
    snprintf(path, sizeof path, "%.500s/file", two);
    make(path);
}

static void expect_others(const char *when)
{
    char path[TAP_PATH];

    snprintf(path, sizeof path, "%.500s/file", two);
    tap_ok(exists(kept) && exists(path), "%s: what links lead to stays", when);
    unlink(path);
    rmdir(two);
    unlink(kept);
}

static void test_tree(void)
{
    char path[TAP_PATH];
    int fd = -1, file = -1;

    make_others();
    tap_ok(scratch_create_tree(tree, &fd) == 0 && fd >= 0, "a folder is made");
    tap_ok(scratch_create_tree(tree, &file) == -EEXIST, "and not made again");
    err_clear();
    fill_tree();
    in_tree(path, "300");
    tap_ok(scratch_create(path, &file) == 0 && scratch_made(path),
           "what is made in it is this run's");
    close(file);
    file = scratch_open(path, O_RDONLY);
    tap_ok(file >= 0 && scratch_remove(path) == 0 && !exists(path),
           "and can be opened and removed by itself");
    close(file);
    in_tree(path, "link");
    tap_ok(scratch_open(path, O_RDONLY) < 0 && scratch_check(path, NULL) == -ESTALE,
           "a link in it is refused");
    err_clear();
    in_tree(path, "../kept");
    tap_ok(!scratch_made(path) && !scratch_made(kept) && scratch_remove(path) == 0 &&
               exists(kept),
           "what is above it is not in it");
    tap_ok(scratch_remove(tree) == 0 && !exists(tree) && !scratch_made(tree),
           "it goes with all that is in it");
    expect_others("removed");
}

static void test_tree_replaced(void)
{
    char path[TAP_PATH], moved[TAP_PATH];
    int fd;

    make_others();
    tap_path(moved, "moved");
    tap_ok(scratch_create_tree(tree, &fd) == 0, "a folder is made");
    in_tree(path, "file");
    make(path);
    tap_ok(rename(tree, moved) == 0 && symlink(two, tree) == 0, "and replaced");
    in_tree(path, "more");
    tap_ok(scratch_check(path, NULL) < 0, "a file in it is not looked for elsewhere");
    err_clear();
    tap_ok(scratch_create(path, &fd) == 0 && scratch_made(path), "nor made elsewhere");
    close(fd);
    tap_ok(scratch_remove(tree) == -ESTALE && exists(tree), "the link is left");
    err_clear();
    tap_ok(rmdir(moved) == 0, "and what the run made is gone");
    unlink(tree);
    expect_others("replaced");
}

static void test_tree_kept(void)
{
    int fd;

    tap_ok(scratch_create_tree(tree, &fd) == 0, "a folder is made");
    scratch_forget(tree);
    scratch_unlink_all();
    tap_ok(exists(tree) && fcntl(fd, F_GETFD) < 0, "and kept, its descriptor closed");
    tap_ok(scratch_add_tree(tree, &fd) == 0, "another process of the run adds it");
    fill_tree();
    scratch_unlink_all();
    tap_ok(!exists(tree), "and removes all in the end");
}

/* ---- several threads ------------------------------------------------------------- */

static atomic_int made;

static void *make_many(void *which)
{
    char path[TAP_PATH], name[32];
    sigset_t all;
    int fd;

    sigfillset(&all); /* as lanes do */
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0;; i++) {
        snprintf(name, sizeof name, "%d.%d", *(int *)which, i % 100);
        if (i & 1)
            in_tree(path, name);
        else
            tap_path(path, name);
        if (scratch_create(path, &fd) == 0) {
            close(fd);
            made++;
        }
        if (i % 3)
            scratch_remove(path);
    }
    return NULL;
}

static int end_among_threads(void *unused)
{
    static int which[] = {0, 1, 2, 3};
    pthread_t t;
    int fd;

    (void)unused;
    scratch_catch_signals(NULL);
    if (scratch_create_tree(tree, &fd))
        return 3;
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t, NULL, make_many, &which[i]))
            return 4;
    while (made < 1000)
        usleep(1000);
    kill(getpid(), SIGTERM);
    for (;;)
        pause();
}

static void test_threads(void)
{
    char out[512], path[TAP_PATH], name[32];
    int status = tap_child(end_among_threads, NULL, out, sizeof out), left = 0;

    for (int i = 0; i < 400; i++) {
        snprintf(name, sizeof name, "%d.%d", i / 100, i % 100);
        tap_path(path, name);
        left += exists(path);
        unlink(path);
    }
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && !left && !exists(tree),
           "a signal while threads make and remove files leaves none (%d)", left);
}

/* ---- a file size limit -------------------------------------------------------- */

static int write_too_much(void *unused)
{
    struct rlimit limit = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    char block[8192] = "";
    int fd, good;

    (void)unused;
    signal(SIGXFSZ, SIG_DFL);
    scratch_outlive_limit();
    setrlimit(RLIMIT_FSIZE, &limit);
    if (scratch_create(one, &fd))
        return 3;
    good = write(fd, block, sizeof block) == 4096 && write(fd, block, 1) == -1 &&
           errno == EFBIG;
    scratch_unlink_all();
    return good ? 0 : 4;
}

static int default_in_child(void *unused)
{
    (void)unused;
    signal(SIGXFSZ, SIG_DFL);
    scratch_outlive_limit();
    execl("/bin/sh", "sh", "-c", "kill -XFSZ $$", NULL);
    return 3;
}

static void test_size_limit(void)
{
    char out[512];
    int status = tap_child(write_too_much, NULL, out, sizeof out);

    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "a write beyond the file size limit fails, and the process goes on");
    status = tap_child(default_in_child, NULL, out, sizeof out);
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ,
           "programs that it starts have the default back");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_path(one, "one");
    tap_path(two, "two");
    tap_path(kept, "kept");
    tap_path(tree, "tree");
    test_by_hand();
    test_folders();
    test_relative();
    test_fork();
    test_signal(SIGTERM, "SIGTERM");
    test_signal(SIGINT, "SIGINT");
    test_signal(SIGHUP, "SIGHUP");
    test_signal(SIGXCPU, "SIGXCPU");
    test_signal(SIGUSR2, "SIGUSR2");
    test_signal(SIGQUIT, "SIGQUIT");
    test_pipe();
    test_quiet();
    test_others();
    test_not_ours();
    test_limits();
    test_reuse();
    test_storm();
    test_check();
    test_tree();
    test_tree_replaced();
    test_tree_kept();
    test_threads();
    test_size_limit();
    return tap_end();
}

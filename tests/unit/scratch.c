/* Files of a run that ends early are removed: by hand, and by each signal. */
#include "tap.h"

#include "base/err.h"
#include "base/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Whichever of them was added first. */
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

/* A relative path must be removed even if the process has gone elsewhere. */
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

/* Whose file is there already keeps it, also where it is a link to nothing. */
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
    for (n = 0; n < 100000 && rc == 0; n++) {
        snprintf(name, sizeof name, "/nowhere/%d", n);
        rc = scratch_add(name);
    }
    tap_ok(rc == -ENOSPC && err_get()->code == -ENOSPC && n > 8,
           "a full table refuses with a sentence (after %d)", n - 1);
    tap_ok(scratch_add("/nowhere/0") == 0, "what is already in it is no trouble");
    scratch_forget("/nowhere/3");
    tap_ok(scratch_add("/nowhere/new") == 0, "a forgotten path makes room");
    scratch_unlink_all();
    tap_ok(scratch_add("/nowhere/0") == 0, "so does removing all");
    scratch_unlink_all();
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_path(one, "one");
    tap_path(two, "two");
    tap_path(kept, "kept");
    test_by_hand();
    test_folders();
    test_relative();
    test_fork();
    test_signal(SIGTERM, "SIGTERM");
    test_signal(SIGINT, "SIGINT");
    test_signal(SIGHUP, "SIGHUP");
    test_signal(SIGXCPU, "SIGXCPU");
    test_signal(SIGUSR2, "SIGUSR2");
    test_quiet();
    test_not_ours();
    test_limits();
    return tap_end();
}

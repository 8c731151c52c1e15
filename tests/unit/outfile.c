/* Files under names that users give: the existing file decides what happens. */
#include "tap.h"

#include "base/format/outfile.h"
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static char path[TAP_PATH], other[TAP_PATH], folder[TAP_PATH];

static mode_t kind(const char *of)
{
    struct stat st;
    return lstat(of, &st) ? 0 : st.st_mode & S_IFMT;
}

/* Writes "new"; returns the verdict. */
static int write_new(enum outfile_how how, int rc)
{
    struct outfile o;
    err_clear();
    int opened = outfile_open(&o, path, how);
    if (!opened)
        fputs("new", o.file);
    return outfile_close(&o, opened ? opened : rc);
}

/* Counts the entries of the folder: only `path` and those of the test are there. */
static int entries(void)
{
    char command[TAP_PATH + 32];
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    FILE *f = popen(command, "r");
    int n = -1;
    if (f) {
        n = fscanf(f, "%d", &n) == 1 ? n : -1;
        pclose(f);
    }
    return n;
}

static void test_regular(void)
{
    tap_ok(!write_new(OUTFILE_NEW, 0) && tap_holds(path, "new"), "nothing: it is made");
    tap_ok(write_new(OUTFILE_NEW, 0) == -EEXIST, "it may not be there: refused");
    tap_put(path, "old");
    tap_ok(write_new(OUTFILE_WHOLE, -EIO) == -EIO && tap_holds(path, "old"),
           "what failed replaces nothing");
    tap_ok(!write_new(OUTFILE_WHOLE, 0) && tap_holds(path, "new"), "a file: replaced");
    tap_ok(entries() == 1, "and nothing is left beside it");
}

static void test_links(void)
{
    unlink(path);
    tap_put(other, "old");
    tap_ok(!symlink("other", path), "a link");
    tap_ok(!write_new(OUTFILE_WHOLE, 0) && tap_holds(other, "new"),
           "is followed: its file is replaced");
    tap_ok(kind(path) == S_IFLNK && kind(other) == S_IFREG, "and stays a link");
    unlink(other);
    tap_ok(tap_refused(write_new(OUTFILE_STREAM, 0), -ENOENT, "leads to nothing"),
           "one to nothing is refused");
    tap_ok(kind(path) == S_IFLNK && !kind(other), "and nothing is made");
    unlink(path);
}

static void test_pipe(void)
{
    char got[8] = "";
    tap_ok(!mkfifo(path, 0600), "a pipe");
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    tap_ok(tap_refused(write_new(OUTFILE_WHOLE, 0), -EINVAL, "it is a pipe"),
           "is refused where offsets are needed");
    tap_ok(!write_new(OUTFILE_STREAM, 0) && read(fd, got, 7) == 3 &&
               !strcmp(got, "new"),
           "is written to by a stream");
    close(fd);
    tap_ok(kind(path) == S_IFIFO && entries() == 1, "and stays a pipe");
    unlink(path);
}

static void test_device(void)
{
    if (mknod(path, S_IFCHR | 0600, (dev_t)(1 << 8 | 3))) {
        tap_ok(1, "no device can be made here");
        return;
    }
    tap_ok(!write_new(OUTFILE_STREAM, 0) || errno == EACCES, "a device is written to");
    tap_ok(write_new(OUTFILE_WHOLE, 0) < 0, "and refused where offsets are needed");
    tap_ok(kind(path) == S_IFCHR, "and stays one");
    unlink(path);
}

static void test_others(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    tap_ok(!mkdir(path, 0700), "a directory");
    tap_ok(write_new(OUTFILE_STREAM, 0) == -EISDIR && !rmdir(path), "is refused");
    if (strlen(path) >= sizeof at.sun_path)
        return;
    strcpy(at.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    tap_ok(fd >= 0 && !bind(fd, (struct sockaddr *)&at, sizeof at), "a socket");
    tap_ok(write_new(OUTFILE_STREAM, 0) == -EINVAL && kind(path) == S_IFSOCK,
           "is refused");
    close(fd);
    unlink(path);
}

/* A file already has the name that ours would get. */
static void test_names_of_others(void)
{
    char name[TAP_PATH + 64];
    snprintf(name, sizeof name, "%s/.leadline-%ld-0.tmp", folder, (long)getpid());
    tap_put(name, "precious");
    tap_ok(!write_new(OUTFILE_WHOLE, 0) && tap_holds(path, "new"),
           "the temporary name is taken: another one");
    tap_ok(tap_holds(name, "precious"), "what has it stays");
    unlink(name);
}

static void test_signal(void)
{
    tap_put(path, "old");
    pid_t child = fork();
    if (!child) {
        struct outfile o;
        if (!outfile_open(&o, path, OUTFILE_WHOLE) && fputs("new", o.file) >= 0)
            raise(SIGTERM);
        _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "a signal ends it");
    tap_ok(tap_holds(path, "old") && entries() == 1,
           "nothing is left, nothing replaced");
}

int main(void)
{
    tap_path(folder, "outfile");
    if (mkdir(folder, 0700))
        return 1;
    snprintf(path, sizeof path, "%s/path", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    test_regular();
    test_links();
    test_pipe();
    test_device();
    test_others();
    test_names_of_others();
    test_signal();
    unlink(path);
    rmdir(folder);
    return tap_end();
}

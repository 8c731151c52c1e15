/* The least that mdtest's operations on files take: one process, one folder, each file
 * by its name in the folder's descriptor, as metabench has it. Understands what
 * bench/metabench-mdtest says to mdtest, and prints what that reads: calls per second
 * of each operation. -u and -F mean nothing to it; -e N reads N bytes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char buf[1 << 16];
static int folder, write_bytes, read_bytes;

static int create(const char *name)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int bad =
        fd < 0 || (write_bytes && write(fd, buf, (size_t)write_bytes) != write_bytes);
    return close(fd) || bad;
}

static int look(const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW);
}

static int read_all(const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int bad = fd < 0 || read(fd, buf, sizeof buf) != read_bytes;
    return close(fd) || bad;
}

static int removed(const char *name)
{
    return unlinkat(folder, name, 0);
}

/* Returns how many have failed. */
static long all(const char *what, long n, int call(const char *name))
{
    struct timespec a, b;
    char name[32];
    long bad = 0;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f000000.%09ld", i);
        bad += call(name) != 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("File %s : %.3f\n", what,
           (double)n /
               ((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9));
    return bad;
}

int main(int argc, char **argv)
{
    const char *dir = ".";
    long n = 0, bad;
    for (int c; (c = getopt(argc, argv, "Fun:d:w:e:")) != -1;) {
        if (c == 'n')
            n = atol(optarg);
        else if (c == 'd')
            dir = optarg;
        else if (c == 'w')
            write_bytes = atoi(optarg);
        else if (c == 'e')
            read_bytes = atoi(optarg);
    }
    folder = open(dir, O_RDONLY | O_DIRECTORY);
    bad = all("creation", n, create) + all("stat", n, look);
    if (read_bytes)
        bad += all("read", n, read_all);
    bad += all("removal", n, removed);
    return bad != 0;
}

/* The least that reading many small files takes: open, fstat, read, close, one file
 * after the other, in the order of names. Prints nanoseconds of wall and processor, and
 * the files. For bench/stream.py. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int plain(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    struct dirent **name;
    struct stat st;
    char *buf = malloc(1 << 20);
    int n = argc == 2 ? scandir(argv[1], &name, plain, alphasort) : -1;
    int folder = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1, bad = 0;
    if (n < 0 || folder < 0 || !buf)
        return 2;
    long wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < n; i++) {
        int fd = openat(folder, name[i]->d_name, O_RDONLY | O_CLOEXEC);
        bad += fd < 0 || fstat(fd, &st) || read(fd, buf, 1 << 20) != st.st_size;
        close(fd);
    }
    cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = now(CLOCK_MONOTONIC) - wall;
    printf("%ld %ld %d\n", wall, cpu, n);
    return bad != 0;
}
